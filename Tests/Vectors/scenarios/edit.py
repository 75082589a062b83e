"""Edits on purpose, with a check that fits: each part of a vault, parts of two saves, and a box with two keys."""

from kit.salamander import salamander
from kit.slots import CODE, recipient_slot, slot
from kit.vault import BASIC, Vault


def add(vectors):
    master = Vault().file().master
    slots = (recipient_slot(master), slot(9, b"unknown"))
    file = Vault(slots=slots).file()
    end = file.header_len

    def edit(name, what, expect, changed, **words):
        vectors.add("edited_" + name, what, expect, changed, **words)

    edit("ops", "One pass became two.", "wrongPassphrase", file.put(16, b"\x02"))
    edit("mem", "A KiB more of memory.", "wrongPassphrase", file.put(20, b"\x01"))
    edit("salt_first", "The first byte of the salt.", "wrongPassphrase", file.flip(24, check=True))
    edit("salt_last", "The last byte of the salt.", "wrongPassphrase", file.flip(39, check=True))
    for name, offset in (("first", end), ("middle", end + 15), ("last", end + 31)):
        edit(f"commitment_{name}", f"The {name} byte of the commitment.", "wrongPassphrase",
            file.flip(offset, 7, check=True))
    edit("commitment_after_middle", "The byte after the middle of the commitment.", "wrongPassphrase",
        file.flip(end + 16, 7, check=True))
    costly = Vault(ops=2, mem=16_384).file()
    edit("cost_lowered", "Cost that was lowered after the save.", "wrongPassphrase",
         costly.put(16, Vault().file().data[16:24]))
    for name, offset in (
        ("nonce_first", 40), ("nonce_middle", 56), ("nonce_last", 63), ("slot_owner", 76), ("slot_box", 187),
        ("slot_unknown_type", 188), ("slot_unknown_data", end - 1), ("mac_first", end + 32), ("mac_middle", end + 39),
        ("mac_after_middle", end + 40), ("mac_last", end + 47),
        ("box_first", end + 48), ("box_middle", end + 2_000), ("box_last", -33),
    ):
        edit(name, f"A bit in: {name.replace('_', ' ')}.", "tampered", file.flip(offset, check=True))
    edit("mac_and_box", "MAC and ciphertext are all zeros.", "tampered", file.put(end + 32, bytes(4_112)))
    edit("slots_swapped", "The order of the slots.", "tampered",
         file.put(72, slots[1] + slots[0]))
    body = bytearray(file.data)
    body[10:12], body[68:70] = (72 + len(slots[0])).to_bytes(2, "little"), b"\x01\0"
    del body[72 + len(slots[0]):end]
    edit("slot_removed", "The second slot was taken out, and the lengths fit.", "tampered", file.but(body).rechecked())
    edit("slot_removed_code", "The same, opened by the slot that is left.", "tampered", file.but(body).rechecked(),
        code=CODE)
    plain = Vault().file()
    body = bytearray(plain.data)
    body[10:12], body[68:70] = (72 + len(slots[0])).to_bytes(2, "little"), b"\x01\0"
    body[72:72] = slots[0]
    edit("slot_added", "A slot was put into a vault that had none; it would open.", "tampered",
        plain.but(body).rechecked(), code=CODE)
    body = bytearray(plain.data)
    body[64:68] = (8_208).to_bytes(4, "little")
    body[-32:-32] = bytes(4_096)
    edit("box_longer", "Zeros were put after the ciphertext, and box_len fits.", "tampered",
        plain.but(body).rechecked())

    splices(vectors)
    two = salamander()
    vectors.add("salamander_first", "The box opens under two passphrases; the commitment is that of this one.",
        "success", two)
    vectors.add("salamander_second", "The box opens under this passphrase too, but the commitment is that of another.",
                "wrongPassphrase", two, passphrase=b"Tr0ub4dor&3")


def splices(vectors):
    first = Vault().file()
    second = Vault({**BASIC, "n": 8}, generation=2).file()
    other = Vault(salt=bytes(range(16, 32))).file()

    def splice(name, comment, expect, file):
        vectors.add("splice_" + name, comment, expect, file)

    splice("old_box", "The box of the save before in the header of this one.", "tampered",
           second.put(104, first.data[104:-32]))
    slotted = Vault(slots=[slot(9, b"")]).file()
    splice("old_box_nonce", "The box of the save before a slot was added; the nonce is the same.", "tampered",
           slotted.put(108, first.data[104:-32]))
    splice("old_box_unchecked", "The box of the save before, and the check of this one.", "damaged",
           second.put(104, first.data[104:-32], check=False))
    splice("old_check", "This save, with the check of the one before.", "damaged",
           second.put(-32, first.data[-32:], check=False))
    splice("other_block", "The KDF block of another salt, same passphrase.", "wrongPassphrase",
           first.put(24, other.data[24:40]))
    splice("other_block_commitment", "KDF block and commitment of another salt.", "tampered",
           other.put(104, first.data[104:-32]))
    splice("other_commitment", "The commitment of another salt.", "wrongPassphrase", first.put(72, other.data[72:104]))
    splice("other_box", "The box of another salt.", "tampered", first.put(104, other.data[104:-32]))
