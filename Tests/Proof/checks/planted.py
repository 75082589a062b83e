"""Faults that are planted: programs that do one thing wrong around the right one. Each check has to notice its own."""

import dataclasses
import os
import pathlib
import random
import shutil
import tempfile

from checks import (
    bounded, dialogues, escapes, languages, leaks, moments, prompts, questions, screen, streams, surroundings)
from checks.verbs import VERBS, Desk, Verb
from kit.row import noticed, skip, tally

DRAW = random.Random(1)  # none of them hangs on what it draws
GET, LIST, SET, CHECK = (
    next(verb for verb in VERBS if verb.text == text) for text in ("get a", "list", "set c", "check"))
ASKS = ("get a", [questions.OPEN], 0)
# What it does wrong; a script of bash, in which REAL is the program; what looks for it, at a desk.
TERMINAL = [
    ("leaves the terminal without echo", 'stty -echo < /dev/tty; exec REAL "$@"',
     lambda t, d: prompts.ends(t, d, ASKS, "INT")),
    ("sets the terminal to something sane", 'stty sane < /dev/tty; exec REAL "$@"',
     lambda t, d: prompts.ends(t, d, ASKS, "^C")),
    ("leaves the terminal without echo before it asks", 'stty -echo < /dev/tty; exec sleep 5',
     lambda t, d: [moments.at_any_moment(t, d, n, DRAW, {text: 0.3 for text, _ in moments.WHOLE}) for n in range(5)]),
    ("stays without echo while it is stopped", 'stty -echo < /dev/tty; exec REAL "$@"',
     lambda t, d: prompts.stops(t, d, ASKS, "^Z")),
    ("goes on after SIGTERM", 'trap "" TERM; exec REAL "$@"', lambda t, d: prompts.ends(t, d, ASKS, "TERM")),
    ("goes on when the terminal is gone", 'trap "" HUP; REAL "$@"; sleep 15',
     lambda t, d: prompts.vanishes(t, d, ASKS, ())),
    ("does not ask again after SIGCONT", 'echo "Passphrase of x: " > /dev/tty; sleep 5',
     lambda t, d: prompts.goes_on(t, d, ASKS)),
    ("shows the passphrase", 'cat "$HOME/passphrase" > /dev/tty; exec REAL "$@"',
     lambda t, d: dialogues.whole(t, d, *ASKS[:2], dialogues.TERMINALS[0])),
    ("cuts lines at the width", 'REAL "$@" 2>&1 | cut -c "1-$COLUMNS"', lambda t, d: dialogues.narrow(t, d, CHECK)),
    ("has the passphrase among its words", 'exec -a "$(cat "$HOME/passphrase")" REAL "$@"',
     lambda t, d: dialogues.watched(t, d, *ASKS[:2])),
    ("has the passphrase in its environment", 'export P="$(cat "$HOME/passphrase")"; exec REAL "$@"',
     lambda t, d: dialogues.watched(t, d, *ASKS[:2])),
    ("has what it reads among its words",
     'case "$1" in set) sleep 0.3; read -r p; exec -a "$p" REAL "$@"; esac; exec REAL "$@"', dialogues.waiting),
    ("hands the passphrase to a program", 'env P="$(cat "$HOME/passphrase")" true; exec REAL "$@"',
     lambda t, d: leaks.executed(t, d, GET.words(d))),
    ("takes the passphrase from standard input", 'exec REAL "$@" --passphrase-fd 0',
     lambda t, d: dialogues.unasked(t, d, "list", "no terminal but a pipe")),
    ("writes a value with list", 'cat "$HOME/value"; exec REAL "$@"', lambda t, d: leaks.outputs(t, d, LIST)),
    ("writes a value beside the one asked for", 'echo kx5-canary-of-b; exec REAL "$@"',
     lambda t, d: leaks.outputs(t, d, GET)),
    ("writes the value from before", 'echo kx3-canary-from-before; exec REAL "$@"',
     lambda t, d: leaks.outputs(t, d, GET)),
    ("repeats its words", 'REAL "$@"; s=$?; echo "$*" >&2; exit $s',
     lambda t, d: leaks.refuses(t, d, ["set", "a", leaks.SLIP])),
    ("starts an agent that keeps everything",
     'case "$1" in unlock) REAL agent run < /dev/null > /dev/null 2>&1 & sleep 0.5; esac; exec REAL "$@"',
     leaks.agent_gets),
    ("sends everything to the terminal as it is", 'set -o pipefail; REAL "$@" 2> /dev/null | cat',
     lambda t, d: escapes.in_vault(t, d, escapes.SEQUENCES[:3])),
    ("repeats a path to the terminal as it is", 'echo "$*" >&2; exec REAL "$@"',
     lambda t, d: escapes.said(t, d, "\x1b[31m")),
    ("sends bytes that are no text", 'printf "%s" "$2" >&2; exec REAL "$@"',
     lambda t, d: escapes.bytes_that_are_no_text(t, d, b"\x9b31m")),
]
FOR_ROOT = ["has the passphrase in its environment", "starts an agent that keeps everything"]
ENVIRONMENT = [
    ("ends with 0 whatever happens", 'REAL "$@"; exit 0', lambda t, d: streams.closed(t, d, GET, (1,))),
    ("ends with 0 on a full device", 'REAL "$@"; exit 0', lambda t, d: streams.full(t, d, LIST, "stdout")),
    ("ends with 0 where nobody reads", 'REAL "$@"; exit 0', lambda t, d: streams.broken(t, d, CHECK, "stdout", ())),
    ("writes a message into the vault", 'REAL "$@"; s=$?; echo x >> "$COFFER_VAULT"; exit $s',
     lambda t, d: streams.closed(t, d, SET, (2,))),
    ("stores nothing and ends with 0", 'case "$1" in set) exit 0; esac; exec REAL "$@"',
     lambda t, d: streams.closed(t, d, SET, ())),
    ("fails where no message can be said", 'echo hello >&2 || exit 15; exec REAL "$@"',
     lambda t, d: streams.full(t, d, GET, "stderr")),
    ("writes the beginning of a value", 'REAL "$@" | head -c 70000', lambda t, d: streams.parts(t, d, "file")),
    ("hangs with its output open, once",
     '[ "$1" != get -o -e "$HOME/made-hung" ] || { touch "$HOME/made-hung"; exec sleep 600; }; exec REAL "$@"',
     lambda t, d: streams.parts(t, d, "file")),
    ("is an agent that never gets ready", 'case "$2" in run) exec sleep 600; esac; exec REAL "$@"',
     lambda t, d: streams.closed_agent(t, d, ())),
    ("lets others read what it makes", 'REAL "$@"; s=$?; find "$HOME" -type f -exec chmod 644 {} +; exit $s',
     lambda t, d: surroundings.masked(t, d.context, {}, 0o022)),
    ("has the umask of its caller", 'REAL "$@"; s=$?; mkdir -p "$HOME/new"; exit $s',
     lambda t, d: surroundings.masked(t, d.context, {}, 0o000)),
    ("takes a relative HOME", 'export XDG_DATA_HOME="$PWD/$HOME"; exec REAL "$@"',
     lambda t, d: surroundings.without_home(t, d.context, surroundings.other_user(d.context)[0], "relative", DRAW)),
    ("speaks the language of its caller", 'echo "$LANG$LC_ALL" >&2; exec REAL "$@"',
     lambda t, d: languages.said_alike(t, d, {"LANG": "C"}, languages.spoken(d, {}))),
]


def plant(part, context, faults):
    """A row for each fault."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coffer-proof-"))
    folder.chmod(0o755)
    rows, patience = [], (screen.Screen.PATIENCE, bounded.PATIENCE)
    screen.Screen.PATIENCE = bounded.PATIENCE = 4
    for number, (what, script, look) in enumerate(faults):
        if what in FOR_ROOT and os.geteuid() != 0:
            rows.append(skip(part, f"a program that {what}", "root alone can see it"))
            continue
        desk = Desk(context, f"{part}-{number}")
        program = folder / f"program-{number}"
        program.write_text("#!/bin/bash\n" + script.replace("REAL", context.coffer) + "\n")
        program.chmod(0o755)
        desk.context = dataclasses.replace(context, coffer=str(program), short=True)
        found = []
        with tally(found, part, what) as t:
            look(t, desk)
        rows.append(noticed(part, f"a program that {what}", found))
        desk.remove()
    screen.Screen.PATIENCE, bounded.PATIENCE = patience
    shutil.rmtree(folder)
    return rows
