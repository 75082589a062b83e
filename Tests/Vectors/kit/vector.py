"""Vectors as files: header lines, an empty line, the bytes of the vault."""

import hashlib
import re

from kit.primitives import PASSPHRASE
from kit.slots import slot_key
from kit.values import json_line
from kit.vault import File

FRESHNESS = ("rolledBack", "forked", "replaced", "rekeyed")
OPENED = ("success", "invalidContents") + FRESHNESS
CLASSES = OPENED + (
    "notAVault", "unsupportedVersion", "unsupportedFeature", "damaged", "limitExceeded", "wrongPassphrase", "tampered",
    "noMatchingSlot", "refused")
SHOWN = 4_096  # the most bytes of a list whose value is written out


def plain(text):
    """Whether a passphrase can stand in a line as it is."""
    return re.fullmatch(rb"[!-~]([ -~]*[!-~])?", text)


class Known:
    """What a reader knows of a vault, and of the path, before it opens the file."""

    def __init__(self, file=None, *, replaced=(), path=None, **changes):
        self.replaced, self.path = replaced, path
        self.seen = {}
        if file is not None:
            self.seen = {
                "vault-id": file.vault.vault_id, "generation": file.vault.generation, "check": file.data[-32:],
                "commitment": file.commitment, **changes}

    def lines(self):
        for word, value in self.seen.items():
            yield f"known-{word}", value
        for commitment in self.replaced:
            yield "known-replaced", commitment
        if self.path is not None:
            yield "known-path-id", self.path


class Vectors:
    """The vectors by their names."""

    def __init__(self):
        self.files = {}

    def add(
        self, name, comment, expect, file, *, passphrase=PASSPHRASE, code=None, slot=None, field=None, value=None,
        bound=None, zeros=None, known=None,
    ):
        """One vector. `file` is a File, or plain bytes where its maker knows nothing about them."""
        assert re.fullmatch(r"[a-z0-9_-]+", name) and name not in self.files, name
        assert expect in CLASSES and "\n" not in comment, name
        data = file.data if isinstance(file, File) else file
        lines = [("comment", comment), ("expect", expect), ("field", field), ("value", value), ("bound", bound)]
        assert (expect == "limitExceeded") == (bound is not None), name
        assert (expect in ("limitExceeded", "unsupportedFeature")) == (field is not None), name
        assert (expect in ("limitExceeded", "unsupportedFeature", "unsupportedVersion")) == (value is not None), name
        if code is not None:
            lines.append(("recovery-code", code.text))
        elif plain(passphrase):
            lines.append(("passphrase", passphrase))
        else:
            lines.append(("passphrase-hex", passphrase.hex() or "none"))
        lines.append(("append-zeros", zeros))
        lines += known.lines() if known else []
        if code is not None and code.seed is not None:
            lines += [("seed", code.seed), ("fingerprint", code.fingerprint)]
        if code is not None and expect == "success":
            number, contents = slot, file.vault.slots[slot][4:]
            lines += [("recipient-secret", code.secret), ("recipient-public", code.public)]
            lines += [("slot", number), ("slot-key", slot_key(code, contents))]
        if expect in OPENED + ("tampered",):
            lines += [("master", file.master), ("commitment", data[file.header_len:][:32])]
        if expect in OPENED:
            lines += opened(file, expect)
        self.files[name] = header(lines) + b"\n" + data


def opened(file, expect):
    """What is known of a file whose box opens."""
    vault = file.vault
    assert file.data == vault.file().data, "a file that was edited does not open"
    yield from (("sealing-key", file.sealing_key), ("nonce", file.nonce))
    yield "random32", None if vault.nonce else vault.random32
    if expect == "invalidContents":
        return
    if expect == "success":
        yield "check", file.data[-32:]
    yield from (("vault-id", vault.vault_id), ("generation", vault.generation))
    if expect != "success":
        return
    used = 32 + len(file.settings) + len(file.metadata)
    yield from (("settings-length", len(file.settings)), ("metadata-length", len(file.metadata)))
    yield "padding-length", len(file.plaintext) - used
    yield "settings", hashlib.sha256(file.settings).digest()
    yield "metadata", hashlib.sha256(file.metadata).digest() if file.metadata else None
    yield "settings-json", json_line(vault.settings) if len(file.settings) <= SHOWN else None
    yield "metadata-json", json_line(vault.metadata) if 0 < len(file.metadata) <= SHOWN else None


def header(lines):
    result = b""
    for word, value in lines:
        if value is None:
            continue
        if isinstance(value, bytes) and word != "passphrase":
            value = value.hex()
        value = value if isinstance(value, bytes) else str(value).encode()
        assert value and b"\n" not in value, word
        result += word.encode() + b": " + value + b"\n"
    return result
