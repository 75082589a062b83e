"""The header of a vector, read strictly (FileFormat.md, "Test vectors"): a misspelt word switches off no comparison."""

import re
import unicodedata

import coffer_audit

SECRETS = ("passphrase", "passphrase-hex", "recovery-code")
KNOWN = ("known-vault-id", "known-generation", "known-check", "known-commitment", "known-replaced", "known-path-id")
WORDS = (  # in this order ("Test vectors")
    "comment", "expect", "field", "value", "bound", *SECRETS, "append-zeros", *KNOWN, "seed", "fingerprint",
    "recipient-secret", "recipient-public", "slot", "slot-key", "master", "commitment", "sealing-key", "nonce",
    "random32", "check", "vault-id", "generation", "settings-length", "metadata-length", "padding-length", "settings",
    "metadata", "settings-json", "metadata-json",
)
CLASSES = {"success", *coffer_audit.EXIT_CODES} - {"notEnoughMemory", "ioError", "noVault"}
FRESHNESS = {"replaced", "rolledBack", "forked", "rekeyed"}
CONTENTS = {"success", *FRESHNESS}
OPENED = {"invalidContents", *CONTENTS}
NUMBERS = {"value", "bound", "append-zeros", "known-generation", "slot", "generation", "settings-length",
           "metadata-length", "padding-length"}
TEXTS = {"comment", "expect", "field", *SECRETS, "settings-json", "metadata-json"}
BYTES = {"known-vault-id": 16, "known-path-id": 16, "seed": 16, "fingerprint": 16, "vault-id": 16, "nonce": 24}


def need(good, why):
    if not good:
        raise ValueError(why)


def has_control(text):
    return any(unicodedata.category(character) == "Cc" for character in text)


def check_value(word, value):
    """The form of what stands after a word."""
    if word in NUMBERS:
        good = re.fullmatch("0|[1-9][0-9]{0,19}", value) and int(value) < 1 << 64
    elif word not in TEXTS:
        good = re.fullmatch("[0-9a-f]{%d}" % (2 * BYTES.get(word, 32)), value)
    elif word == "passphrase-hex":
        good = re.fullmatch("none|([0-9a-f]{2})+", value)
    elif word == "passphrase":
        good = value == value.strip(" ") == unicodedata.normalize("NFC", value) and not has_control(value)
    elif word == "comment":
        good = not has_control(value)
    else:
        good = word != "expect" or value in CLASSES
    need(good, f"{word} cannot be {value!r}")


def places(words):
    """The words by where they have to be and where they may be: pairs of some, and whether it is here."""
    expect, code = words["expect"], "recovery-code" in words
    yield "field", expect in ("limitExceeded", "unsupportedFeature")
    yield "value", expect in ("limitExceeded", "unsupportedFeature", "unsupportedVersion")
    yield "bound", expect == "limitExceeded"
    yield "known-generation known-check known-commitment", "known-vault-id" in words
    yield "seed fingerprint", code and expect != "refused"
    yield "recipient-secret recipient-public slot slot-key", code and expect == "success"
    yield "master commitment", expect == "tampered" or expect in OPENED
    yield "sealing-key nonce", expect in OPENED
    yield "vault-id generation", expect in CONTENTS
    yield "check settings-length metadata-length padding-length settings", expect == "success"
    yield "metadata", int(words.get("metadata-length", 0)) > 0
    for name in ("settings", "metadata"):
        yield f"{name}-json", 0 < int(words.get(f"{name}-length", 0)) <= 4_096


def check_places(words):
    for some, here in places(words):
        for word in some.split():
            need((word in words) == here, f"{word} is missing" if here else f"{word} does not belong there")
    expect = words["expect"]
    need("known-vault-id" in words or expect not in FRESHNESS - {"replaced"}, "known-vault-id is missing")
    need("known-path-id" in words or expect != "replaced", "known-path-id is missing")
    need("known-vault-id" in words or not words["known-replaced"], "known-replaced without known-vault-id")
    need("random32" not in words or expect in OPENED, "random32 does not belong there")
    of_size = expect in ("notAVault", "unsupportedVersion", "damaged") or words.get("field") == "size"
    need("append-zeros" not in words or of_size, "append-zeros does not belong there")


def parse_vector(data):
    """The words of a vector, known-replaced as a list, and the bytes of its vault."""
    header, separator, vault = data.partition(b"\n\n")
    need(separator, "no empty line after the header")
    words, last = {"known-replaced": []}, -1
    for line in header.decode().split("\n"):
        word, separator, value = line.partition(": ")
        need(word in WORDS and separator and value, f"no word and value of a vector: {line!r}")
        place, again = WORDS.index(word), word == "known-replaced"
        need(place > last or place == last and again, f"{word} is there twice or out of order")
        check_value(word, value)
        last = place
        words[word] = words[word] + [value] if again else value
    need("comment" in words and "expect" in words, "no comment, or no class")
    need(sum(word in words for word in SECRETS) == 1, "not exactly one passphrase or code")
    check_places(words)
    return words, vault
