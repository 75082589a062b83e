"""Files cut short: where each field begins, and a byte after that; as they are, and with a check that fits."""

from kit.checking import require
from kit.primitives import MAGIC, public_key, with_check
from kit.slots import CODE, STRANGER, recipient_slot
from kit.vault import Vault

FIELDS = (
    ("magic", 8), ("version", 2), ("header_len", 2), ("kdf", 1), ("cipher", 1), ("flags", 2), ("ops", 4), ("mem", 4),
    ("salt", 16), ("nonce", 24), ("box_len", 4), ("slot_count", 2), ("reserved", 2))
SLOT = (("type", 2), ("length", 2), ("owner_pk", 32), ("eph_pk", 32), ("MAC", 16), ("ciphertext", 32))


def cuts(file):
    """Lengths below that of the file, and what is left then."""
    table = list(FIELDS)
    for number in range(len(file.vault.slots)):
        table += [(f"{name} of slot {number}", width) for name, width in SLOT]
    table += [("commitment", 32), ("MAC", 16), ("ciphertext", len(file.plaintext)), ("check", 32)]
    start = 0
    for name, width in table:
        yield start, f"{name} and all after it are gone"
        if width > 1:
            yield start + 1, f"one byte of {name} is left"
        start += width
    require(start == len(file.data), "the fields are not those of the file")


def add(vectors):
    basic = Vault().file()
    for length, what in (
        *cuts(basic), (7, "all but the last byte of the magic is left"),
        (42, "as long as the shortest file of any version"), (103, "a byte less than version 1 looks for"),
        (2_168, "half of the ciphertext is left"), (4_247, "the last byte is missing"),
    ):
        expect = "notAVault" if length < 8 else "damaged"
        vectors.add(f"truncated_{length}", f"Cut to {length} bytes: {what}.", expect, basic.data[:length])
    half = ((2_136, "half of the ciphertext is left"), (4_184, "the last 32 bytes of the ciphertext are gone"))
    checked(vectors, "truncated", basic, (*cuts(basic), *half))

    master = basic.master
    slots = recipient_slot(master, recipient=public_key(STRANGER)), recipient_slot(master)
    slotted = Vault(slots=slots).file()
    after = [(length, what) for length, what in cuts(slotted) if length >= 72]
    for length, what in after:
        vectors.add(f"truncated_slots_{length}", f"Two slots; cut to {length} bytes: {what}.", "damaged",
            slotted.data[:length], code=CODE)
    checked(vectors, "truncated_slots", slotted, after, code=CODE)
    shorter(vectors)


def checked(vectors, name, file, lengths, **words):
    """A check after what is left. Below 10 bytes of it, no version is that short, whatever the check says."""
    for length, what in (*lengths, (len(file.data) - 33, "the last byte of the ciphertext is gone")):
        if 10 <= length < len(file.data) - 32:
            vectors.add(f"{name}_{length + 32}_checked", f"{length} bytes, and a check that fits them: {what}.",
                "damaged", with_check(file.data[:length]), **words)


def shorter(vectors):
    """Too short for version 1, which is not what is said first."""
    vectors.add("truncated_104_unknown_kdf", "104 bytes are enough to look at the features.", "unsupportedFeature",
        with_check(Vault(kdf=2).file().data[:72]), field="kdf", value=2)
    vectors.add("truncated_104_ops", "104 bytes are enough to look at the limits.", "limitExceeded",
        with_check(Vault(ops=17).file().data[:72]), field="ops", value=17, bound=16)
    for length in (42, 103):
        vectors.add(f"version_2_of_{length}", f"Version 2 in {length} bytes, with a check that fits.",
            "unsupportedVersion", with_check(Vault(version=2).file().data[:length - 32]), value=2)
    vectors.add("version_2_of_41", "Version 2 in 41 bytes: no version is that short.", "damaged",
        with_check((MAGIC + b"\x02\0")[:9]))
