"""Slots: their walk through the header, and what makes one count."""

from kit.primitives import public_key
from kit.slots import (
    CODE, FORMER_OWNER, OTHER_SEED, OWNER, RECIPIENT, STRANGER, Code, code, recipient_slot, slot, written, x25519)
from kit.vault import Vault

MASTER = Vault().file().master
GOOD = recipient_slot(MASTER)
SALT = bytes(range(16, 32))
OTHER_MASTER = Vault(salt=SALT).file().master
LOW_ORDER = {
    "zero": bytes(32), "one": b"\1" + bytes(31),
    "order_8": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "minus_one": bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
}


def add(vectors):
    walk(vectors)

    def opens(name, comment, number, *slots, code=CODE, **changes):
        vectors.add("slot_" + name, comment, "success", Vault(slots=slots, **changes).file(), code=code, slot=number)

    def none(name, comment, *slots, code=CODE, **changes):
        vectors.add("slot_" + name, comment, "noMatchingSlot", Vault(slots=slots, **changes).file(), code=code)

    stranger = recipient_slot(MASTER, recipient=public_key(STRANGER))
    others = recipient_slot(OTHER_MASTER)
    unknown = slot(2, GOOD[4:])
    opens("only", "One slot, for this code.", 0, GOOD)
    opens("second", "The second slot is for this code.", 1, stranger, GOOD)
    opens("sixteenth", "The last of the most slots there can be.", 15, *[stranger] * 15, GOOD)
    opens("twice", "The same slot twice: the first counts.", 0, GOOD, GOOD)
    opens("two_for_one", "Two slots for one recipient: the first counts.", 0, GOOD,
          recipient_slot(MASTER, random32=b"\x33" * 32))
    opens("after_unknown", "A slot of an unknown type is skipped.", 1, slot(9, b"later"), GOOD)
    opens("after_empty_unknown", "A slot of an unknown type without data is skipped.", 1, slot(0, b""), GOOD)
    opens("after_other_master", "A slot that opens to another master does not count; the next does.", 1, others, GOOD)
    opens("after_broken", "A slot whose box is broken does not open; the next does.", 1, GOOD[:-1] + b"\0", GOOD)
    opens("after_low_order", "A slot with a point of low order does not open; the next does.", 1,
          low_ephemeral(bytes(32)), GOOD)
    opens("after_other_owner", "A slot of another owner, then one of the pinned one.", 1,
          recipient_slot(MASTER, owner=FORMER_OWNER), GOOD)
    opens("without_metadata", "A vault with slots needs no owner in its metadata.", 0, GOOD, metadata={"x": 1})
    people = [{"key": public_key(STRANGER), "label": "first"}, {"key": RECIPIENT, "label": "second"}]
    opens("from_metadata", "With 32 bytes of 22 as the random32 of each, its metadata makes these slots.", 1,
          stranger, GOOD, metadata={"owner": OWNER, "recipients": people})
    opens("dear", "A code opens at the highest cost without paying it.", 0, GOOD, ops=4, mem=1_048_576, master=MASTER)

    none("none", "A vault without slots.")
    none("other_recipient", "The only slot is for another.", stranger)
    none("other_seed", "A code of another seed and the same owner.", GOOD, code=code(OTHER_SEED))
    none("unknown_type", "The data of a slot that would open, under an unknown type.", unknown)
    none("type_257", "The same, under a type whose low byte is 1.", slot(257, GOOD[4:]))
    pinned = int.from_bytes(CODE.fingerprint, "big")
    for name, bit in (("first", 127), ("65th", 63), ("last", 0)):
        near = (pinned ^ 1 << bit).to_bytes(16, "big")
        none(f"pinned_{name}_bit", f"A code in which the {name} bit of the fingerprint is another.", GOOD,
             code=Code(written(CODE.seed, near), CODE.seed, near))
    none("forged", "A stranger's slot: it would open, but its owner is not pinned.",
        recipient_slot(MASTER, owner=STRANGER))
    none("forged_former_owner", "A slot by the owner key from before the vault was refounded.",
         recipient_slot(MASTER, owner=FORMER_OWNER))
    none("forged_pinned_owner", "A stranger claims the pinned owner, and knows public keys only.",
         recipient_slot(MASTER, owner=STRANGER, owner_public=public_key(OWNER)))
    none("forged_one_secret", "The same, with zeros for the secret that is missing.",
         recipient_slot(MASTER, owner_public=public_key(OWNER), second=bytes(32)))
    none("forged_without_second", "The same, with a key from the ephemeral secret alone.",
         recipient_slot(MASTER, owner_public=public_key(OWNER), second=b""))
    none("secrets_swapped", "The two shared secrets in the wrong order.", swapped())
    none("other_master", "The slot opens to the master of another salt.", others)
    none("other_salt", "The salt was another when the slot was made; commitment and box are of the new one.",
         GOOD, salt=SALT)
    for at, name in ((68, "box_first"), (84, "box_key"), (115, "box_last"), (36, "ephemeral")):
        broken = bytearray(GOOD)
        broken[at] ^= 1
        none(f"broken_{name}", f"A bit of the slot is flipped before the vault was sealed: {name.replace('_', ' ')}.",
             bytes(broken))
    for name, point in LOW_ORDER.items():
        none(f"low_order_ephemeral_{name}",
             f"The ephemeral key is of low order, {name}; the box fits a shared secret of zeros.",
             low_ephemeral(point))
    for name in ("zero", "order_8"):
        point = LOW_ORDER[name]
        none(f"low_order_owner_{name}", "The owner key is of low order, and pinned; the box fits a secret of zeros.",
             recipient_slot(MASTER, owner_public=point, second=bytes(32)), code=code(owner_public=point))

    file = Vault(slots=[GOOD]).file()
    for name, offset in (("ops", 16), ("mem", 20), ("salt", 30), ("commitment", file.header_len)):
        vectors.add(f"slot_edited_{name}", f"{name} was edited: the slot opens, but its master does not fit.",
                    "noMatchingSlot", file.flip(offset, 1, check=True), code=CODE)
    vectors.add("slot_edited_nonce", "The slot counts, but the nonce was edited.", "tampered",
                file.flip(50, check=True), code=CODE)
    vectors.add("slot_edited_box", "The slot counts, but the box was edited.", "tampered",
                file.flip(-40, check=True), code=CODE)
    vectors.add("slot_edited_contents", "The slot counts, but the contents are not allowed.", "invalidContents",
                Vault(slots=[GOOD], generation=0).file(), code=CODE)
    vectors.add("slot_passphrase", "A vault with slots, opened by its passphrase.", "success",
                Vault(slots=[stranger, GOOD]).file())
    vectors.add("slot_broken_passphrase", "The passphrase does not look at slots that do not open.", "success",
                Vault(slots=[GOOD[:-1] + b"\0", low_ephemeral(bytes(32)), others]).file())


def low_ephemeral(point):
    return recipient_slot(MASTER, ephemeral_public=point, first=bytes(32))


def swapped():
    from kit.primitives import blake2b
    ephemeral = blake2b("coffer1-slote", b"\x22" * 32 + MASTER + RECIPIENT, OWNER)
    return recipient_slot(MASTER, first=x25519(OWNER, RECIPIENT), second=x25519(ephemeral, RECIPIENT))


def walk(vectors):
    def damaged(name, comment, *slots, **changes):
        vectors.add("slot_" + name, comment, "damaged", Vault(slots=slots, **changes).file())

    def fine(name, comment, *slots, **changes):
        vectors.add("slot_" + name, comment, "success", Vault(slots=slots, **changes).file())

    for kind in (0, 2, 255, 256, 257, 65_535):
        fine(f"of_type_{kind}", f"A slot of type {kind}, which is unknown, of 3 bytes.", slot(kind, b"abc"))
    fine("unknown_empty", "A slot of an unknown type without data.", slot(7, b""))
    fine("unknown_112", "A slot of an unknown type with as many bytes as type 1 has.", slot(7, bytes(112)))
    fine("unknown_long", "An unknown slot that needs both bytes of its length.", slot(7, bytes(0x0201)))
    for length in (0, 1, 111, 113, 112 + 256):
        damaged(f"type_1_of_{length}", f"A slot of type 1 with {length} bytes.",
            slot(1, GOOD[4:116].ljust(length, b"\0")[:length]))
    damaged("type_1_short_second", "The second slot of type 1 is a byte short.", GOOD, slot(1, GOOD[4:-1]))
    damaged("type_1_long_length", "The length of a slot of type 1 is 0x0170, of its data 0x70.",
        slot(1, GOOD[4:], 0x170))
    damaged("past_header", "A slot whose data go on a byte after the header.", slot(7, b"abc", 4))
    damaged("past_header_far", "A slot whose length is the largest there is.", slot(7, b"abc", 65_535))
    damaged("past_header_second", "The second slot goes on after the header.", slot(7, b"abc"), slot(7, b"abc", 5))
    damaged("data_missing", "Type and length are the last of the header.", slot(7, b"", 1))
    for length in (1, 2, 3):
        damaged(f"head_of_{length}", f"{length} bytes where a slot begins: no room for type and length.",
                slot(7, b"")[:length], slot_count=1)
    damaged("ends_before_header", "A byte of the header is left over after the last slot.", slot(7, b"abcd", 3))
    damaged("left_over_4", "Four bytes of the header, a slot without data, are left over.", slot(7, b""), slot(7, b""),
            slot_count=1)
    damaged("count_0_of_1", "A slot, but slot_count is 0.", GOOD, slot_count=0)
    damaged("count_1_of_2", "Two slots, but slot_count is 1.", GOOD, GOOD, slot_count=1)
    damaged("count_2_of_1", "One slot, but slot_count is 2.", GOOD, slot_count=2)
    damaged("count_1_of_0", "No slot, but slot_count is 1.", slot_count=1)
    damaged("count_16_of_0", "No slot, but slot_count is the largest there is.", slot_count=16)
    for header_len in (0, 1, 40, 71):
        damaged(f"header_len_{header_len}", f"header_len is {header_len}; the file has the size that this gives.",
                header_len=header_len, box_len=4_112 + 72 - header_len)
    damaged("header_len_71_only", "header_len is 71, and all else as for 72.", header_len=71)
    damaged("header_len_73", "header_len is 73, and all else as for 72.", header_len=73)
    damaged("header_len_73_shifted", "header_len is 73, and the file has the size that this gives.", header_len=73,
            box_len=4_111 + 4_096, padding=bytes(8_192 - 114))
    damaged("header_len_328", "The high byte of header_len is 1.", header_len=0x0148)
    damaged("header_len_extra", "A zero between fields and commitment, and no slot; the file is whole.", b"\0",
        slot_count=0)
    damaged("header_len_low_slot", "header_len is 72, but there is a slot.", GOOD, header_len=72)
