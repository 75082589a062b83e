"""A vault of which everything can be said otherwise: what is not given is as the format wants it."""

import dataclasses

from kit.primitives import (
    MAGIC, PASSPHRASE, RANDOM, SALT, VAULT_ID, argon2id, blake2b, pad, secretbox, u16, u32, u64, with_check)
from kit.property_list import canonical

BASIC = {"n": 7, "token": "s3cr3t", "user": "alice"}


@dataclasses.dataclass(frozen=True)
class File:
    """The bytes, and what their maker knows about them."""

    data: bytes
    vault: "Vault"
    master: bytes
    commitment: bytes
    sealing_key: bytes
    nonce: bytes
    plaintext: bytes
    settings: bytes
    metadata: bytes

    def but(self, data):
        return dataclasses.replace(self, data=bytes(data))

    def rechecked(self):
        return self.but(with_check(self.data[:-32]))

    def put(self, offset, new, *, check=True):
        """Overwrites bytes; counted from the end if the offset is negative."""
        data = bytearray(self.data)
        offset = offset if offset >= 0 else len(data) + offset
        data[offset:offset + len(new)] = new
        assert len(data) == len(self.data) and data != self.data
        changed = self.but(data)
        return changed.rechecked() if check else changed

    def flip(self, offset, bit=0, *, check):
        return self.put(offset, bytes([self.data[offset] ^ 1 << bit]), check=check)

    @property
    def header_len(self):
        return int.from_bytes(self.data[10:12], "little")


@dataclasses.dataclass(frozen=True)
class Vault:
    settings: object = dataclasses.field(default_factory=lambda: BASIC)  # a value, or the bytes of a list
    metadata: object = None
    passphrase: bytes = PASSPHRASE
    version: int = 1
    header_len: int = None
    kdf: int = 1
    cipher: int = 1
    flags: int = 0
    ops: int = 1
    mem: int = 8_192
    salt: bytes = SALT
    master: bytes = None  # given where the derivation would be dear, or is another's
    random32: bytes = RANDOM
    nonce: bytes = None
    box_len: int = None
    slots: tuple = ()
    slot_count: int = None
    reserved: int = 0
    commitment: bytes = None
    vault_id: bytes = VAULT_ID
    generation: int = 1
    settings_len: int = None
    metadata_len: int = None
    padding: bytes = None
    tail: bytes = b""  # between box and check

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def file(self):
        def or_else(given, normal):
            return normal if given is None else given

        settings = self.settings if isinstance(self.settings, bytes) else canonical(self.settings)
        metadata = or_else(self.metadata, b"")
        metadata = metadata if isinstance(metadata, bytes) else canonical(metadata)
        inner = self.vault_id + u64(self.generation)
        inner += u32(or_else(self.settings_len, len(settings))) + u32(or_else(self.metadata_len, len(metadata)))
        used = inner + settings + metadata
        plaintext = used + or_else(self.padding, bytes(pad(len(used)) - len(used)))

        block = bytes([self.kdf, self.cipher]) + u16(self.flags) + u32(self.ops) + u32(self.mem) + self.salt
        master = self.master or argon2id(self.passphrase, self.salt, self.ops, self.mem)
        nonce = self.nonce or blake2b("coffer1-nonce", self.random32 + plaintext, master, 24)
        slots = b"".join(self.slots)
        header = MAGIC + u16(self.version) + u16(or_else(self.header_len, 72 + len(slots))) + block + nonce
        header += u32(or_else(self.box_len, 16 + len(plaintext)))
        header += u16(or_else(self.slot_count, len(self.slots))) + u16(self.reserved) + slots
        commitment = or_else(self.commitment, blake2b("coffer1-commit", block, master))
        key = blake2b("coffer1-seal", header + commitment, master)
        body = header + commitment + secretbox(plaintext, nonce, key) + self.tail
        return File(with_check(body), self, master, commitment, key, nonce, plaintext, settings, metadata)
