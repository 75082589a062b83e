#!/bin/sh
# Runs `swift test` with the given options and counts aloud what was skipped, so that a skip is never taken for a pass.
# The tests are built first: `swift test` would build what they test in another way, and the next build all of it once
# more.
set -eu
log=$(mktemp)
trap 'rm -f "$log" "$log.status"' EXIT
{
    status=0
    { "${SWIFT:-swift}" build --build-tests "$@" && "${SWIFT:-swift}" test --skip-build "$@"; } || status=$?
    echo "$status" >"$log.status"
} 2>&1 | tee "$log"
skips=$(grep -E '➜.* Test .* skipped|^SKIPPED' "$log" || true)
count=$(printf '%s' "$skips" | grep -c . || true)
echo "coffer: $count skipped in this run"
[ -z "$skips" ] || printf '%s\n' "$skips"
exit "$(cat "$log.status")"
