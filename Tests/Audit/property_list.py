"""The canonical property list (FileFormat.md, "The canonical property list"): Encoder, then Decoder.

Values are Python's bool, int, float, Date, bytes, str, list and dict.
"""

import math
import struct


class Date(float):
    """Seconds since 2001-01-01T00:00:00Z."""


def encode(root):
    """The one encoding of a dictionary."""
    objects = []  # by number: the object's bytes, and the numbers that it refers to

    def add(value):
        number, children = len(objects), value if isinstance(value, list) else []
        objects.append(None)  # a container comes before what is in it
        if isinstance(value, dict):
            keys = sorted(value, key=str.encode)  # by the bytes of their UTF-8
            children = keys + [value[key] for key in keys]
        objects[number] = encode_object(value), [add(child) for child in children]
        return number

    add(root)
    width, out, offsets = width_for(len(objects) - 1), bytearray(b"bplist00"), []
    for start, references in objects:
        offsets.append(len(out))
        out += start + b"".join(number.to_bytes(width, "big") for number in references)
    table, offset_width = len(out), width_for(len(out))
    out += b"".join(offset.to_bytes(offset_width, "big") for offset in offsets)
    return bytes(out + struct.pack(">6xBBQQQ", offset_width, width, len(objects), 0, table))


def width_for(number):
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 4


def encode_object(value):
    """The bytes of an object, without a container's references: the table of first bytes."""
    if isinstance(value, bool):
        return b"\x09" if value else b"\x08"
    if isinstance(value, int) and 0 <= value < 1 << 32:
        return bytes([0x10 | width_for(value) >> 1]) + value.to_bytes(width_for(value), "big")
    if isinstance(value, int):
        return b"\x13" + struct.pack(">q", value)
    if isinstance(value, float):
        number = b"\x7f\xf8" + bytes(6) if math.isnan(value) else struct.pack(">d", value)
        return (b"\x33" if isinstance(value, Date) else b"\x23") + number
    kind, count, content = 13 if isinstance(value, dict) else 10, len(value), b""
    if isinstance(value, bytes):
        kind, content = 4, value
    elif isinstance(value, str):
        kind, content = (5, value.encode()) if value.isascii() else (6, value.encode("utf-16-be"))
        count = len(content) // (kind - 4)
    return bytes([kind << 4 | min(count, 15)]) + (encode_object(count) if count >= 15 else b"") + content


def decode(data, deepest):
    """The value of a canonical list whose containers nest `deepest` levels at most; of any other list a ValueError.

    Before anything is built, its lengths have to fit each other. Then it reads the objects in their order, whatever
    references and offset table say, and encodes what it found: a list that is not the one encoding of its value
    differs from that in some byte. Each object takes a byte at least, and an entry in the table.
    """
    place, found = 8, 0

    def need(good, why):
        if not good:
            raise ValueError(f"{why} (before byte {place} of the list)")

    need(len(data) >= 42, "shorter than any list")
    offset_width, width, objects, table = struct.unpack(">6xBBQ8xQ", data[-32:])
    need(1 <= objects <= 4_194_304, "too many objects, or none")
    need(table + objects * offset_width + 32 == len(data), "objects, table and trailer are not its length")
    need((offset_width, width) == (width_for(table), width_for(objects - 1)), "other widths than the least")

    def take(count):
        nonlocal place
        need(0 <= count <= table - place, "more bytes than there are")
        place += count
        return data[place - count:place]

    def integer(first, last):
        need(0x10 <= first <= last, "no integer that can stand here")
        return int.from_bytes(take(1 << first - 0x10), "big", signed=first == 0x13)

    def object_at(depth):
        nonlocal found
        found += 1
        need(found <= objects, "more objects than it says")
        first = take(1)[0]
        kind, count = first >> 4, first & 15
        if first in (0x08, 0x09):
            return first == 0x09
        if kind == 1:
            return integer(first, 0x13)
        if first in (0x23, 0x33):
            number, = struct.unpack(">d", take(8))
            need(kind == 2 or math.isfinite(number), "a date that is not finite")
            return number if kind == 2 else Date(number)
        count = integer(take(1)[0], 0x12) if count == 15 else count
        if kind == 4:
            return take(count)
        if kind in (5, 6):
            return take(count * (kind - 4)).decode("ascii" if kind == 5 else "utf-16-be")  # fails with a ValueError
        need(kind in (10, 13) and depth <= deepest, f"a container at depth {depth}, or an object of another kind")
        take(count * width * (2 if kind == 13 else 1))
        keys = [object_at(depth + 1) for _ in range(count)]
        if kind == 10:
            return keys
        need(all(isinstance(key, str) for key in keys), "a key that is no string")
        return {key: object_at(depth + 1) for key in keys}

    root = object_at(1)
    need(isinstance(root, dict) and encode(root) == data, "not the one encoding of a dictionary")
    return root
