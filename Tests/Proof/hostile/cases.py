"""What is judged: each case hangs on the seed, its family and its number alone, so that one can be made again."""

import itertools
import pathlib
import random
import struct

from encoder import kdf_block, make_plaintext, make_slot, recipient_keys, seal
from interop import Draw
from kit.place import CHEAP, PASSPHRASE, derive
from property_list import encode
from vault_file import B, FIELDS, LARGEST, MAGIC

from hostile.probe import Case

TESTS = pathlib.Path(__file__).resolve().parents[2]
CHECK, HEADER, MAC = 32, 72, 16
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


def checked(body):
    """A body with the check that fits it."""
    return body + B("coffer-check", body)


class Stock:
    """The vaults, lists and frames that are changed."""

    def __init__(self, seed):
        self.seed = seed
        draw = random.Random(f"{seed}/stock")
        self.block = kdf_block(*CHEAP, draw.randbytes(16))
        self.master = derive(PASSPHRASE, self.block[12:], *CHEAP)
        self.random = draw.randbytes
        settings = {"n": 7, "token": "s3cr3t", "user": "alice", "list": [True, -1, 0.5, "\u00e9", {"": b"\0"}]}
        self.small = self.sealed(encode(settings))
        owner = draw.randbytes(32)
        people = [recipient_keys(draw.randbytes(16))[1] for _ in range(2)]
        slots = [make_slot(owner, key, self.master, draw.randbytes(32)) for key in people]
        slots.insert(1, struct.pack("<HH", 9, 5) + b"later")
        ages = B("coffer1-ages", encode(settings), n=16) + struct.pack("<4q", 1, 2, 3, 4)
        metadata = {
            "modified": ages, "owner": owner, "removed": {"gone": 5}, "previous": {"n": {"saved": 1, "value": 6}},
            "recipients": [{"key": key, "label": f"r{number}"} for number, key in enumerate(people)]}
        self.shared = self.sealed(encode(settings), encode(metadata), slots)
        self.metadata = encode(metadata)
        self.lists = [encode(settings)]
        for number in itertools.count():
            if len(self.lists) == 48:
                break
            found = encode(Draw(f"{seed}/list/{number}").settings())
            if len(found) <= 4_000:
                self.lists.append(found)
        corpus = TESTS / "PropertyListsTests" / "Corpus"
        self.foreign = self.lists + [
            path.read_bytes() for path in sorted(corpus.glob("*.bplist")) if path.stat().st_size <= 4_000]
        frames = [path.read_bytes() for path in sorted((TESTS / "Fuzz" / "Seeds" / "frame").iterdir())]
        self.frames = [("R" if frame[0] & 1 else "Q", frame[1:]) for frame in frames]

    def sealed(self, settings, metadata=b"", slots=(), generation=1, plaintext=None):
        if plaintext is None:
            plaintext = make_plaintext(bytes(range(16)), generation, settings, metadata)
        return seal(self.master, self.block, list(slots), plaintext, bytes(32))


def flips(stock, fits, step):
    """Every bit of both vaults; of a box only each `step`-th, of a KDF block too, for each makes another key."""
    for name, file in (("small", stock.small), ("shared", stock.shared)):
        box = int.from_bytes(file[10:12], "little") + CHECK + MAC
        for bit in range(8 * (len(file) - (CHECK if fits else 0))):
            if step > 1 and bit % step and (8 * box <= bit or fits and 8 * 16 <= bit < 8 * 40):
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


def changed(draw, data, first=0, last=None):
    """One to four changes between two places."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        end = min(last or len(data), len(data))
        if end <= first:
            break
        at = draw.randrange(first, end)
        which = draw.randrange(9)
        if which < 2:
            data[at] ^= 1 << draw.randrange(8)
        elif which < 4:
            data[at] = draw.choice((0, 1, 8, 0x7F, 0x80, 0xA0, 0xD0, 0xDF, 0xFF, draw.randrange(256)))
        elif which == 4:
            data[at] = (data[at] + draw.choice((1, -1))) % 256
        elif which == 5:
            width = draw.choice((2, 4, 8))
            number = draw.choice((0, 1, 255, 65_535, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1, len(data)))
            number &= (1 << 8 * width) - 1
            order = draw.choice(("little", "big"))
            data[at:at + width] = number.to_bytes(width, order)[:max(end - at, 0)]
        elif which == 6:
            del data[at:min(at + draw.choice((1, 2, 8, 32)), end)]
        elif which == 7:
            data[at:at] = data[at:min(at + draw.choice((1, 2, 8, 32)), end)]
        else:
            other = draw.randrange(first, end)
            data[at], data[other] = data[other], data[at]
    return bytes(data)


def vault(stock, number):
    """A file with a few changes, most in its header, most with a check that fits."""
    draw = random.Random(f"{stock.seed}/vault/{number}")
    file = draw.choice((stock.small, stock.shared))
    end = int.from_bytes(file[10:12], "little") + CHECK
    body = file[:-CHECK]
    body = changed(draw, body, 8, end) if draw.random() < 0.75 else changed(draw, body)
    if draw.random() < 0.95:  # another salt makes another key, which takes longer than all else
        body = body[:24] + file[24:40] + body[40:]
    body = checked(body) if draw.random() < 0.85 else body + file[-CHECK:]
    kind = "O" if body[16:24] == file[16:24] else "H"  # nor is a dear key derived
    return Case(kind, body, f"vault {number} of this seed")


def contents(stock, number):
    """A vault that a holder of the key sealed, with changes in its lists, their lengths or the padding."""
    draw = random.Random(f"{stock.seed}/contents/{number}")
    settings, metadata = draw.choice(stock.lists), draw.choice((b"", b"", stock.metadata))
    if draw.random() < 0.7:
        settings = changed(draw, settings, 8)
    elif metadata:
        settings, metadata = stock.lists[0], changed(draw, stock.metadata, 8)
    plaintext = make_plaintext(bytes(16), draw.choice((1, 2, 1 << 62)), settings, metadata)
    if draw.random() < 0.1:
        plaintext = changed(draw, plaintext, 16, 32)
        plaintext = plaintext[:len(plaintext) // 16 * 16]
    if not 4_096 <= len(plaintext):
        plaintext = plaintext.ljust(4_096, b"\0")
    return Case("O", stock.sealed(b"", plaintext=plaintext), f"contents {number} of this seed")


def listing(stock, number):
    """A list with a few changes, most of them where the references, the table and the trailer are."""
    draw = random.Random(f"{stock.seed}/list/{number}")
    data = draw.choice(stock.foreign)
    data = changed(draw, data, draw.choice((0, 8, 8, 8, max(8, len(data) - 80))))
    return Case("L", data, f"list {number} of this seed")


def frame(stock, number):
    """The body of a frame with a few changes."""
    draw = random.Random(f"{stock.seed}/frame/{number}")
    kind, body = draw.choice(stock.frames)
    return Case(kind, changed(draw, body) or b"\0", f"frame {number} of this seed")
