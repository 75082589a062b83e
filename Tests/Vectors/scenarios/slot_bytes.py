"""Slots: each part of what is compared by a code, and points that are the same as others, or look odd."""

from kit.primitives import public_key
from kit.slots import CODE, OWNER, RECIPIENT, code, recipient_slot
from kit.vault import Vault
from scenarios.code_digits import flipped

MASTER = Vault().file().master
GOOD = recipient_slot(MASTER)
PRIME = 2**255 - 19


def add(vectors):
    file = Vault(slots=[GOOD]).file()
    for at in (15, 16, 31):
        vectors.add(f"slot_edited_commitment_byte_{at}",
            f"Byte {at} of the commitment was edited: the slot opens, but its master does not fit.", "noMatchingSlot",
            file.flip(file.header_len + at, check=True), code=CODE)
    for at in (7, 8, 15):
        vectors.add(f"slot_mac_byte_{at}", f"A bit in byte {at} of the MAC of the slot's box is flipped.",
            "noMatchingSlot", Vault(slots=[flipped(GOOD, 68 + at)]).file(), code=CODE)

    def opens(name, comment, one, code=CODE):
        vectors.add("slot_" + name, comment, "success", Vault(slots=[one]).file(), code=code, slot=0)

    # X25519 is the same for these points; what is hashed is not.
    ephemeral = flipped(GOOD[36:68], 31, 7)
    opens("ephemeral_top_bit", "eph_pk has the top bit set, and enters the key of the slot with it.",
        recipient_slot(MASTER, ephemeral_public=ephemeral))
    owner = flipped(public_key(OWNER), 31, 7)
    opens("owner_top_bit", "owner_pk has the top bit set, and enters key and fingerprint with it.",
        recipient_slot(MASTER, owner_public=owner), code(owner_public=owner))
    vectors.add("slot_owner_top_bit_not_pinned", "owner_pk has the top bit set; the code pins it without.",
        "noMatchingSlot", Vault(slots=[recipient_slot(MASTER, owner_public=owner)]).file(), code=CODE)
    # The base point, so its shared secret is the recipient's public key.
    base = (PRIME + 9).to_bytes(32, "little")
    opens("ephemeral_not_canonical", "eph_pk is p + 9, the base point with another spelling.",
        recipient_slot(MASTER, ephemeral_public=base, first=RECIPIENT))
    opens("owner_not_canonical", "owner_pk is p + 9, the base point with another spelling, and pinned.",
        recipient_slot(MASTER, owner_public=base, second=RECIPIENT), code(owner_public=base))
    both = flipped(base, 31, 7)
    opens("ephemeral_not_canonical_top_bit", "eph_pk is p + 9 with the top bit set.",
        recipient_slot(MASTER, ephemeral_public=both, first=RECIPIENT))
