#!/bin/sh
# Prints the path of a tool that comes with Swift. The swift in PATH may be a launcher, such as swiftly's, which stands
# in another folder; so the toolchain is asked where it is. Usage: toolchain.sh NAME
set -eu
resources=$("${SWIFT:-swift}" -print-target-info | sed -n 's/^ *"runtimeResourcePath": "\(.*\)",\{0,1\}$/\1/p')
tool=${resources%/lib/swift}/bin/$1
if [ -z "$resources" ] || [ ! -x "$tool" ]; then
    echo "coffer: this Swift toolchain has no $1: there is no $tool" >&2
    exit 1
fi
echo "$tool"
