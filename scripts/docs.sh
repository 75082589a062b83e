#!/bin/sh
# Converts the documentation to a static site: that of the library, and under agent/ that of the agent's clients. An
# unresolved link, a public symbol without documentation and one that no topic names are errors. Usage: docs.sh OUTPUT
set -eu
output=$1
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
"${SWIFT:-swift}" build --target CofferAgentClient --scratch-path .build-docs \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
docc=$(scripts/toolchain.sh docc)

# What a module re-exports of one that is not public stands in its own graphs, and those of the others are left alone.
convert() {
    module=$1 least=$2 to=$3
    shift 3
    mkdir "$graphs/$module"
    mv "$graphs/$module.symbols.json" "$graphs/$module@"*.symbols.json "$graphs/$module"
    "$docc" convert "Sources/$module/$module.docc" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$(echo "$module" | tr '[:upper:]' '[:lower:]')" \
        --additional-symbol-graph-dir "$graphs/$module" --output-path "$to" \
        --transform-for-static-hosting --warnings-as-errors "$@"
    scripts/check_documentation.py "$module" "$least" "$graphs/$module" "$to"
}

convert Coffer 100 "$output"
scripts/own_symbols.py Sources/CofferAgentClient "$graphs"/CofferAgentClient*.symbols.json
convert CofferAgentClient 40 "$output/agent" --hosting-base-path agent
