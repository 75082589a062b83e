"""Metadata: the history and the list itself, in each way that is wrong, and what is kept or ignored."""

from kit.primitives import blake2b
from kit.property_list import assemble, canonical, dictionary, nodes, objects
from kit.values import Date, Pairs, Raw, Real
from kit.vault import BASIC, Vault

DIGEST = blake2b("coffer1-ages", canonical(BASIC), size=16)
TIMES = b"".join(t.to_bytes(8, "little") for t in (1_700_000_000_000, 0, 1_800_000_000_000))
OWNER = bytes(range(32))
CURRENT = {"modified": DIGEST + TIMES}
OTHER_TYPES = {
    "string": "1", "integer": 1, "real": Real(1.0), "true": True, "date": Date(0.0), "data": bytes(40), "array": [],
    "dictionary": {}}


def without(dictionary, key):
    return {k: v for k, v in dictionary.items() if k != key}


class Area:
    """The scenarios of one key; its name begins each comment."""

    def __init__(self, vectors, name):
        self.vectors, self.name = vectors, name
        self.key = name.rpartition("_")[2]

    def add(self, name, comment, expect, metadata, settings):
        self.vectors.add(f"{self.name}_{name}", f"{self.key}: {comment}", expect, Vault(settings, metadata).file())

    def fine(self, name, comment, metadata, settings=BASIC):
        self.add(name, comment, "success", metadata, settings)

    def bad(self, name, comment, metadata, settings=BASIC):
        self.add(name, comment, "invalidContents", metadata, settings)

    def types(self, good, what, make):
        """Every type but the right ones."""
        for kind in sorted(OTHER_TYPES.keys() - set(good)):
            self.bad(f"{what}_is_{kind}", f"{what.replace('_', ' ')} is of another type: {kind}.",
                make(OTHER_TYPES[kind]))


def add(vectors):
    lists(Area(vectors, "metadata"))
    modified(Area(vectors, "metadata_modified"))
    removed(Area(vectors, "metadata_removed"))
    previous(Area(vectors, "metadata_previous"))


def lists(area):
    area.fine("empty", "An empty dictionary.", {})
    area.fine("unknown", "Unknown keys of every type are kept.", OTHER_TYPES)
    area.fine("keys", "Keys of metadata are any strings.", {"": 1, "\n": 2, "\x7f": 3, "k" * 1_025: 4})
    area.fine("similar_keys", "Keys that look like known ones.", {
        "Modified": 1, "modified ": 2, "owners": 3, "recipient": 4, "removed\0": 5, "previou": 6})
    area.fine("known_keys_nested", "Known keys elsewhere than in the root are any values.", {
        "x": {"modified": 1, "owner": 2, "recipients": 3}})
    area.bad("array", "The root is an array.", canonical([]))
    area.bad("string", "The root is a string.", canonical("x"))
    area.bad("not_a_list", "Four zeros.", bytes(4))
    area.bad("keys_equal", "One key twice.", Pairs(("x", 1), ("x", 1)))
    area.bad("known_keys_equal", "owner twice.", Pairs(("owner", OWNER), ("owner", OWNER)))
    area.bad("keys_descending", "Keys in the wrong order.", Pairs(("y", 1), ("x", 1)))
    area.bad("integer_in_2", "An integer in 2 bytes where 1 is enough.", {"x": Raw("110001")})
    area.bad("null", "A null.", {"x": Raw("00")})
    area.bad("shared", "Two keys have one value.", assemble(objects(dictionary(1, 2, 3, 3), "x", "y", 1)))
    area.bad("trailer", "A byte of the trailer is 1.", assemble(nodes({"x": 1}), unused=b"\1" + bytes(5)))
    area.bad("offset_width", "Offsets of 2 bytes where 1 is enough.", assemble(nodes({"x": 1}), offset_width=2))

    def nested(depth, inner):
        for _ in range(depth - 2):
            inner = [inner] if isinstance(inner, list) else {"": inner}
        return {"x": inner}

    area.fine("depth_34_arrays", "Depth 34, with arrays.", nested(34, []))
    area.fine("depth_34_dictionaries", "Depth 34, with dictionaries.", nested(34, {}))
    area.bad("depth_35_arrays", "Depth 35, with arrays.", canonical(nested(35, [])))
    area.bad("depth_35_dictionaries", "Depth 35, with dictionaries.", canonical(nested(35, {})))
    area.fine("many", "257 objects.", {"x": [False] * 254})


def modified(area):
    area.fine("only", "Times of three settings.", CURRENT)
    area.fine("negative", "Times below 0 and at both ends of 64 bits.",
              {"modified": DIGEST + b"\xff" * 8 + b"\xff" * 7 + b"\x7f" + bytes(7) + b"\x80"})
    area.fine("no_settings", "No settings, so no times.",
              {"modified": blake2b("coffer1-ages", canonical({}), size=16)}, settings={})
    area.bad("no_settings_but_time", "No settings, but a time.",
             {"modified": blake2b("coffer1-ages", canonical({}), size=16) + bytes(8)}, settings={})
    area.types(("data",), "modified", lambda value: {"modified": value})
    for length in (0, 1, 8, 15):
        area.bad(f"stale_{length}", f"{length} bytes are too few for a digest.", {"modified": bytes(length)})
    area.bad("current_15", "All but the last byte of the right digest.", {"modified": DIGEST[:15]})
    for length in (16, 23, 24, 32, 39, 40, 41, 48):
        if length != 40:
            area.bad(f"current_{length}", f"The right digest, and {length} bytes for three settings.",
                     {"modified": (DIGEST + TIMES + bytes(8))[:length]})
        area.fine(f"stale_{length}", f"Another digest: the times are ignored, of {length} bytes.",
                  {"modified": (b"\xee" * 16 + TIMES + bytes(8))[:length]})
    area.bad("nested_counted", "A time for each key, nested ones too.", {
        "modified": blake2b("coffer1-ages", canonical({"d": {"a": 1, "b": 2}}), size=16) + bytes(24)},
        settings={"d": {"a": 1, "b": 2}})
    area.fine("stale_bit", "The last bit of the digest is another, so the length does not count.",
              {"modified": DIGEST[:15] + bytes([DIGEST[15] ^ 1])})
    area.fine("stale_first_bit", "The first bit of the digest is another, so the length does not count.",
              {"modified": bytes([DIGEST[0] ^ 0x80]) + DIGEST[1:]})


def removed(area):
    one = {"gone": 1_700_000_000_000}
    area.fine("one", "One name.", {"removed": one})
    area.fine("empty", "No name.", {"removed": {}})
    area.fine("existing", "A name that is among the settings: ignored.", {"removed": {"user": 1}})
    area.fine("times", "Times at the edges.", {"removed": {"a": 0, "b": -1, "c": -(2**63), "d": 2**63 - 1}})
    area.fine("name_1024", "A name of 1,024 bytes.", {"removed": {"n" * 1_024: 1}})
    area.fine("name_not_nfc", "A name that is not NFC.", {"removed": {"e\u0301": 1}})
    area.types(("dictionary",), "removed", lambda value: {"removed": value})
    area.types(("integer",), "time", lambda value: {"removed": {"gone": value}})
    names(area, lambda name: {"removed": {name: 1}})
    area.bad("second_name", "Only the second name is not allowed.", {"removed": {"a": 1, "b\n": 1}})
    area.bad("second_time", "Only the second time is of another type.", {"removed": {"a": 1, "b": "1"}})
    area.bad("time_is_pair", "An entry as in previous.", {"removed": {"a": {"saved": 1, "value": 1}}})


def names(area, make):
    for name, text in (
        ("empty", ""), ("1025", "n" * 1_025), ("1025_of_2", "é" * 512 + "n"), ("u0000", "a\0"), ("u001f", "\x1fa"),
        ("u007f", "a\x7f"), ("u0080", "\x80"), ("u009f", "a\x9fb"),
    ):
        area.bad(f"name_{name}", f"A name that is not allowed: {name}.", make(text))
    area.fine("name_edges", "Names at the edges of what is allowed.", make(" ~\u00a0"))


def previous(area):
    entry = {"saved": 1_700_000_000_000, "value": "old"}
    area.fine("one", "One name.", {**CURRENT, "previous": {"user": entry}})
    area.fine("without_modified", "Without modified it is ignored, but legal.", {"previous": {"user": entry}})
    area.fine("stale", "With the digest of other settings it is ignored, but legal.",
              {"modified": b"\xee" * 16, "previous": {"user": entry}})
    area.fine("empty", "No name.", {**CURRENT, "previous": {}})
    area.fine("removed_name", "A name that is not among the settings.", {**CURRENT, "previous": {"gone": entry}})
    area.fine("unknown_in_entry", "Unknown keys in an entry are kept.",
              {**CURRENT, "previous": {"user": {**entry, "": 1, "zzz": [{}]}}})
    for kind, value in OTHER_TYPES.items():
        area.fine(f"value_is_{kind}", f"A value of type {kind}.",
            {**CURRENT, "previous": {"n": {**entry, "value": value}}})
    for number, value in enumerate((0, -1, -(2**63), 2**63 - 1)):
        area.fine(f"saved_{number}", f"The time {value}.", {**CURRENT, "previous": {"n": {**entry, "saved": value}}})
    area.types(("dictionary",), "previous", lambda value: {**CURRENT, "previous": value})
    area.types((), "entry", lambda value: {**CURRENT, "previous": {"user": value}})
    area.types(("integer",), "saved", lambda value: {**CURRENT, "previous": {"user": {**entry, "saved": value}}})
    area.bad("saved_missing", "An entry without saved.", {**CURRENT, "previous": {"user": without(entry, "saved")}})
    area.bad("value_missing", "An entry without value.", {**CURRENT, "previous": {"user": without(entry, "value")}})
    area.bad("value_similar", "An entry whose value has another key.",
             {**CURRENT, "previous": {"user": {"saved": 1, "values": 1}}})
    area.bad("second_entry", "Only the second entry lacks its value.",
             {**CURRENT, "previous": {"n": entry, "user": without(entry, "value")}})
    area.bad("stale_value_missing", "An entry without value is refused, also where it would be ignored.",
             {"previous": {"user": without(entry, "value")}})
    names(area, lambda name: {**CURRENT, "previous": {name: entry}})
    area.bad("stale_name", "A name that is not allowed is refused, also where it would be ignored.",
             {"previous": {"\n": entry}})

    deep = []
    for _ in range(30):
        deep = [deep]
    area.fine("deep", "A value whose innermost container is at depth 34.",
        {**CURRENT, "previous": {"n": {**entry, "value": deep}}})
    area.bad("too_deep", "A value whose innermost container is at depth 35.",
             canonical({**CURRENT, "previous": {"n": {**entry, "value": [deep]}}}))
