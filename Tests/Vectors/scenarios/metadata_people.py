"""Metadata: the owner and the recipients, in each way that is wrong."""

from scenarios.metadata import OWNER, Area, without


def person(number=1, **changes):
    return {"key": bytes([number]) * 32, "label": f"person {number}"} | changes


def add(vectors):
    owner(Area(vectors, "metadata_owner"))
    recipients(Area(vectors, "metadata_recipients"))


def owner(area):
    area.fine("only", "An owner without recipients.", {"owner": OWNER})
    area.fine("zeros", "An owner of zeros: readers do not judge it.", {"owner": bytes(32)})
    area.types(("data",), "owner", lambda value: {"owner": value})
    for length in (0, 31, 33, 64):
        area.bad(f"{length}_bytes", f"An owner of {length} bytes.", {"owner": bytes(length)})
    area.bad("text", "An owner in 32 letters.", {"owner": "o" * 32})


def recipients(area):
    def of(*people):
        return {"owner": OWNER, "recipients": list(people)}

    area.fine("one", "One recipient.", of(person()))
    area.fine("none", "No recipient.", of())
    area.fine("sixteen", "As many as there can be.", of(*map(person, range(16))))
    area.bad("seventeen", "One too many.", of(*map(person, range(17))))
    area.fine("without_slots", "Recipients are not compared with the slots: there are none here.",
        of(person(1), person(2)))
    area.fine("low_order", "A key of low order: readers do not judge it.", of(person(0)))
    area.fine("same_label", "Two recipients with one label.", of(person(1, label="x"), person(2, label="x")))
    area.fine("unknown_in_entry", "Unknown keys in an entry are kept.", of({**person(), "": 1, "zzz": {"a": []}}))
    area.fine("last_byte_differs", "Two keys that differ in the last byte.",
        of(person(), person(2, key=b"\1" * 31 + b"\2")))
    area.bad("without_owner", "Recipients without an owner.", {"recipients": [person()]})
    area.bad("none_without_owner", "No recipient, and no owner.", {"recipients": []})
    area.types(("array",), "recipients", lambda value: {"owner": OWNER, "recipients": value})
    area.types((), "entry", lambda value: of(value))
    area.types(("data",), "key", lambda value: of(person(key=value)))
    area.types(("string",), "label", lambda value: of(person(label=value)))
    for length in (0, 31, 33):
        area.bad(f"key_{length}", f"A key of {length} bytes.", of(person(key=b"\1" * length)))
    area.bad("key_missing", "An entry without key.", of(without(person(), "key")))
    area.bad("label_missing", "An entry without label.", of(without(person(), "label")))
    area.bad("second_label_missing", "Only the second entry lacks its label.",
        of(person(1), without(person(2), "label")))
    area.bad("keys_equal", "Two recipients with one key.", of(person(1), person(1, label="x")))
    area.bad("keys_equal_apart", "The first and the last of three have one key.",
        of(person(1), person(2), person(1, label="x")))
    area.bad("entry_twice", "One recipient twice.", of(person(), person()))
    for name, text in (
        ("empty", ""), ("1025", "n" * 1_025), ("1025_of_2", "é" * 512 + "n"), ("u0000", "a\0"), ("u001b", "\x1b[2J"),
        ("u001f", "a\x1f"), ("u007f", "a\x7f"), ("u0080", "\x80"), ("u009f", "a\x9fb"),
    ):
        area.bad(f"label_{name}", f"A label that is not allowed: {name}.", of(person(label=text)))
    area.fine("label_1024", "A label of 1,024 bytes.", of(person(label="é" * 512)))
    area.fine("label_edges", "A label at the edges of what is allowed.", of(person(label=" ~\u00a0")))
    area.fine("label_not_nfc", "A label that is not NFC.", of(person(label="e\u0301")))
