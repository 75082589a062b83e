"""Vaults that a holder of the key sealed, with lists at and around the limits of the format."""

import array
import itertools
import struct
import sys

from property_list import encode
from vault_file import B

from hostile.probe import Case


def nested(depth, inner):
    """A value whose deepest container is `depth` containers deep."""
    value = inner([])
    for _ in range(depth - 1):
        value = inner([value])
    return value


def known_keys(settings):
    """Metadata whose known keys have good forms and others."""
    ages = B("coffer1-ages", encode(settings), n=16)
    owner, person = {"owner": bytes(32)}, {"key": bytes(32), "label": "r"}
    people = [{"key": bytes([number]) * 32, "label": f"r{number}"} for number in range(17)]
    forms = {
        "modified": [b"", ages[:15], *(ages + bytes(count) for count in (0, 7, 8, 9)), bytes(24), bytes(16), 1],
        "removed": [{}, [], {"b": 1}, {"b": -1}, {"b": 1.0}, {"b": "x"}], "owner": [bytes(31), bytes(33), "x"],
        "previous": [{}, [], {"b": {"saved": 1, "value": 2}}, {"b": {"saved": 1}}, {"b": {"value": 2}}, {"b": []},
                     {"b": {"saved": "x", "value": 2}}, {"": {"saved": 1, "value": 2}}],
        "recipients": [people[:16], people, people[:1] * 2, [{**person, "key": bytes(31)}], [{"key": bytes(32)}],
                       [{**person, "label": ""}], [{**person, "label": b"r"}], [{**person, "x": 1}], [], [1], {}],
    }
    for key, values in forms.items():
        for number, value in enumerate(values):
            yield f"{key} {number}", {key: value}
            yield f"{key} {number} with an owner", {**owner, key: value}


def structure(stock):
    """Lists at and around the limits of depth, names and padding, and metadata whose known keys have other forms."""
    plain = {"a": 1}
    kinds = (list, lambda values: dict(zip("k", values)))
    made = [(f"settings {depth} deep", {"a": nested(depth - 1, kind)}, {})
            for depth in range(30, 36) for kind in kinds]
    made += [(f"metadata {depth} deep", plain, {"x": nested(depth - 1, kind)})
             for depth in range(30, 38) for kind in kinds]
    for name in ("", "a", "a" * 1_024, "a" * 1_025, "\u00e9" * 512, "\u00e9" * 512 + "a", "\U0001f511" * 256, "\0",
                 "a\n", "\x1f", " ", "\x7e", "\x7f", "\x80", "\x9f", "\xa0", "\u00e9\x85", "\ufeff", "\uffff"):
        made += [(f"the name {name[:8]!r}, {len(name)} long", {name: 1}, {}),
                 (f"the nested name {name[:8]!r}, {len(name)} long", {"a": {name: 1}}, {}),
                 (f"the removed name {name[:8]!r}, {len(name)} long", plain, {"removed": {name: 1}})]
    made += [(f"metadata, {what}", plain, found) for what, found in known_keys(plain)]
    for length in (4_064, 8_160, 65_504, 67_552):
        known = len(encode({"d": bytes(length - 100)})) - (length - 100)
        made += [(f"settings of {length + more} bytes", {"d": bytes(length - known + more)}, {}) for more in (-1, 0, 1)]
    for what, settings, metadata in made:
        yield Case("O", stock.sealed(encode(settings), encode(metadata) if metadata else b""), what)


OBJECTS, PLAIN = 4_194_304, 1 << 26  # the most in a list, the most bytes in a box


def listed(count):
    """The encoding of {"a": [True, True, ...]} with so many objects, more than 65,536; `encode` would take minutes."""
    start = b"bplist00\xd1" + struct.pack(">II", 1, 2) + b"\x51a\xaf\x12" + struct.pack(">I", count - 3)
    first = len(start) + 4 * (count - 3)
    references = array.array("I", range(3, count))
    offsets = array.array("I", itertools.chain((8, 17, 19), range(first, first + count - 3)))
    if sys.byteorder == "little":
        references.byteswap()
        offsets.byteswap()
    trailer = struct.pack(">6xBBQQQ", 4, 4, count, 0, first + count - 3)
    return b"".join((start, references.tobytes(), b"\x09" * (count - 3), offsets.tobytes(), trailer))


def largest(stock):
    """As many objects as a list may have, and one less and more; a box that is full to the last byte, and one more."""
    some = 1 << 17
    if listed(some) != encode({"a": [True] * (some - 3)}):
        raise ValueError("this is not the encoding of a list with many objects")
    for count in (OBJECTS - 1, OBJECTS, OBJECTS + 1):
        settings = listed(count)
        said, values = ("success", settings) if count <= OBJECTS else ("invalidContents", None)
        yield Case("O", stock.sealed(settings), f"a list of {count} objects", ((said, None, None, None), values))
    around = len(encode({"d": bytes(1 << 20)})) - (1 << 20)  # its length takes 4 bytes, as do its places
    for more in (-1, 0, 1):
        settings = {"d": bytes(PLAIN - 32 - around + more)}
        yield Case("O", stock.sealed(encode(settings)), f"a box with {more} bytes more than the most")
