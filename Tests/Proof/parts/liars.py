"""Scripts around `coffer` whose `set`, or change of the passphrase, is wrong on purpose, for the checks to notice.

Each of them is planted by the `sabotage` of concurrency.py, rekeying.py or locks.py.
"""

import dataclasses


def lying(context, name, script):
    """A context whose program is this script, in which `{0}` is the right one."""
    program = context.scratch / name
    program.write_text(script.format(context.coffer))
    program.chmod(0o755)
    return dataclasses.replace(context, coffer=str(program))


# Each fifth save is told as made, and is not.
LIAR = """#!/bin/sh
if [ "$1" = set ] && [ $(($$ % 5)) -eq 0 ]; then cat > /dev/null; exit 0; fi
exec {0} "$@"
"""

# Each fifth save is made twice.
TWICE = """#!/bin/sh
if [ "$1" = set ] && [ $(($$ % 5)) -eq 0 ]; then
    value=$(cat); printf %s "$value" | {0} "$@" && printf %s "$value" | {0} "$@"; exit
fi
exec {0} "$@"
"""

# Takes the lock file away, so that others lock another one.
UNLOCKED = """#!/bin/sh
{0} "$@"
code=$?
if [ "$1" = set ]; then rm -f "${{COFFER_VAULT%/*}}/.v.coffer.lock"; fi
exit $code
"""

# Writes the file in place, and takes its time.
TORN = """#!/bin/sh
if [ "$1" = set ]; then
    exec 9> "$HOME/turn"
    flock 9
    cp "$COFFER_VAULT" "$HOME/x"
    {0} "$@" --vault "$HOME/x" 9>&-
    code=$?
    head -c 100 "$HOME/x" > "$COFFER_VAULT"
    sleep 0.02
    cat "$HOME/x" > "$COFFER_VAULT"
    exit $code
fi
exec {0} "$@"
"""

# Knows nothing of what came between: where it fails it puts back the file that it found, and says nothing.
OVERWRITES = """#!/bin/sh
if [ "$1" = set ]; then
    cp "$COFFER_VAULT" "$HOME/found.$$"
    {0} "$@" || mv "$HOME/found.$$" "$COFFER_VAULT"
    exit 0
fi
exec {0} "$@"
"""

# A change of the passphrase that is told as made, whatever came of it.
ANYWAY = """#!/bin/sh
if [ "$1" = passphrase ]; then {0} "$@"; exit 0; fi
exec {0} "$@"
"""

# Waits for no lock, and tells of one that is held as if it had.
HASTY = """#!/bin/sh
if [ "$1" = set ]; then
    echo "coffer: could not lock the vault: another process is changing the vault" >&2
    exit 15
fi
exec {0} "$@"
"""

# Makes the lock file anew, whatever is there.
ANEW = """#!/bin/sh
if [ "$1" = set ]; then rm -rf "${{COFFER_VAULT%/*}}/.v.coffer.lock"; fi
exec {0} "$@"
"""
