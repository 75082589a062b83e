"""Where a secret may come out that nobody asked for: words and variables of processes, outputs, messages."""

import os
import pathlib
import random
import re
import subprocess
import time

from checks.dialogues import in_process_table
from checks.streams import agent_pid
from checks.verbs import SECRETS, SETTINGS, VERBS, Surrounded, stop_agent
from kit import faults
from kit.row import skip, tally

TOKEN = b"kx9-token-of-the-shell"  # in the environment of the caller, none of the agent's business
SLIP = "kx8-slipped-secret"

# A secret where it does not belong. No message repeats it.
SLIPS = [
    "SLIP", "--SLIP", "--SLIP=x", "get --SLIP a", "get a --json=SLIP", "get a -SLIP", "get a --newline SLIP",
    "get a SLIP", "set a SLIP", "set a --value SLIP", "set a --value=SLIP", "set a --type SLIP",
    "set a --type integer --value SLIP", "set a --type boolean --value SLIP", "set a --type real --value SLIP",
    "set a --type date --value SLIP", "set a --generate=SLIP", "set a --passphrase SLIP", "set a --passphrase=SLIP",
    "set a -pSLIP", "set a --password SLIP", "set a -p SLIP", "list --older-than SLIP", "list a SLIP",
    "rename a b SLIP",
    "undo a SLIP", "passphrase SLIP", "passphrase --new-passphrase SLIP", "passphrase --new-passphrase-fd SLIP",
    "passphrase --cost SLIP", "passphrase --target SLIP", "init SLIP", "init --cost SLIP", "init --target SLIP",
    "check a SLIP", "inspect a SLIP", "unlock SLIP", "unlock --idle SLIP", "unlock --max SLIP", "lock SLIP",
    "status SLIP", "status --json=SLIP", "agent SLIP", "agent start SLIP", "agent run --ready-fd SLIP", "help SLIP",
    "help set SLIP", "version SLIP", "get a --passphrase-fd SLIP", "--passphrase SLIP get a", "-qSLIP",
]
# Input that is refused, and of which no part is repeated: type, bytes.
REFUSED = [
    ("integer", "SLIP"), ("integer", "12SLIP"), ("real", "SLIP"), ("boolean", "SLIP"), ("date", "SLIP"),
    ("json", "SLIP"), ("json", '{"SLIP": SLIP}'), ("json", '["SLIP", null]'), ("json", '{"$date": "SLIP"}'),
    ("json", '{"$data": "SLIP"}'), ("json", '{"$real": "SLIP"}'), ("json", '{"$SLIP": 1}'),
    ("json", '{"SLIP": 1, "SLIP": 2}'), ("json", "[" * 40 + '"SLIP"'), ("string", "SLIP\udcff"), ("string", ""),
]


def allowed(verb, secret):
    """Whether a verb is to write this secret: get alone does, and the values alone of the settings that it names."""
    words = verb.text.split()
    return words[0] == "get" and secret in [SETTINGS[name].encode() for name in words[1:] if name in SETTINGS]


def outputs(t, desk, verb):
    """A verb's output and messages, when it succeeds: no secret but what get was asked for."""
    with Surrounded(desk, verb):
        done = desk.coffer(verb.words(desk), desk.value.read_bytes() if verb.reads else b"")
        found = [f"{name} has {secret}" for name, data in (("stdout", done.out), ("stderr", done.err))
                 for secret in SECRETS if secret in data and not (name == "stdout" and allowed(verb, secret))]
        wrong = found or verb.wrong(desk, done.code == 0) or (done if done.code else None)
        t.check(not wrong, f"{verb}: {wrong}")


def refuses(t, desk, words, data=b"", code=None):
    """A call that fails repeats nothing of what it got."""
    done = desk.coffer(words, data)
    texts = [done.out, done.err]
    wrong = [text for text in texts if SLIP.encode() in text or any(secret in text for secret in SECRETS)]
    good = not wrong and done.code not in (0, None) and done.code > 0 and code in (None, done.code)
    shown = " ".join(map(str, words))
    t.check(good, f"coffer {shown} < {data!r}: code {done.code}, {wrong or done.err!r}")


def executed(t, desk, words, data=b""):
    """All programs that a call executes, and the words and the variables that they get."""
    log = desk.home / "made-log"
    before = [faults.STRACE, "-f", "-qq", "-v", "-s", "65536", "-e", "trace=execve", "-o", log]
    with subprocess.Popen(
            [*before, desk.context.coffer, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=desk.environment, start_new_session=True) as child:
        child.stdin.write(data)
        child.stdin.close()
        end = time.monotonic() + 30
        while child.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
            # An agent that it starts is followed, too, until it is told to end.
            if words[0] == "unlock" and desk.coffer(["status", "-q"]).code == 0:
                stop_agent(desk)
        if child.poll() is None:
            os.killpg(child.pid, 9)
    text = log.read_bytes()
    found = [secret for secret in SECRETS if secret in text]
    count = len(re.findall(rb"execve\(", text))
    least = 2 if "-command" in " ".join(words) or words[0] == "unlock" else 1
    t.check(child.returncode == 0 and count >= least and not found,
            f"coffer {' '.join(words)}: code {child.returncode}, {count} executions, with {found}")


def command_gives_it(desk):
    """Verbs that start a shell for the passphrase."""
    file = desk.passphrase_file
    yield ["get", "a", "--passphrase-command", f"cat {file}"], b""
    yield ["set", "c", "--passphrase-command", f"cat {file}"], desk.value.read_bytes()
    yield ["unlock", "--passphrase-command", f"cat {file}"], b""
    yield ["passphrase", "--cost", "3,64M", "--passphrase-command", f"cat {file}",
           "--new-passphrase-command", f"cat {desk.next}"], b""


def agent_gets(t, desk):
    """The agent that unlock starts: its words, variables and open files."""
    desk.reset()
    done = desk.coffer(["unlock", *desk.secret], environment={"TOKEN": TOKEN.decode(), "LD_LIBRARY_PATH_X": "x"})
    pid = agent_pid(desk)
    process = pathlib.Path(f"/proc/{pid}")
    variables = (process / "environ").read_bytes()
    t.check(done.code == 0 and TOKEN not in variables and b"HOME=" in variables, f"coffer unlock: {done}; {variables}")
    t.check((process / "cmdline").read_bytes() == b"coffer\0agent\0run\0--ready-fd\x003\0", "the agent's words")
    t.check(not in_process_table(SECRETS), f"after coffer unlock: {in_process_table(SECRETS)}")
    open_files = {entry.name: os.readlink(entry) for entry in (process / "fd").iterdir()}
    good = all(open_files.get(number) == "/dev/null" for number in "012")
    strange = [name for name in open_files.values() if name.startswith("/dev/pts") or str(desk.passphrase_file) == name]
    t.check(good and not strange and os.readlink(process / "cwd") == "/", f"the agent's files: {open_files}")
    stop_agent(desk)


def run(rows, context, desk):
    draw = random.Random(context.seed)
    some = (lambda all, few: draw.sample(all, few)) if context.short else (lambda all, few: all)
    part = "terminal"
    with tally(rows, part, "every verb's output and messages: get alone writes a value") as t:
        for verb in some(VERBS, 8):
            outputs(t, desk, verb)
    with tally(rows, part, "a secret in the wrong place of the command line is not repeated") as t:
        desk.reset()
        for text in some(SLIPS, 15):
            words = [word.replace("SLIP", SLIP) for word in text.split()]
            refuses(t, desk, words + desk.secret if "passphrase-fd" not in text else words)
        stop_agent(desk)
    with tally(rows, part, "a refused value or passphrase is not repeated") as t:
        for kind, data in some(REFUSED, 5):
            data = data.replace("SLIP", SLIP).encode("utf-8", "surrogateescape")
            refuses(t, desk, ["set", "a", "--type", kind, *desk.secret], data, 17)
        for words in (["get", "a"], ["set", "a"], ["unlock"], ["passphrase"], ["inspect"]):
            refuses(t, desk, [*words, "--passphrase-fd", "0"], SLIP.encode() + b"\n", 8)
        stop_agent(desk)
    if why := faults.unavailable():
        rows.append(skip(part, "words and variables of all that a verb executes", why))
    else:
        with tally(rows, part, "words and variables of all that a verb executes") as t:
            for verb in some([verb for verb in VERBS if verb.text != "agent start"], 4):
                with Surrounded(desk, verb):
                    executed(t, desk, verb.words(desk), desk.value.read_bytes() if verb.reads else b"")
            for words, data in command_gives_it(desk):
                desk.reset()
                executed(t, desk, words, data)
                stop_agent(desk)
    what = "the agent that unlock starts: words, variables, open files"
    if os.geteuid() != 0:
        rows.append(skip(part, what, "root alone may see them"))
    else:
        with tally(rows, part, what) as t:
            agent_gets(t, desk)
