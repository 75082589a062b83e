"""The language of the caller, which nothing that is said or written hangs on."""

import random
import re

from checks.verbs import VERBS
from kit.row import tally

LANGUAGES = [
    {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LANG": "C", "LC_ALL": ""}, {"LC_ALL": "de_DE.ISO-8859-1"},
    {"LC_ALL": "nonsense"}, {"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "../../tmp", "LANG": "\x1b[31m"},
    {"LC_ALL": "", "LANGUAGE": "de", "TZ": "nonsense"},
]


def spoken(desk, language):
    """All that is said and written in a language, without the times."""
    texts = []
    desk.reset()
    sequence = [
        (["set", "größe/日本"], "wörth".encode()), (["get", "größe/日本"], b""),
        (["get", "--json", "gro\u0308ße/日本"], b""),
        (["list"], b""), (["list", "--json"], b""), (["get", "nicht-dä"], b""),
        (["rename", "größe/日本", "İıŞ"], b""),
        (["get", "İıŞ"], b""), (["set", "r", "--type", "real", "--value", "1234567.5"], b""), (["get", "r"], b""),
        (["set", "d", "--type", "date", "--value", "2024-02-29T12:00:00Z"], b""), (["get", "d"], b""),
        (["inspect"], b""),
    ]
    calls = [([*words, *desk.secret], data) for words, data in sequence]
    calls += [(verb.words(desk), b"") for verb in VERBS if not verb.way]
    for words, data in calls:
        if words[0] == "agent":
            continue
        done = desk.coffer(words, data, environment=language)
        text = re.sub(rb"[0-9a-f]{12,}|[0-9]+", b"#", done.out + b"|" + done.err)
        texts.append((" ".join(map(str, words[:2])), done.code, text))
    return texts


def said_alike(t, desk, language, usual):
    for before, after in zip(usual, spoken(desk, language)):
        t.check(before == after, f"{language}: {after}, not {before}")


def run(rows, context, desk):
    with tally(rows, "environment", "LANG, LC_ALL, TZ: C, POSIX, unknown, hostile: the same bytes") as t:
        draw = random.Random(context.seed)
        usual = spoken(desk, {})
        t.check(all(code in (0, 16) for _, code, _ in usual), f"usual: {[text for text in usual if text[1]]}")
        for language in draw.sample(LANGUAGES, 1) if context.short else LANGUAGES:
            said_alike(t, desk, language, usual)
