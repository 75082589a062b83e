#!/bin/sh
# Converts the documentation to a static site. An unresolved link, a public symbol without documentation and one that
# no topic names are errors. Usage: docs.sh OUTPUT
set -eu
output=$1
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
"${SWIFT:-swift}" build --target Coffer --scratch-path .build-docs \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
# What Coffer re-exports stands in its own graphs; those of the other modules are not public documentation.
find "$graphs" -name '*.symbols.json' ! -name 'Coffer*' -delete
docc=$(scripts/toolchain.sh docc)
"$docc" convert Sources/Coffer/Coffer.docc \
    --fallback-display-name Coffer --fallback-bundle-identifier coffer \
    --additional-symbol-graph-dir "$graphs" --output-path "$output" \
    --transform-for-static-hosting --warnings-as-errors
scripts/check_documentation.py "$graphs" "$output"
