"""Metadata: controls between the edges, keys that are nearly the same, and what is not compared with slots."""

from kit.primitives import public_key
from kit.slots import CODE, FORMER_OWNER, OWNER as SLOT_OWNER, RECIPIENT, STRANGER, recipient_slot
from kit.vault import BASIC, Vault
from scenarios.code_digits import flipped
from scenarios.metadata import CURRENT, DIGEST, OWNER, Area
from scenarios.metadata_people import person


def add(vectors):
    names(vectors)
    area = Area(vectors, "metadata_recipients")
    for name, what, at, bit in (
        ("first_byte_differs", "the first byte", 0, 0), ("middle_byte_differs", "byte 16", 16, 0),
        ("top_bit_differs", "the top bit, which makes no other point", 31, 7),
    ):
        area.fine(name, f"Two keys that differ in {what}.",
            {"owner": OWNER, "recipients": [person(), person(2, key=flipped(b"\1" * 32, at, bit))]})
    for at in (7, 8):
        Area(vectors, "metadata_modified").fine(f"stale_byte_{at}",
            f"Byte {at} of the digest is another, so the length does not count.", {"modified": flipped(DIGEST, at)})
    slots(vectors)


def names(vectors):
    """U+0081 to U+009E, where the tests of the edges end."""
    for code in (0x81, 0x85, 0x9B, 0x9E):
        name = f"a{chr(code)}b"
        for area, key, metadata in (
            ("removed", "name", {"removed": {name: 1}}),
            ("previous", "name", {**CURRENT, "previous": {name: {"saved": 1, "value": 1}}}),
            ("recipients", "label", {"owner": OWNER, "recipients": [person(label=name)]}),
        ):
            Area(vectors, f"metadata_{area}").bad(f"{key}_c1_u{code:04x}", f"U+{code:04X} within a {key}.", metadata)


def slots(vectors):
    """Nothing of the metadata is compared with the slots."""
    master = Vault().file().master
    mine = recipient_slot(master)
    both = (mine, recipient_slot(master, recipient=public_key(STRANGER)))

    def fine(name, comment, metadata, slots, **words):
        vectors.add("metadata_slots_" + name, comment, "success", Vault(BASIC, metadata, slots=slots).file(), **words)

    other = {"owner": FORMER_OWNER, "recipients": [person(key=RECIPIENT)]}
    fine("other_owner", "owner is not the owner of the slot.", other, [mine])
    fine("other_owner_code", "The same, by the code of that slot.", other, [mine], code=CODE, slot=0)
    fewer = {"owner": SLOT_OWNER, "recipients": [person(key=RECIPIENT)]}
    fine("fewer_recipients", "Two slots, and one recipient.", fewer, both)
    fine("fewer_recipients_code", "Two slots, and one recipient; the other's slot is opened.",
        {"owner": SLOT_OWNER, "recipients": [person(key=public_key(STRANGER))]}, both, code=CODE, slot=0)
    fine("no_recipients", "A slot, and no recipient.", {"owner": SLOT_OWNER, "recipients": []}, [mine])
    fine("other_recipients", "A recipient for each slot, in another order.", {"owner": SLOT_OWNER, "recipients": [
        person(1, key=public_key(STRANGER)), person(2, key=RECIPIENT)]}, both)
