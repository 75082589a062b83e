"""The canonical property list (FileFormat.md, "The canonical property list"): Encoder, then Decoder.

Values are Python's bool, int, float, Date, bytes, str, list and dict.
"""

import math
import struct


class Refused(Exception):
    """What a Decoder answers to a file that it does not open ("Failure classes and exit codes")."""

    def __init__(self, failure, why="", field=None, value=None, bound=None):
        numbers = f"{field} is {value}" + ("" if bound is None else f", the limit is {bound}") if field else ""
        super().__init__(": ".join(filter(None, (failure, numbers, why))))
        self.failure, self.field, self.value, self.bound = failure, field, value, bound


class Date(float):
    """Seconds since 2001-01-01T00:00:00Z."""


def encode(root):
    """The one encoding of a dictionary."""
    objects = []  # by number: the object's bytes, and the numbers that it refers to

    def add(value):
        number, references = len(objects), []
        objects.append(None)  # a container comes before what is in it
        if isinstance(value, list):
            references = [add(element) for element in value]
        elif isinstance(value, dict):
            keys = sorted(value, key=str.encode)  # by the bytes of their UTF-8
            references = [add(key) for key in keys]
            references += [add(value[key]) for key in keys]
        objects[number] = (encode_object(value), references)
        return number

    add(root)
    width = width_for(len(objects) - 1)
    out, offsets = bytearray(b"bplist00"), []
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
    if isinstance(value, int):
        return encode_integer(value)
    if isinstance(value, float):
        number = b"\x7f\xf8" + bytes(6) if math.isnan(value) else struct.pack(">d", value)
        return (b"\x33" if isinstance(value, Date) else b"\x23") + number
    if isinstance(value, bytes):
        return encode_count(4, len(value)) + value
    if isinstance(value, str) and value.isascii():
        return encode_count(5, len(value)) + value.encode("ascii")
    if isinstance(value, str):
        units = value.encode("utf-16-be")
        return encode_count(6, len(units) // 2) + units
    return encode_count(13 if isinstance(value, dict) else 10, len(value))


def encode_integer(value):
    if 0 <= value < 1 << 32:
        width = width_for(value)
        return bytes([0x10 | width >> 1]) + value.to_bytes(width, "big")
    return b"\x13" + struct.pack(">q", value)


def encode_count(kind, count):
    return bytes([kind << 4 | count]) if count < 15 else bytes([kind << 4 | 15]) + encode_integer(count)


def decode(data, deepest):
    """The value of a canonical list whose containers nest `deepest` levels at most; else invalidContents.

    Reads the objects in their order, whatever references and offset table say, and encodes what it found: a list
    that is not the one encoding of its value differs from that in some byte.
    """
    place, found = 8, 0

    def need(good, why):
        if not good:
            raise Refused("invalidContents", f"{why} (before byte {place} of the list)")

    need(data[:8] == b"bplist00" and len(data) >= 42, "no list has such a beginning, or is that short")
    width, objects, table = data[-25], *struct.unpack(">Q8xQ", data[-24:])
    need(width in (1, 2, 4) and objects <= 4_194_304 and table <= len(data) - 32, "a trailer that cannot be")

    def take(count):
        nonlocal place
        need(count <= table - place, "an object does not end where the offset table begins")
        place += count
        return data[place - count:place]

    def integer(first):
        need(0x10 <= first <= 0x13, "an integer or a count of another kind")
        return int.from_bytes(take(1 << (first & 15)), "big", signed=first == 0x13)

    def object_at(depth):
        nonlocal found
        found += 1
        need(found <= objects, "more objects than the trailer says")
        first = take(1)[0]
        kind, count = first >> 4, first & 15
        if first in (0x08, 0x09):
            return first == 0x09
        if kind == 1:
            return integer(first)
        if first in (0x23, 0x33):
            number, = struct.unpack(">d", take(8))
            need(first == 0x23 or math.isfinite(number), "a date that is not finite")
            return Date(number) if first == 0x33 else number
        need(kind in (4, 5, 6, 10, 13), f"an object of another kind, {first:02x}")
        if count == 15:
            count = integer(take(1)[0])
            need(count >= 0, "a count below 0")
        if kind == 4:
            return take(count)
        if kind in (5, 6):
            try:
                return take(count * (kind - 4)).decode("ascii" if kind == 5 else "utf-16-be")
            except UnicodeDecodeError:
                need(False, "a string that is no text")
        need(depth <= deepest, f"a container at depth {depth}")
        take(count * width * (2 if kind == 13 else 1))
        if kind == 10:
            return [object_at(depth + 1) for _ in range(count)]
        keys = []
        for _ in range(count):
            need(data[place] >> 4 in (5, 6), "a key that is no string")
            keys.append(object_at(depth + 1))
            need(len(keys) < 2 or keys[-2].encode() < keys[-1].encode(), "keys that do not ascend")
        return {key: object_at(depth + 1) for key in keys}

    root = object_at(1)
    need(isinstance(root, dict), "the root is no dictionary")
    need(place == table and encode(root) == data, "not the one encoding of this value")
    return root
