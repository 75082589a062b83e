#!/usr/bin/env bash
# A session on a vault that is thrown away. Every step has an expected status; the first surprise ends it.
set -euo pipefail

coffer_path=$(readlink -f "$1")
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap '"$coffer_path" agent stop -q 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
# An agent of the demo's own: nothing here asks the one that you use, or has systemd start it.
export COFFER_VAULT="$folder/demo.coffer" XDG_STATE_HOME="$folder/state" COFFER_RUNTIME_DIR="$folder/run"

coffer() { "$coffer_path" "$@"; }
audit() { /usr/bin/python3 "$repository/Tests/Audit/coffer_audit.py" "$@"; }
flip() { /usr/bin/python3 "$repository/Tests/Audit/test_helper.py" flip "$@"; }
say() { printf '\n# %s\n' "$*"; }

# run STATUS 'COMMAND': shows the command, runs it, and wants that status. What it printed stays in $output.
run() {
    local wanted=$1 status=0
    printf '$ %s\n' "$2"
    output=$(eval "$2" 2>&1) || status=$?
    [ -z "$output" ] || printf '%s\n' "$output"
    if [ "$status" -ne "$wanted" ]; then
        echo "demo: ended with $status, not $wanted" >&2
        exit 1
    fi
    [ "$status" -eq 0 ] || echo "(status $status)"
}

# want TEXT: the last output must hold it.
want() {
    case "$output" in
    *"$1"*) ;;
    *)
        echo "demo: expected to see: $1" >&2
        exit 1
        ;;
    esac
}

umask 077
echo 'seven clouds over a quiet harbour' >passphrase
echo 'nine clouds over a quiet harbour' >new-passphrase
echo 'not the one' >wrong

say 'A new vault. The passphrase comes from a file here, from a prompt in real life.'
run 0 'coffer init --passphrase-file passphrase'

say 'Two settings: one is no secret, the other comes by standard input.'
run 0 'coffer set mail/user --value alice --not-secret --passphrase-file passphrase'
run 0 'echo s3cr3t-of-alice | coffer set mail/password --passphrase-file passphrase'
run 0 'coffer list --passphrase-file passphrase'
want mail/password
run 0 'coffer get mail/password --passphrase-file passphrase'
[ "$output" = s3cr3t-of-alice ] || { echo "demo: another value" >&2; exit 1; }

say 'A wrong passphrase is refused, and the status says so.'
run 8 'coffer get mail/password --passphrase-file wrong'

say 'What anyone can see of the file: the cost of a guess and a size class, no name and no value.'
run 0 'coffer inspect'
run 0 'od -A d -t x1z -N 80 demo.coffer'
want '>.COFR'
run 1 'grep -a -c -e alice -e mail demo.coffer'

say 'A new passphrase: the old one no longer opens the file.'
run 0 'coffer passphrase --passphrase-file passphrase --new-passphrase-file new-passphrase'
run 8 'coffer get mail/user --passphrase-file passphrase'
run 0 'coffer get mail/user --passphrase-file new-passphrase'
want alice

say 'Unlocked once: the agent has the key for a while, and nobody is asked for a passphrase until it is locked.'
run 14 'coffer get mail/user --no-input'
run 18 'coffer status'
run 0 'coffer unlock --idle 5m --passphrase-file new-passphrase'
run 0 'coffer get mail/user --no-input'
want alice
run 0 'coffer status'
want unlocked
run 0 'coffer lock'
run 14 'coffer get mail/user --no-input'

say 'One bit flips on the disk: seen before any passphrase is tried.'
run 0 'flip demo.coffer 4000 damaged.coffer'
run 5 'coffer get mail/user --vault damaged.coffer --passphrase-file new-passphrase'

say 'Someone edits the same bit on purpose and makes the check fit again: the key tells.'
run 0 'flip demo.coffer 4000 edited.coffer recheck'
run 9 'coffer get mail/user --vault edited.coffer --passphrase-file new-passphrase'

say 'The copy from before the last save is put back: what was seen here tells. It opens when that is meant.'
run 0 'cp demo.coffer older.coffer'
run 0 'coffer set mail/user --value bob --not-secret --passphrase-file new-passphrase'
run 0 'cp demo.coffer newer.coffer'
run 0 'cp older.coffer demo.coffer'
run 11 'coffer get mail/user --passphrase-file new-passphrase'
run 0 'coffer get mail/user --passphrase-file new-passphrase --accept-unexpected'
want alice
run 0 'cp newer.coffer demo.coffer'

say 'A second implementation, in Python and from the published format alone, reads the file.'
run 0 'audit demo.coffer --explain'
run 0 'audit demo.coffer --passphrase-file new-passphrase'
want s3cr3t-of-alice

say 'Moving from a plain settings file: plutil, which comes with Swift, reads it; no value is in an argument.'
plutil_path=$("$repository/scripts/toolchain.sh" plutil)
plutil() { "$plutil_path" "$@"; }
cat >settings.plist <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>username</key><string>bob</string><key>password</key><string>s3cr3t-of-bob</string></dict></plist>
END
export COFFER_VAULT="$folder/moved.coffer"
run 0 'coffer init --passphrase-file passphrase'
run 0 'plutil -extract username raw -o - settings.plist | coffer set username --passphrase-file passphrase'
run 0 'plutil -extract password raw -o - settings.plist | coffer set password --passphrase-file passphrase'
run 0 'coffer get password --passphrase-file passphrase'
[ "$output" = s3cr3t-of-bob ] || { echo "demo: another value" >&2; exit 1; }

say 'An app keeps its account in a vault of its own: Examples/MailAccount, with the library alone.'
"${SWIFT:-swift}" build --quiet --disable-build-manifest-caching --package-path "$repository/Examples/MailAccount" -Xlinker -z -Xlinker now
mail_account=$("${SWIFT:-swift}" build --package-path "$repository/Examples/MailAccount" --show-bin-path)/MailAccount
export XDG_DATA_HOME="$folder/data"
MailAccount() { "$mail_account" "$@"; }
echo s3cr3t-of-the-server >password
run 0 'MailAccount 3<passphrase 4<password'
want 'this is the first run'
run 0 'MailAccount 3<passphrase'
want 'welcome back'
want 'the screen is locked; account: locked, 0 tokens'
run 1 'MailAccount 3<wrong'
want 'that is not the passphrase'
run 0 'coffer get mail/password --vault data/com.example.mail/default.coffer --passphrase-file passphrase'
want s3cr3t-of-the-server

printf '\n# Everything went as it should.\n'
