"""Recipients, their slots and their codes."""

import dataclasses
import hashlib

from kit.primitives import blake2b, public_key, secretbox, u16, x25519

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
OWNER = hashlib.sha256(b"owner").digest()
FORMER_OWNER = hashlib.sha256(b"former owner").digest()
STRANGER = hashlib.sha256(b"stranger").digest()
SEED = bytes(range(0x40, 0x50))
OTHER_SEED = bytes(range(0x50, 0x60))


def fingerprint(owner_public):
    return blake2b("coffer1-owner", owner_public, size=16)


def written(seed, owner_fingerprint, checksum=None):
    raw = seed + owner_fingerprint
    raw += checksum or blake2b("coffer1-code", raw, size=16)[:3]
    number = int.from_bytes(raw, "big")
    digits = "".join(DIGITS[number >> shift & 31] for shift in range(8 * len(raw) - 5, -1, -5))
    return "-".join(["COFFER1"] + [digits[at:at + 4] for at in range(0, len(digits), 4)])


@dataclasses.dataclass(frozen=True)
class Code:
    """A code as it is typed, and what it says; `seed` is None where it says nothing."""

    text: str
    seed: bytes = None
    fingerprint: bytes = None

    @property
    def secret(self):
        return blake2b("coffer1-recover", self.seed)

    @property
    def public(self):
        return public_key(self.secret)

    def typed(self, text):
        return dataclasses.replace(self, text=text)


def code(seed=SEED, owner=OWNER, owner_public=None):
    owner_fingerprint = fingerprint(owner_public or public_key(owner))
    return Code(written(seed, owner_fingerprint), seed, owner_fingerprint)


CODE = code()
RECIPIENT = CODE.public


def slot(kind, data, length=None):
    return u16(kind) + u16(len(data) if length is None else length) + data


def recipient_slot(
    master, *, recipient=RECIPIENT, owner=OWNER, random32=b"\x22" * 32, owner_public=None, ephemeral_public=None,
    first=None, second=None, kind=1,
):
    """A slot as an owner makes it. `first` and `second` take the place of the two shared secrets."""
    ephemeral = blake2b("coffer1-slote", random32 + master + recipient, owner)
    owner_public = owner_public or public_key(owner)
    ephemeral_public = ephemeral_public or public_key(ephemeral)
    first = x25519(ephemeral, recipient) if first is None else first
    second = x25519(owner, recipient) if second is None else second
    key = blake2b("coffer1-slotk", first + second + owner_public + ephemeral_public + recipient)
    return slot(kind, owner_public + ephemeral_public + secretbox(master, bytes(24), key))


def slot_key(code, data):
    """The key of a slot as its recipient computes it, from the 112 bytes of the data."""
    owner, ephemeral = data[:32], data[32:64]
    shared = x25519(code.secret, ephemeral) + x25519(code.secret, owner)
    return blake2b("coffer1-slotk", shared + owner + ephemeral + code.public)
