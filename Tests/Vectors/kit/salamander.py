"""A box that opens under two keys: Poly1305 is arithmetic modulo 2^130 − 5, so one block can be solved for."""

import itertools

import nacl.bindings
import nacl.exceptions

from kit.primitives import SALT, argon2id, blake2b, secretbox
from kit.vault import Vault

PRIME = 2**130 - 5
TOP = 2**128
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
NONCE = b"\x5a" * 24
SECOND = b"Tr0ub4dor&3"


def number(data):
    return int.from_bytes(data, "little")


def one_time_key(key):
    """The r and s with which a box under this key is authenticated, read off two boxes."""
    s = number(secretbox(b"", NONCE, key)[:16])
    box = secretbox(bytes(16), NONCE, key)
    inverse = pow(number(box[16:]) + TOP, -1, PRIME)
    candidates = [(number(box[:16]) - s + turns * TOP) * inverse % PRIME for turns in range(-1, 5)]
    (r,) = {r for r in candidates if r & CLAMP == r}
    return r, s


def solve(ciphertext, index, keys):
    """The block at the index with which the MAC is the same under both keys, or None."""
    count = len(ciphertext) // 16
    sums, weights = [], []
    for r, _ in keys:
        total = 0
        for at in range(count):
            block = 0 if at == index else number(ciphertext[16 * at:16 * at + 16]) + TOP
            total = (total + block) * r % PRIME
        sums.append(total)
        weights.append(pow(pow(r, count - index, PRIME), -1, PRIME))
    for turns in itertools.product(range(5), repeat=2):
        parts = [(a + s - m * TOP) * w for a, w, (_, s), m in zip(sums, weights, keys, turns)]
        tag = (parts[0] - parts[1]) * pow(weights[0] - weights[1], -1, PRIME) % PRIME
        block = (tag * weights[0] - parts[0]) % PRIME
        if tag < TOP <= block < 2 * TOP:
            return (block - TOP).to_bytes(16, "little")
    return None


def salamander():
    """A whole vault; the sealing key that the second passphrase gives for its header opens the box as well."""
    for trial in itertools.count():
        blob = bytearray(64)
        blob[48:56] = trial.to_bytes(8, "big")
        file = Vault({"salamander": bytes(blob)}, nonce=NONCE).file()
        start = file.plaintext.index(blob)
        index = -(-start // 16)
        second = blake2b("coffer1-seal", file.data[:104], argon2id(SECOND, SALT, 1, 8_192))
        ciphertext = file.data[120:-32]
        block = solve(ciphertext, index, [one_time_key(file.sealing_key), one_time_key(second)])
        if block is None:
            continue
        at = 16 * index - start
        before = zip(block, ciphertext[16 * index:], file.plaintext[16 * index:])
        blob[at:at + 16] = bytes(a ^ b ^ c for a, b, c in before)
        found = Vault({"salamander": bytes(blob)}, nonce=NONCE).file()
        try:
            nacl.bindings.crypto_secretbox_open(found.data[104:-32], NONCE, second)
        except nacl.exceptions.CryptoError:
            continue  # the sum went once more around 2^128
        return found
