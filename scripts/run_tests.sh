#!/bin/sh
# Runs `swift test` with the given options and counts aloud what was skipped, so that a skip is never taken for a pass.
set -eu
log=$(mktemp)
trap 'rm -f "$log" "$log.status"' EXIT
{
    status=0
    "${SWIFT:-swift}" test "$@" || status=$?
    echo "$status" >"$log.status"
} 2>&1 | tee "$log"
skips=$(grep -E '➜.* Test .* skipped|^SKIPPED' "$log" || true)
count=$(printf '%s' "$skips" | grep -c . || true)
echo "coffer: $count skipped in this run"
[ -z "$skips" ] || printf '%s\n' "$skips"
exit "$(cat "$log.status")"
