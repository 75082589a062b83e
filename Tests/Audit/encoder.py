"""The Encoder, which no reader needs: files, slots and recovery codes. Quoted titles are sections of FileFormat.md."""

import base64
import struct

from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base, crypto_secretbox

from vault_file import BASE32, CROCKFORD, MAGIC, B, pad


def make_plaintext(vault_id, generation, settings_bytes, metadata_bytes=b""):
    """ "Sealing", step 1"""
    inner_header = struct.pack("<16sQII", vault_id, generation, len(settings_bytes), len(metadata_bytes))
    plaintext = inner_header + settings_bytes + metadata_bytes
    return plaintext.ljust(pad(len(plaintext)), b"\0")


def kdf_block(ops, mem, salt):
    return struct.pack("<BBHII", 1, 1, 0, ops, mem) + salt


def seal(master, kdf_block, slots, plaintext, random32):
    """ "Sealing", steps 2 to 6; `slots` are whole slots."""
    nonce = B("coffer1-nonce", random32 + plaintext, key=master, n=24)
    file = MAGIC + struct.pack("<HH", 1, 72 + sum(map(len, slots))) + kdf_block + nonce
    file += struct.pack("<IHH", 16 + len(plaintext), len(slots), 0) + b"".join(slots)
    file += B("coffer1-commit", kdf_block, key=master)
    file += crypto_secretbox(plaintext, nonce, B("coffer1-seal", file, key=master))
    return file + B("coffer-check", file)


def recipient_keys(seed):
    """ "Slots: recovery and sharing" """
    secret = B("coffer1-recover", seed)
    return secret, crypto_scalarmult_base(secret)


def make_slot(owner_sk, recipient_pk, master, random32):
    eph_sk = B("coffer1-slote", random32 + master + recipient_pk, key=owner_sk)
    owner_pk, eph_pk = crypto_scalarmult_base(owner_sk), crypto_scalarmult_base(eph_sk)
    shared = crypto_scalarmult(eph_sk, recipient_pk) + crypto_scalarmult(owner_sk, recipient_pk)
    k = B("coffer1-slotk", shared + owner_pk + eph_pk + recipient_pk)
    return struct.pack("<HH", 1, 112) + owner_pk + eph_pk + crypto_secretbox(master, bytes(24), k)


def make_code(seed, fingerprint):
    """ "Recovery codes" """
    raw = seed + fingerprint + B("coffer1-code", seed + fingerprint, n=16)[:3]
    digits = base64.b32encode(raw).translate(bytes.maketrans(BASE32, CROCKFORD)).decode()
    return "-".join(["COFFER1"] + [digits[i:i + 4] for i in range(0, 56, 4)])
