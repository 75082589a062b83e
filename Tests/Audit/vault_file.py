"""Coffer's vault format, version 1, from FileFormat.md alone: Decoder and Encoder. Quoted titles are its sections."""

import hashlib
import hmac
import os
import stat
import struct

import argon2.exceptions
import argon2.low_level
from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base, crypto_secretbox, crypto_secretbox_open
from nacl.exceptions import CryptoError

from property_list import Refused, decode

MAGIC = b"\x89COFR\r\n\x1a"
LARGEST = 67_113_040
FIELDS = {  # "Bytes": offset and width
    "magic": (0, 8), "version": (8, 2), "header_len": (10, 2), "kdf": (12, 1), "cipher": (13, 1), "flags": (14, 2),
    "ops": (16, 4), "mem": (20, 4), "salt": (24, 16), "nonce": (40, 24), "box_len": (64, 4), "slot_count": (68, 2),
    "reserved": (70, 2),
}
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def B(label, data, key=b"", n=32):
    """ "Primitives" """
    return hashlib.blake2b(data, digest_size=n, key=key, person=label.encode().ljust(16, b"\0")).digest()


def argon2id(passphrase, salt, ops, mem):
    try:
        return argon2.low_level.hash_secret_raw(passphrase, salt, ops, mem, 1, 32, argon2.low_level.Type.ID, 0x13)
    except (MemoryError, argon2.exceptions.HashingError) as error:
        raise Refused("notEnoughMemory", str(error)) from None


def commitment_of(kdf_block, master):
    """ "Derivations" """
    return B("coffer1-commit", kdf_block, key=master)


def sealing_key_of(header_and_commitment, master):
    return B("coffer1-seal", header_and_commitment, key=master)


def pad(x):
    """ "Padding" """
    if x <= 65_536:
        return max(4_096, 1 << (x - 1).bit_length())
    e = x.bit_length() - 1  # floor(log2 x)
    s = e.bit_length()  # floor(log2 e) + 1
    return -(-x // (1 << e - s)) * (1 << e - s)


def make_plaintext(vault_id, generation, settings_bytes, metadata_bytes=b""):
    """ "Sealing", step 1 """
    inner_header = struct.pack("<16sQII", vault_id, generation, len(settings_bytes), len(metadata_bytes))
    plaintext = inner_header + settings_bytes + metadata_bytes
    return plaintext.ljust(pad(len(plaintext)), b"\0")


def kdf_block(ops, mem, salt):
    return struct.pack("<BBHII", 1, 1, 0, ops, mem) + salt


def seal(master, kdf_block, slots, plaintext, random32):
    """ "Sealing", steps 2 to 6. `slots` are whole slots. """
    nonce = B("coffer1-nonce", random32 + plaintext, key=master, n=24)
    file = MAGIC + struct.pack("<HH", 1, 72 + sum(map(len, slots))) + kdf_block + nonce
    file += struct.pack("<IHH", 16 + len(plaintext), len(slots), 0) + b"".join(slots)
    file += commitment_of(kdf_block, master)
    file += crypto_secretbox(plaintext, nonce, sealing_key_of(file, master))
    return file + B("coffer-check", file)


def is_name(name):
    """ "Setting names" """
    return 1 <= len(name.encode()) <= 1_024 and all(c > "\x1f" and not "\x7f" <= c <= "\x9f" for c in name)


def check_metadata(metadata, settings, settings_bytes):
    """ "Metadata": the keys that are known. """
    def need(key, good):
        if not good:
            raise Refused("invalidContents", key)

    def is_data(value, size):
        return isinstance(value, bytes) and len(value) == size

    ages = metadata.get("modified", bytes(16))
    need("modified", isinstance(ages, bytes) and len(ages) >= 16)
    need("modified", ages[:16] != B("coffer1-ages", settings_bytes, n=16) or len(ages) == 16 + 8 * len(settings))
    for key in ("removed", "previous"):
        entries = metadata.get(key, {})
        need(key, isinstance(entries, dict) and all(map(is_name, entries)))
        for entry in entries.values():
            need(key, key == "removed" or isinstance(entry, dict) and "value" in entry)
            need(key, type(entry if key == "removed" else entry.get("saved")) is int)
    need("owner", "owner" not in metadata or is_data(metadata["owner"], 32))
    people = metadata.get("recipients", [])
    need("recipients", isinstance(people, list) and len(people) <= 16)
    need("recipients", "recipients" not in metadata or "owner" in metadata)
    for entry in people:
        need("recipients", isinstance(entry, dict) and is_data(entry.get("key"), 32))
        need("recipients", isinstance(entry.get("label"), str) and is_name(entry["label"]))
    need("recipients", len({entry["key"] for entry in people}) == len(people))


def recipient_keys(seed):
    """ "Slots: recovery and sharing" """
    secret = B("coffer1-recover", seed)
    return secret, crypto_scalarmult_base(secret)


def fingerprint_of(owner_pk):
    return B("coffer1-owner", owner_pk, n=16)


def slot_key(shared_eph, shared_owner, owner_pk, eph_pk, recipient_pk):
    return B("coffer1-slotk", shared_eph + shared_owner + owner_pk + eph_pk + recipient_pk)


def make_slot(owner_sk, recipient_pk, master, random32):
    eph_sk = B("coffer1-slote", random32 + master + recipient_pk, key=owner_sk)
    owner_pk, eph_pk = crypto_scalarmult_base(owner_sk), crypto_scalarmult_base(eph_sk)
    shared = (crypto_scalarmult(secret, recipient_pk) for secret in (eph_sk, owner_sk))
    box = crypto_secretbox(master, bytes(24), slot_key(*shared, owner_pk, eph_pk, recipient_pk))
    return struct.pack("<HH", 1, 112) + owner_pk + eph_pk + box


def make_code(seed, fingerprint):
    """ "Recovery codes" """
    raw = seed + fingerprint + B("coffer1-code", seed + fingerprint, n=16)[:3]
    digits = "".join(DIGITS[int.from_bytes(raw, "big") >> shift & 31] for shift in range(275, -5, -5))
    return "-".join(["COFFER1"] + [digits[i:i + 4] for i in range(0, 56, 4)])


def parse_code(text):
    """The seed and the fingerprint of a code, in bytes as a person typed it."""
    typed = bytes(c for c in text.upper() if c not in b"\t\n\v\f\r -")  # upper() of bytes changes ASCII alone
    typed = typed.translate(bytes.maketrans(b"ILO", b"110")).decode("latin-1")
    if len(typed) != 7 + 56 or typed[:7] != "C0FFER1" or not set(typed[7:]) <= set(DIGITS):
        raise Refused("refused", "that is no recovery code")
    raw = sum(DIGITS.index(digit) << shift for digit, shift in zip(typed[7:], range(275, -5, -5))).to_bytes(35, "big")
    if B("coffer1-code", raw[:32], n=16)[:3] != raw[32:]:
        raise Refused("refused", "the recovery code is mistyped")
    return raw[:16], raw[16:32]


def read_file(path):
    """ "Reading order", step 1: the bytes and the size of a file. No more is read than a vault can have. """
    try:
        with open(path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Refused("ioError", f"{path!r} is not a regular file")
            data, after = file.read(LARGEST + 1), os.fstat(file.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise Refused("ioError", f"{path!r} changes while it is read")
            return data, after.st_size
    except FileNotFoundError as error:
        raise Refused("noVault", str(error)) from None
    except OSError as error:
        raise Refused("ioError", str(error)) from None


def memory_limit():
    """Step 7, in KiB."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/proc/self/cgroup") as groups:
            group = groups.read().partition("0::")[2].strip()
        with open(f"/sys/fs/cgroup{group}/memory.max") as limit:
            memory = min(memory, int(limit.read()))
    except (OSError, ValueError):
        pass  # no cgroup, or no limit: "max"
    return max(memory // 2 // 1_024, 262_144)


class Decoder:
    """The steps of "Reading order", and what they found. The first failure is raised, or with go_on kept in `answer`
    while what can still be judged is."""

    def __init__(self, file, size=None, go_on=False):
        self.file, self.size, self.go_on = file, len(file) if size is None else size, go_on
        self.answer, self.verdicts = None, {}  # the first refusal; by part, its first refusal or None
        self.fields, self.slots, self.plaintext = {}, [], b""

    def judge(self, part, refusal=None):
        self.verdicts[part] = self.verdicts.get(part) or refusal
        self.answer = self.answer or refusal
        if refusal and not self.go_on:
            raise refusal
        return refusal is None

    def need(self, part, good, failure, why="", *numbers):
        return self.judge(part, None if good else Refused(failure, why, *numbers))

    def attempt(self, part, work, *arguments):
        try:
            return work(*arguments)
        except Refused as refusal:
            self.judge(part, refusal)

    def open(self, passphrase=None, code=None, known=None, allow_large_memory=False):
        """All steps. `code` is (seed, fingerprint), `known` what "Freshness" has of the path and the vault."""
        if self.read_header():
            found = self.find_slot(*code) if code else self.derive_master(passphrase, allow_large_memory)
            if found and self.open_box() and self.read_contents():
                self.judge_freshness(known or {}, bool(code))
        return self

    def read_header(self):
        """Steps 1 to 6, from the size on. Says whether a key can be tried."""
        file, size, version = self.file, self.size, int.from_bytes(self.file[8:10], "little")
        self.need("magic", file[:8] == MAGIC, "notAVault")
        self.need("size", size >= 42, "damaged", "shorter than any vault")
        if size > LARGEST:
            self.need("version", version == 1, "unsupportedVersion", f"it is {version}", None, version)
            return self.need("size", False, "limitExceeded", "", "size", size, LARGEST)
        self.need("check", file[-32:] == B("coffer-check", file[:-32]), "damaged", "not the digest of the rest")
        self.need("version", version == 1, "unsupportedVersion", f"it is {version}", None, version)
        if not self.need("size", size >= 104, "damaged", "shorter than any vault of version 1"):
            return False
        f = {name: file[at:at + width] for name, (at, width) in FIELDS.items()}
        f = {name: v if name in ("magic", "salt", "nonce") else int.from_bytes(v, "little") for name, v in f.items()}
        self.fields, end = f, f["header_len"]
        for name, known in (("kdf", 1), ("cipher", 1), ("flags", 0), ("reserved", 0)):
            self.need(name, f[name] == known, "unsupportedFeature", "", name, f[name])
        for name, value, least, most in (
                ("ops", f["ops"], 1, 16), ("mem", f["mem"], 8_192, 1_048_576),
                ("ops*mem", f["ops"] * f["mem"], 0, 4_194_304), ("header_len", end, 0, 4_096),
                ("slot_count", f["slot_count"], 0, 16), ("box_len", f["box_len"], 4_112, 67_108_880)):
            bound = least if value < least else most
            self.need(name, least <= value <= most, "limitExceeded", "", name, value, bound)
        self.need("header_len", end >= 72, "damaged", "shorter than the fields")
        self.need("size", size == end + 64 + f["box_len"], "damaged", "not what the lengths say")
        self.read_slots(end)
        # Where only the check is wrong, a key can still be tried.
        return not any(refusal for part, refusal in self.verdicts.items() if part != "check")

    def read_slots(self, end):
        """Step 6, the walk over the slots ("Slots")."""
        at, self.slots = 72, []
        for number in range(self.fields["slot_count"]):
            part, head = f"slot {number}", self.file[at:min(at + 4, end)]
            kind, length = struct.unpack("<HH", head.ljust(4, b"\0"))
            if not self.need(part, len(head) == 4 and at + 4 + length <= end, "damaged", "passes the header's end"):
                return
            self.need(part, kind != 1 or length == 112, "damaged", f"{length} bytes, not 112")
            self.slots.append((at, kind, self.file[at + 4:at + 4 + length]))
            at += 4 + length
        self.need("header_len", at == end, "damaged", "the slots end elsewhere")

    def derive_master(self, passphrase, allow_large_memory):
        """Steps 7 and 8."""
        ops, mem, most = self.fields["ops"], self.fields["mem"], memory_limit()
        good = self.need("passphrase", 1 <= len(passphrase) <= 1_024, "refused", "not 1 to 1,024 bytes")
        good &= self.need("mem", mem <= most or allow_large_memory, "limitExceeded", "", "mem", mem, most)
        master = good and self.attempt("commitment", argon2id, passphrase, self.fields["salt"], ops, mem)
        return bool(master) and self.need("commitment", self.is_master(master), "wrongPassphrase")

    def is_master(self, master):
        """Whether a key fits the commitment; one that does is kept."""
        end = self.fields["header_len"]
        if not hmac.compare_digest(self.file[end:end + 32], commitment_of(self.file[12:40], master)):
            return False
        self.master, self.commitment = master, self.file[end:end + 32]
        self.sealing_key = sealing_key_of(self.file[:end + 32], master)
        return True

    def find_slot(self, seed, fingerprint):
        """In place of steps 7 and 8: "Opening with a recovery code"."""
        self.recipient_secret, self.recipient_public = recipient_keys(seed)
        for number, (_, kind, data) in enumerate(self.slots):
            owner_pk, eph_pk, box = data[:32], data[32:64], data[64:]
            if kind != 1 or fingerprint_of(owner_pk) != fingerprint:
                continue
            try:  # a failed X25519 and a wrong MAC are both a CryptoError
                shared = [crypto_scalarmult(self.recipient_secret, point) for point in (eph_pk, owner_pk)]
                key = slot_key(*shared, owner_pk, eph_pk, self.recipient_public)
                master = crypto_secretbox_open(box, bytes(24), key)
            except CryptoError:
                continue
            if self.is_master(master):
                self.slot, self.slot_key = number, key
                return self.judge("commitment")
        return self.need("commitment", False, "noMatchingSlot")

    def open_box(self):
        """Step 9."""
        box = self.file[self.fields["header_len"] + 32:-32]
        try:
            self.plaintext = crypto_secretbox_open(box, self.fields["nonce"], self.sealing_key)
        except CryptoError:
            return self.need("box", False, "tampered", "it does not open with the key of this header")
        return self.judge("box")

    def read_contents(self):
        """Step 10."""
        plain = self.plaintext
        self.vault_id, self.generation, self.settings_len, self.metadata_len = struct.unpack_from("<16sQII", plain)
        middle, used = 32 + self.settings_len, 32 + self.settings_len + self.metadata_len
        self.need("generation", 1 <= self.generation < 1 << 63, "invalidContents", "not from 1 to 2^63 - 1")
        self.need("settings_len", self.settings_len > 0, "invalidContents", "no settings")
        if not self.need("padding", pad(used) == len(plain), "invalidContents", f"P is {len(plain)}, not pad({used})"):
            return False
        self.need("padding", not plain[used:].strip(b"\0"), "invalidContents", "not all zeros")
        self.settings_bytes, self.metadata_bytes = plain[32:middle], plain[middle:used]
        self.settings = self.attempt("settings", decode, self.settings_bytes, 32)
        self.metadata = self.attempt("metadata", decode, self.metadata_bytes, 34) if self.metadata_len else {}
        if self.settings is not None:
            self.need("settings", all(map(is_name, self.settings)), "invalidContents", "a name that is not allowed")
        if self.settings is not None and self.metadata is not None:
            self.attempt("metadata", check_metadata, self.metadata, self.settings, self.settings_bytes)
            self.judge("metadata")
        return self.answer is None

    def judge_freshness(self, known, by_code):
        """Step 11, "Freshness"."""
        record = known.get("vault_id") == self.vault_id
        replaced = known.get("path_id", self.vault_id) != self.vault_id
        older = record and (self.generation < known["generation"] or self.commitment in known["replaced"])
        forked = record and self.generation == known["generation"] and self.file[-32:] != known["check"]
        rekeyed = record and by_code and self.commitment != known["commitment"]
        for found, failure in ((replaced, "replaced"), (older, "rolledBack"), (forked, "forked"), (rekeyed, "rekeyed")):
            self.need("freshness", not found, failure)
