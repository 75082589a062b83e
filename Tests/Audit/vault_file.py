"""The Decoder of Coffer's vaults, format version 1, from FileFormat.md alone. Quoted titles are its sections."""

import base64
import contextlib
import hashlib
import hmac
import os
import pathlib
import stat
import struct
import time

try:
    from argon2.exceptions import HashingError
    from argon2.low_level import Type, hash_secret_raw
    from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base, crypto_secretbox_open
    from nacl.exceptions import CryptoError
except ImportError as error:
    raise SystemExit(f"{error}: this needs the Debian packages python3-nacl and python3-argon2") from None

from property_list import decode

MAGIC, LARGEST = b"\x89COFR\r\n\x1a", 67_113_040
FIELDS = {  # "Bytes": offset and width
    "magic": (0, 8), "version": (8, 2), "header_len": (10, 2), "kdf": (12, 1), "cipher": (13, 1), "flags": (14, 2),
    "ops": (16, 4), "mem": (20, 4), "salt": (24, 16), "nonce": (40, 24), "box_len": (64, 4), "slot_count": (68, 2),
    "reserved": (70, 2),
}
FEATURES = {"kdf": 1, "cipher": 1, "flags": 0, "reserved": 0}  # "Reading order", step 5
LIMITS = {  # "Limits", in the order of step 6
    "ops": (1, 16), "mem": (8_192, 1_048_576), "ops*mem": (0, 4_194_304), "header_len": (0, 4_096),
    "slot_count": (0, 16), "box_len": (4_112, 67_108_880),
}
WHAT_TO_DO = {  # what is not here says enough by itself
    "notAVault": "it is something else, so look for the right file",
    "unsupportedVersion": "a newer program is needed", "unsupportedFeature": "a newer program is needed",
    "damaged": "restore a copy; no passphrase was tried, so none is known to be wrong",
    "limitExceeded": "that is fixed by the format, but --allow-large-memory lifts a limit of this machine on mem",
    "notEnoughMemory": "close programs or take another machine; this says nothing of the passphrase",
    "wrongPassphrase": "try another one; if you are sure of it, another holder changed it, or the header was edited",
    "tampered": "the passphrase or code was right, but the file was edited after its last save, so restore a copy",
    "invalidContents": "somebody who has the key wrote it, but not by the rules, so restore an older copy",
    "noMatchingSlot": "try another code; if you are sure of it, it is no recipient's, or the header was edited",
    "ioError": "nothing is known of the vault", "noVault": "look for the right path",
}
CROCKFORD, BASE32 = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Refused(Exception):
    """A class of "Failure classes and exit codes", why, and for some of them field, value and bound."""

    def verdict(self):
        return ": ".join(filter(None, self.args[:2]))

    def __str__(self):
        return (": " if len(self.args) < 2 or not self.args[1] else "; ").join(
            filter(None, (self.verdict(), WHAT_TO_DO.get(self.args[0]))))


def B(label, data, key=b"", n=32):
    """ "Primitives" """
    return hashlib.blake2b(data, digest_size=n, key=key, person=label.encode().ljust(16, b"\0")).digest()


def argon2id(passphrase, salt, ops, mem):
    return hash_secret_raw(passphrase, salt, ops, mem, 1, 32, Type.ID, 0x13)


def pad(x):
    """ "Padding" """
    if x <= 65_536:
        return max(4_096, 1 << (x - 1).bit_length())
    e = x.bit_length() - 1  # floor(log2 x)
    s = e.bit_length()  # floor(log2 e) + 1
    return -(-x // (1 << e - s)) * (1 << e - s)


def is_name(name):
    """ "Setting names" """
    return 1 <= len(name.encode()) <= 1_024 and all(c > "\x1f" and not "\x7f" <= c <= "\x9f" for c in name)


def rules_of_metadata(metadata, settings, settings_bytes):
    """ "Metadata": the rules for known keys, and whether each is kept. None is looked at before those above it hold."""
    def is_data(value, size):
        return isinstance(value, bytes) and len(value) == size

    ages = metadata.get("modified", bytes(16))
    yield "modified", isinstance(ages, bytes) and len(ages) >= 16
    yield "modified", ages[:16] != B("coffer1-ages", settings_bytes, n=16) or len(ages) == 16 + 8 * len(settings)
    removed, previous = metadata.get("removed", {}), metadata.get("previous", {})
    yield "removed", isinstance(removed, dict) and all(map(is_name, removed))
    yield "removed", all(type(time) is int for time in removed.values())
    yield "previous", isinstance(previous, dict) and all(map(is_name, previous))
    for entry in previous.values():
        yield "previous", isinstance(entry, dict) and "value" in entry and type(entry.get("saved")) is int
    yield "owner", "owner" not in metadata or is_data(metadata["owner"], 32)
    people = metadata.get("recipients", [])
    yield "recipients", isinstance(people, list) and len(people) <= 16
    yield "recipients", "recipients" not in metadata or "owner" in metadata
    for entry in people:
        yield "recipients", isinstance(entry, dict) and is_data(entry.get("key"), 32)
        yield "recipients", isinstance(entry.get("label"), str) and is_name(entry["label"])
    yield "recipients", len({entry["key"] for entry in people}) == len(people)


def parse_code(text):
    """ "Recovery codes": the seed and the fingerprint of a code, in bytes as a person typed it."""
    typed = bytes(c for c in text.upper() if c not in b"\t\n\v\f\r -")  # upper() of bytes changes ASCII alone
    typed = typed.translate(bytes.maketrans(b"ILO", b"110"))
    if len(typed) != 7 + 56 or typed[:7] != b"C0FFER1" or not set(typed[7:]) <= set(CROCKFORD):
        raise Refused("refused", "that is no recovery code")
    raw = base64.b32decode(typed[7:].translate(bytes.maketrans(CROCKFORD, BASE32)))
    if B("coffer1-code", raw[:32], n=16)[:3] != raw[32:]:
        raise Refused("refused", "the recovery code is mistyped")
    return raw[:16], raw[16:32]


def read_file(path):
    """ "Reading order", step 1: the bytes and the size of a file; only the first 72 of one that cannot be a vault."""
    for pause in (0.01, 0.1, 0.5, 0):
        try:
            with open(path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
                before = os.fstat(file.fileno())
                if not stat.S_ISREG(before.st_mode):
                    raise Refused("ioError", f"{str(path)!r} is not a regular file")
                data = file.read(72)
                if data[:8] == MAGIC and before.st_size <= LARGEST:
                    file.seek(0)
                    data = file.read(before.st_size + 1)
                after = os.fstat(file.fileno())
        except OSError as error:
            raise Refused("noVault" if isinstance(error, FileNotFoundError) else "ioError", str(error)) from None
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return data, after.st_size
        time.sleep(pause)
    raise Refused("ioError", f"{str(path)!r} changes while it is read")


def memory_limit(groups="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """Step 7, in KiB: of the machine, the process's control groups of both versions, and all groups above."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with contextlib.suppress(OSError):
        for number, kinds, group in (line.split(":", 2) for line in pathlib.Path(groups).read_text().splitlines()):
            if number == "0" or "memory" in kinds.split(","):
                name = "memory.max" if number == "0" else "memory/memory.limit_in_bytes"
                folder, name = pathlib.Path(root, name).parent, pathlib.Path(name).name
                for above in (group := pathlib.PurePosixPath(group.lstrip("/")), *group.parents):
                    with contextlib.suppress(OSError, ValueError):  # not there, or no limit: "max"
                        limits.append(int((folder / above / name).read_text()))
    return max(min(limits) // 2 // 1_024, 262_144)


class Decoder:
    """The steps of "Reading order". The first failure is raised; what was found until then stays in the attributes."""

    def __init__(self, file, size=None):
        self.file, self.size, self.fields = file, len(file) if size is None else size, {}
        self.slots, self.plaintext, self.metadata = [], b"", {}
        self.verdicts = {}  # by part that was judged: "ok" or the refusal

    def need(self, part, good, *refusal, more=False):
        """Judges a part; `more`: it is not "ok" by this alone."""
        if not good:
            self.verdicts[part] = Refused(*refusal)
            raise self.verdicts[part]
        if not more:
            self.verdicts[part] = "ok"

    def limit(self, name, least, most):
        value = self.fields[name]
        bound = least if value < least else most
        why = f"{name} is {value}, the limit is {bound}"
        self.need(name, least <= value <= most, "limitExceeded", why, name, value, bound,
                  more=name in ("size", "header_len"))

    def attempt(self, part, failure, errors, work, *arguments):
        """What a function gives, or the failure if it ends in one of these errors."""
        try:
            return work(*arguments)
        except errors as error:
            self.need(part, False, failure, "" if failure == "tampered" else str(error))

    def open(self, passphrase=None, code=None, known=None, allow_large_memory=False):
        """All steps. `code` is (seed, fingerprint), `known` what "Freshness" has of the path and the vault."""
        self.read_header()
        if code:
            self.find_slot(*code)
        else:
            self.derive_master(passphrase, allow_large_memory)
        self.open_box()
        self.read_contents()
        if known is not None:
            self.judge_freshness(known, bool(code))
        return self

    def read_header(self):
        """Steps 1 to 6, from the size on. Where slots end cannot be below 72, so no header_len can either."""
        f = self.fields = {name: self.file[at:at + width] for name, (at, width) in FIELDS.items()}
        f |= {name: int.from_bytes(f[name], "little") for name in f if name not in ("magic", "salt", "nonce")}
        f |= {"ops*mem": f["ops"] * f["mem"], "size": self.size}
        self.need("magic", f["magic"] == MAGIC, "notAVault")
        self.need("size", self.size >= 42, "damaged", "shorter than any vault", more=True)
        if self.size <= LARGEST:
            good = self.file[-32:] == B("coffer-check", self.file[:-32])
            self.need("check", good, "damaged", "bytes changed or are missing")
        self.need("version", f["version"] == 1, "unsupportedVersion", f"it is {f['version']}", None, f["version"])
        self.limit("size", 42, LARGEST)
        self.need("size", self.size >= 104, "damaged", "shorter than any vault of version 1", more=True)
        for name, known in FEATURES.items():
            self.need(name, f[name] == known, "unsupportedFeature", f"{name} is {f[name]}", name, f[name])
        for name, (least, most) in LIMITS.items():
            self.limit(name, least, most)
        f["asked"] = f["header_len"] + 64 + f["box_len"]
        self.need("size", self.size == f["asked"], "damaged", f"{f['asked']} by the lengths, {self.size} are there")
        at, self.slots = 72, []
        for slot in (f"slot {number}" for number in range(f["slot_count"])):
            kind, length = struct.unpack_from("<HH", self.file, at)
            self.slots.append((at, kind, self.file[at + 4:at + 4 + length]))
            self.need(slot, at + 4 + length <= f["header_len"], "damaged", "passes the header's end")
            self.need(slot, kind != 1 or length == 112, "damaged", f"{length} bytes, not 112")
            at += 4 + length
        self.need("header_len", at == f["header_len"], "damaged", "the slots end elsewhere")

    def derive_master(self, passphrase, allow_large_memory):
        """Steps 7 and 8."""
        self.need("passphrase", 1 <= len(passphrase) <= 1_024, "refused", "not 1 to 1,024 bytes")
        if not allow_large_memory:
            self.limit("mem", 0, memory_limit())
        cost = (self.fields[name] for name in ("salt", "ops", "mem"))
        errors = (MemoryError, HashingError)
        master = self.attempt("commitment", "notEnoughMemory", errors, argon2id, passphrase, *cost)
        self.need("commitment", self.is_master(master), "wrongPassphrase")

    def is_master(self, master):
        """Whether a key fits the commitment; one that does is kept."""
        end = self.fields["header_len"] + 32
        good = hmac.compare_digest(self.file[end - 32:end], B("coffer1-commit", self.file[12:40], key=master))
        if good:
            self.master, self.commitment = master, self.file[end - 32:end]
            self.sealing_key = B("coffer1-seal", self.file[:end], key=master)
        return good

    def find_slot(self, seed, fingerprint):
        """In place of steps 7 and 8: "Opening with a recovery code"."""
        self.recipient_secret = B("coffer1-recover", seed)
        self.recipient_public = crypto_scalarmult_base(self.recipient_secret)
        for self.slot, (_, kind, data) in enumerate(self.slots):
            owner_pk, eph_pk, box = data[:32], data[32:64], data[64:]
            if kind == 1 and B("coffer1-owner", owner_pk, n=16) == fingerprint:
                try:  # a failed X25519 and a wrong MAC are both a CryptoError
                    shared = b"".join(crypto_scalarmult(self.recipient_secret, point) for point in (eph_pk, owner_pk))
                    self.slot_key = B("coffer1-slotk", shared + owner_pk + eph_pk + self.recipient_public)
                    if self.is_master(crypto_secretbox_open(box, bytes(24), self.slot_key)):
                        return self.need("commitment", True)
                except CryptoError:
                    continue
        self.need("commitment", False, "noMatchingSlot")

    def open_box(self):
        """Step 9."""
        box, keys = self.file[self.fields["header_len"] + 32:-32], (self.fields["nonce"], self.sealing_key)
        self.plaintext = self.attempt("box", "tampered", CryptoError, crypto_secretbox_open, box, *keys)
        self.need("box", True)

    def read_contents(self):
        """Step 10. Settings of no bytes are no list."""
        plain, wrong = self.plaintext, "invalidContents"
        self.vault_id, self.generation, self.settings_len, self.metadata_len = struct.unpack_from("<16sQII", plain)
        middle, used = 32 + self.settings_len, 32 + self.settings_len + self.metadata_len
        self.need("generation", 1 <= self.generation < 1 << 63, wrong, "not from 1 to 2^63 - 1")
        self.need("padding", pad(used) == len(plain), wrong, f"P is {len(plain)}, not pad({used})")
        self.need("padding", not plain[used:].strip(b"\0"), wrong, "not all zeros")
        self.settings_bytes, self.metadata_bytes = plain[32:middle], plain[middle:used]
        self.settings = self.attempt("settings", wrong, ValueError, decode, self.settings_bytes, 32)
        self.need("settings", all(map(is_name, self.settings)), wrong, "a name that is not allowed")
        if self.metadata_len:
            self.metadata = self.attempt("metadata", wrong, ValueError, decode, self.metadata_bytes, 34)
        for key, good in rules_of_metadata(self.metadata, self.settings, self.settings_bytes):
            self.need("metadata", good, wrong, f"{key} is not by the rules")

    def judge_freshness(self, known, by_code):
        """Step 11, "Freshness"."""
        self.need("freshness", known.get("path_id", self.vault_id) == self.vault_id, "replaced")
        if known.get("vault_id") == self.vault_id:
            older = self.generation < known["generation"] or self.commitment in known["replaced"]
            other = self.generation == known["generation"] and self.file[-32:] != known["check"]
            self.need("freshness", not older, "rolledBack")
            self.need("freshness", not other, "forked")
            self.need("freshness", not by_code or self.commitment == known["commitment"], "rekeyed")
