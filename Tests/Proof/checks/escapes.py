"""Characters that steer a terminal or do not show, in names, values, paths and everything else that is said."""

import json
import random
import subprocess
import unicodedata

from checks.screen import Missing, Screen
from checks.verbs import PASSPHRASE, Surrounded, Verb, stop_agent
from kit.place import make_vault
from kit.row import tally
from vault_file import is_name

PART = "terminal"
# Marks that show, although Unicode counts them among the format characters.
VISIBLE = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13456)}
# What does not show, although Unicode counts it among letters and marks.
INVISIBLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0, *range(0xFE00, 0xFE10),
             *range(0xE0100, 0xE01F0)}


def is_harmful(character):
    """By Python's own table of characters."""
    number = ord(character)
    format = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and number not in VISIBLE
    return format or number in INVISIBLE


HARMFUL = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000 and is_harmful(chr(number))]
# What attackers send: the clipboard, the title, colours, the cursor, a reply that the terminal types, a reordering.
SEQUENCES = [
    "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x1b\\", "\x1b[31m", "\x1b[2J\x1b[H", "\x1b[6n", "\x1bP$q\x1b\\", "\x9b31m",
    "\x9d0;title\x9c", "\r\x1b[K", "\x08\x08\x08", "\u202etxt.exe\u202c", "\u2066\u2069", "\u200b\u2060\ufeff",
    "\x0e\x0f",
]


def steers(shown):
    """What of the bytes that a terminal got would steer it, or nothing. Line feeds and tabs are how lines are made."""
    try:
        text = shown.decode()
    except UnicodeDecodeError as error:
        return f"bytes that are no text: {shown[max(0, error.start - 20):error.end + 20]!r}"
    found = [character for character in text.replace("\r\n", "\n") if is_harmful(character) and character not in "\n\t"]
    return f"{found[0]!r} in {text[:300]!r}" if found else None


def on_screen(desk, words, answers=(), more=None):
    """Everything that a call shows on a terminal."""
    with Screen(columns=200) as screen:
        child = screen.start([desk.context.coffer, *words], {**desk.environment, **(more or {})})
        for prompt, text in answers:
            screen.expect(prompt)
            screen.wait_until_hidden()
            screen.type(text)
        return screen.wait(child), screen.shown


def clean(t, desk, words, answers=(), more=None, code=None, shows=None):
    """A call shows nothing harmful, ends as it should, and shows something of what it is about."""
    line = f"coffer {' '.join(ascii(str(word)) for word in words)}"
    try:
        found, shown = on_screen(desk, words, answers, more)
        wrong = steers(shown) or (f"code {found}: {shown!r}" if code is not None and found != code else None)
        if shows is not None and shows not in shown:
            wrong = wrong or f"it does not show {shows!r}: {shown!r}"
    except (Missing, subprocess.SubprocessError) as error:
        wrong = str(error)
    t.check(wrong is None, f"{line}: {wrong}")


def in_vault(t, desk, texts):
    """Names and values that are in a vault: on a terminal, and unchanged into a pipe."""
    settings = {name: f"value{text}end" for text in texts if is_name(name := f"name{text}end")}
    settings["plain"] = "".join(texts)
    settings["deep"] = {f"key{text}end": [text] for text in texts}
    desk.reset()
    desk.write(make_vault(settings, PASSPHRASE))
    for words in (["list"], ["list", "--json"], ["get", "--json", *settings]):
        clean(t, desk, [words[0], *desk.secret, *words[1:2], "--", *words[2:]], code=0)
    for name in settings:
        secret = [*desk.secret, "--", name]
        clean(t, desk, ["get", *secret], code=17 if "\0" in str(settings[name]) and name != "deep" else 0)
        clean(t, desk, ["get", "--json", *secret], code=0)
        clean(t, desk, ["undo", *secret], code=17)
        if name != "deep":
            t.check(desk.coffer(["get", *secret]).out == settings[name].encode(), f"get {name!r} into a pipe")
    told = json.loads(desk.coffer(["get", "--json", *desk.secret, "--", *settings]).out)
    t.check(told == settings, f"get --json into a pipe: {told}")
    names = [row["name"] for row in json.loads(desk.coffer(["list", "--json", *desk.secret]).out)]
    t.check(sorted(names) == sorted(settings), f"list --json into a pipe: {names}")


def said(t, desk, text):
    """A text wherever a word can be: as a name, a path, a verb, an option."""
    desk.reset()
    secret, word = desk.secret, f"x{text}y"
    is_there = is_name(word)
    new = desk.folder / f"made{text}y"
    new.write_bytes(make_vault({"a": "v"}, PASSPHRASE))
    new.chmod(0o600)
    made = desk.home / f"made{text}z"
    for words in (["get", *secret, "--", word], ["unset", *secret, "--", word], ["undo", *secret, "--", word]):
        clean(t, desk, words, code=16 if is_there and words[0] != "undo" else None)
    clean(t, desk, ["rename", *secret, "--", "a", word], code=0 if is_there else None)
    clean(t, desk, ["set", *secret, "--value", "v", "--not-secret", "--", word], code=0 if is_there else None)
    if is_there:
        questions = [("Passphrase of ", PASSPHRASE + b"\n"), ("Value of ", b"v\n"), ("The same again: ", b"v\n")]
        clean(t, desk, ["set", "--", word], questions, code=0, shows=b"x\\u{" if text not in "\n\t" else None)
    for words in (["check", new], ["inspect", new], ["list", "--vault", new, *secret],
                  ["unlock", "--vault", new, *secret], ["status", "--vault", new], ["status", "--json", "--vault", new],
                  ["lock", "--vault", new]):
        clean(t, desk, words, code=0 if words[0] != "inspect" else None)
        if words[0] in ("status", "lock"):
            clean(t, desk, ["status"])
    clean(t, desk, ["list", "--vault", new], [("Passphrase of ", b"\x03")])
    clean(t, desk, ["init", "--vault", made, "--cost", "3,64M", "--json", *secret], code=0)
    for words in (["check", f"{new}-none"], ["inspect", desk.passphrase_file.with_name(word)],
                  ["list", "--vault", f"{new}-none"], ["list", "--passphrase-file", word], ["set", "a", "--file", word],
                  ["list", "--passphrase-fd", word],
                  ["list", "--passphrase-command", f"printf '%s' '{word}' | tr -d '\\0'"], [word], [f"--{word}"],
                  ["help", word], ["agent", word], ["set", "a", "--type", word], ["list", f"--vault={new}-none"]):
        clean(t, desk, words)
    for variable in ("COFFER_RUNTIME_DIR", "COFFER_VAULT", "XDG_STATE_HOME", "HOME", "TERM", "LANG"):
        place = str(desk.home / word)
        for words in (["status"], ["get", "a", *secret], ["agent", "stop"]):
            clean(t, desk, words, more={variable: place})
    stop_agent(desk)
    for path in (new, made, new.with_name(f".{new.name}.lock"), made.with_name(f".{made.name}.lock")):
        path.unlink(missing_ok=True)


def bytes_that_are_no_text(t, desk, data):
    """Words that are no UTF-8, among them the C1 controls of eight-bit terminals; and values of such bytes."""
    desk.reset()
    for words in ([b"get", b"x" + data], [data], [b"--" + data], [b"get", b"a", b"--vault", b"/none/" + data],
                  [b"check", b"/none/" + data], [b"list", b"--passphrase-file", data],
                  [b"set", b"a", b"--value", data]):
        clean(t, desk, words)
    done = desk.coffer(["set", "a", "--type", "data", *desk.secret], data)
    t.want(done.code == 0, str(done))
    clean(t, desk, ["get", "a", *desk.secret], code=17)
    clean(t, desk, ["get", "--json", "a", *desk.secret], code=0)
    t.check(desk.coffer(["get", "a", *desk.secret]).out == data, f"get {data!r} into a pipe")
    code, shown = on_screen(desk, ["get", "-q", "--raw", "-n", "a", *desk.secret])
    t.check(code == 0 and shown == data, f"get --raw shows {shown!r}, not {data!r}")


def run(rows, context, desk):
    draw = random.Random(context.seed)
    with tally(rows, PART, f"{len(HARMFUL)} harmful characters in names, values and keys, shown") as t:
        most = HARMFUL if not context.short else draw.sample(HARMFUL, 3)
        few = [character for character in most if ord(character) < 0xE0000]
        few += draw.sample(most, 1 if context.short else 8)  # the tags are many, and all alike
        for start in range(0, len(few), 40):
            in_vault(t, desk, few[start:start + 40])
        in_vault(t, desk, SEQUENCES if not context.short else draw.sample(SEQUENCES, 2))
    with tally(rows, PART, "the same in all other words, paths and variables") as t:
        words = [character for character in HARMFUL if character != "\0"]
        for text in draw.sample(words, 0 if context.short else 10) + draw.sample(SEQUENCES, 1 if context.short else 14):
            said(t, desk, text)
    with tally(rows, PART, "bytes that are no UTF-8, C1 controls among them") as t:
        every = [bytes([number]) for number in range(0x80, 0x100)]
        every += [b"\x9b31m", b"\xc0\x9b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]
        for data in draw.sample(every, 1) if context.short else every[::4] + every[-4:]:
            bytes_that_are_no_text(t, desk, data)
