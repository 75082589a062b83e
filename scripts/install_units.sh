#!/bin/sh
# Puts systemd's user units where a user's service manager finds them, each only with the program that it starts.
# Usage: install_units.sh DESTDIR PREFIX
set -eu
destination=$1 prefix=$2
folder="$destination$prefix/share/systemd/user"
for unit in coffer-agent.socket coffer-agent.service coffer-logind.service; do
    case $unit in
        coffer-logind.*) [ -e "$destination$prefix/bin/coffer-logind" ] || continue ;;
    esac
    mkdir -p "$folder"
    # In a unit a backslash, a quote, a percent and a dollar sign mean something; in sed an ampersand and a bar do.
    path=$(printf '%s' "$prefix" | sed -e 's/[\\"]/\\&/g' -e 's/%/%%/g' -e 's/\$/$$/g' -e 's/[\\&|]/\\&/g')
    sed "s|@prefix@|$path|g" "Sources/CofferTool/Support/$unit" >"$folder/$unit"
    chmod 644 "$folder/$unit"
done
echo "coffer: systemd user units are in $folder"
