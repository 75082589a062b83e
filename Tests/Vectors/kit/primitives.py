"""The derivations of the format, and the numbers that all vectors share."""

import functools
import hashlib

import argon2.low_level
import nacl.bindings

MAGIC = b"\x89COFR\r\n\x1a"
PASSPHRASE = b"correct horse battery staple"
SALT = bytes(range(16))
RANDOM = bytes(range(0x80, 0xA0))
VAULT_ID = bytes(range(0x30, 0x40))


def blake2b(label, data, key=b"", size=32):
    return hashlib.blake2b(data, digest_size=size, key=key, person=label.encode().ljust(16, b"\0")).digest()


def u16(value):
    return value.to_bytes(2, "little")


def u32(value):
    return value.to_bytes(4, "little")


def u64(value):
    return value.to_bytes(8, "little")


@functools.cache
def argon2id(passphrase, salt, ops, mem):
    """The master key. Kept, since nearly all vectors have the same."""
    return argon2.low_level.hash_secret_raw(passphrase, salt, ops, mem, 1, 32, argon2.low_level.Type.ID, 19)


def secretbox(message, nonce, key):
    return nacl.bindings.crypto_secretbox(message, nonce, key)


def public_key(secret):
    return nacl.bindings.crypto_scalarmult_base(secret)


def x25519(secret, point):
    return nacl.bindings.crypto_scalarmult(secret, point)


def with_check(body):
    """Anybody can do this: the check has no key."""
    return body + blake2b("coffer-check", body)


def pad(used):
    if used <= 65_536:
        size = 4_096
        while size < used:
            size *= 2
        return size
    exponent = used.bit_length() - 1
    step = 2 ** (exponent - exponent.bit_length())
    return (used + step - 1) // step * step
