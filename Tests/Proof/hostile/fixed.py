"""Cases that are the same in every run but for keys: every bit, every length, and numbers at and around each limit."""

import itertools
import random
import struct

from encoder import kdf_block, make_plaintext
from kit.place import CHEAP
from vault_file import FIELDS, LARGEST, MAGIC

from hostile.probe import Case
from hostile.stock import CHECK, HEADER, MAC, checked

# Values at and around each limit of the header, and what a careless reader would stumble over.
EDGES = {
    "version": (0, 1, 2, 256, 65_535), "header_len": (0, 1, 71, 72, 73, 76, 188, 4_095, 4_096, 4_097, 65_535),
    "kdf": (0, 1, 2, 129, 255), "cipher": (0, 1, 2, 129, 255), "flags": (0, 1, 0x8000, 65_535),
    "ops": (0, 1, 2, 15, 16, 17, 1 << 31, (1 << 32) - 1),
    "mem": (0, 1, 8_191, 8_192, 8_193, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, (1 << 32) - 1),
    "box_len": (0, 15, 16, 4_111, 4_112, 4_113, 67_108_880, 67_108_881, (1 << 31) - 1, (1 << 32) - 1),
    "slot_count": (0, 1, 15, 16, 17, 65_535), "reserved": (0, 1, 0x8000, 65_535),
}
PRODUCTS = [(4, 1_048_576), (16, 262_144), (16, 262_145), (5, 838_860), (5, 838_861), (16, 1_048_576), (15, 279_620),
            (15, 279_621)]
INNER = {
    "generation": (0, 1, 2, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
    "settings_len": (0, 1, 41, 42, 4_064, 4_065, (1 << 31) - 1, 1 << 31, (1 << 32) - 1),
    "metadata_len": (0, 1, 42, 4_063, 4_096, (1 << 31) - 1, 1 << 31, (1 << 32) - 1),
}


def flips(stock, fits, step):
    """Every bit of both vaults; of a box only each `step`-th, of cost and salt too, for each makes another key."""
    for name, file in (("small", stock.small), ("shared", stock.shared)):
        box = int.from_bytes(file[10:12], "little") + CHECK + MAC
        for bit in range(8 * (len(file) - (CHECK if fits else 0))):
            is_inside = 8 * box <= bit < 8 * (len(file) - CHECK) or fits and 8 * 16 <= bit < 8 * 40
            if bit % step and is_inside:
                continue
            body = bytearray(file)
            body[bit // 8] ^= 1 << bit % 8
            body = checked(bytes(body[:-CHECK])) if fits else bytes(body)
            yield Case("O", body, f"bit {bit} of the vault `{name}`, {'check made to fit' if fits else 'as it is'}")


def cuts(stock, fits, step):
    """Every length that is less, and some that are more."""
    for name, file in (("small", stock.small), ("shared", stock.shared)):
        for length in range(len(file) + 64):
            if step > 1 and length > 400 and length % step and length < len(file) - 40:
                continue
            body = (file + bytes(64))[:length]
            body = checked(body[:-CHECK]) if fits and length > CHECK else body
            how = "check made to fit" if fits else "as it is"
            yield Case("O", body, f"{length} bytes of the vault `{name}`, {how}")


def with_fields(file, fields):
    body = bytearray(file[:-CHECK])
    for name, value in fields.items():
        at, width = FIELDS[name]
        body[at:at + width] = value.to_bytes(width, "little")
    return checked(bytes(body))


def limits(stock, random_ones):
    """Each value of each field alone, each pair of two fields, products, and headers whose lengths fit each other."""
    singles = [(name, value) for name, values in EDGES.items() for value in values]
    choices = [{name: value} for name, value in singles]
    choices += [dict(pair) for pair in itertools.combinations(singles, 2) if pair[0][0] != pair[1][0]]
    choices += [{"ops": ops, "mem": mem} for ops, mem in PRODUCTS]
    for name, file in (("small", stock.small), ("shared", stock.shared)):
        for fields in choices:
            yield Case("H", with_fields(file, fields), f"{fields} in the vault `{name}`, check made to fit")
    for number in range(random_ones):
        draw = random.Random(f"{stock.seed}/header/{number}")
        slots = b""
        for _ in range(draw.choice((0, 1, 2, 15, 16, 17))):
            length = draw.choice((0, 1, 3, 111, 112, 113, 250))
            slots += struct.pack("<HH", draw.choice((0, 1, 2, 65_535)), length + draw.choice((0, 0, 0, 0, 1)))
            slots += bytes(length)
        slots += bytes(draw.choice((0, 0, 0, 4_024 - len(slots), 4_025 - len(slots))) if len(slots) <= 4_024 else 0)
        box = draw.choice((4_111, 4_112, 4_113, 8_208))
        count = draw.choice((0, 1, 2, 15, 16, 17))
        file = MAGIC + struct.pack("<HH", 1, HEADER + len(slots)) + kdf_block(*CHEAP, bytes(16)) + bytes(24)
        file += struct.pack("<IHH", box, count, 0) + slots + bytes(32 + box + CHECK)
        fields = {draw.choice(list(EDGES)): None for _ in range(draw.choice((0, 0, 1, 2, 3)))}
        fields = {name: draw.choice(EDGES[name]) for name in fields}
        yield Case("H", with_fields(file, fields), f"header {number} of this seed")


def sizes(stock):
    """A file of the largest size there is, one more, and that of another version."""
    for size in (LARGEST, LARGEST + 1):
        for version in (1, 2):
            body = with_fields(stock.small, {"version": version})
            body = body[:-CHECK] + bytes(size - len(body))
            body = checked(body) if size == LARGEST else body + bytes(CHECK)
            yield Case("H", body, f"{size} bytes, version {version}")


def inner(stock):
    """The numbers inside the box at their limits, two at a time, and padding that is not zeros."""
    plaintext = make_plaintext(bytes(16), 1, stock.lists[0])
    singles = [(name, value) for name, values in INNER.items() for value in values]
    for pair in itertools.combinations(singles, 2):
        fields = dict(pair)
        changed = bytearray(plaintext)
        for at, width, name in ((16, 8, "generation"), (24, 4, "settings_len"), (28, 4, "metadata_len")):
            if name in fields:
                changed[at:at + width] = fields[name].to_bytes(width, "little")
        yield Case("O", stock.sealed(b"", plaintext=bytes(changed)), f"{fields} inside the box")
    end = 32 + len(stock.lists[0])
    for at in (end, end + 1, len(plaintext) - 2, len(plaintext) - 1):
        changed = bytearray(plaintext)
        changed[at] = 1
        yield Case("O", stock.sealed(b"", plaintext=bytes(changed)), f"padding, byte {at} inside the box")
    for size in (4_096, 4_097, 8_192, 65_536, 67_584):
        plain = plaintext.ljust(size, b"\0")
        yield Case("O", stock.sealed(b"", plaintext=plain), f"{size} bytes inside the box")
