"""The canonical property lists of the Coffer vault format, version 1: one form for each value.

The decoder reads the objects in their order and ignores references and offset table; the encoder writes the one form.
A list is canonical when encoding what was decoded gives the same bytes.
"""

import math
import struct


class Refused(Exception):
    """A file that a reader must not open: the failure class, and why."""

    def __init__(self, failure, why=""):
        super().__init__(f"{failure}: {why}" if why else failure)
        self.failure = failure


class Date(float):
    """Seconds since 2001-01-01T00:00:00Z."""


def least_width(number):
    return 1 if number < 1 << 8 else 2 if number < 1 << 16 else 4


def encode_integer(n):
    for kind, bits in ((0, 8), (1, 16), (2, 32)):
        if 0 <= n < 1 << bits:
            return bytes([0x10 | kind]) + n.to_bytes(1 << kind, "big")
    return b"\x13" + struct.pack(">q", n)


def marker(kind, count):
    return bytes([kind << 4 | count]) if count < 15 else bytes([kind << 4 | 15]) + encode_integer(count)


def encode(root):
    objects = []  # bytes, or for a container (marker, list of object numbers)

    def add(value):
        index = len(objects)
        objects.append(None)
        if isinstance(value, dict):
            keys = sorted(value, key=lambda k: k.encode())
            numbers = [add(k) for k in keys]
            objects[index] = (marker(13, len(keys)), numbers + [add(value[k]) for k in keys])
        elif isinstance(value, list):
            objects[index] = (marker(10, len(value)), [add(element) for element in value])
        elif isinstance(value, bool):
            objects[index] = b"\x09" if value else b"\x08"
        elif isinstance(value, int):
            objects[index] = encode_integer(value)
        elif isinstance(value, float):
            number = b"\x7f\xf8" + bytes(6) if math.isnan(value) else struct.pack(">d", value)
            objects[index] = (b"\x33" if isinstance(value, Date) else b"\x23") + number
        elif isinstance(value, bytes):
            objects[index] = marker(4, len(value)) + value
        elif value.isascii():
            objects[index] = marker(5, len(value)) + value.encode()
        else:
            units = value.encode("utf-16-be")
            objects[index] = marker(6, len(units) // 2) + units
        return index

    add(root)
    width = least_width(len(objects) - 1)
    out, offsets = bytearray(b"bplist00"), []
    for item in objects:
        offsets.append(len(out))
        out += item if isinstance(item, bytes) else item[0] + b"".join(n.to_bytes(width, "big") for n in item[1])
    table, offset_width = len(out), least_width(len(out))
    out += b"".join(o.to_bytes(offset_width, "big") for o in offsets)
    return bytes(out + struct.pack(">6xBBQQQ", offset_width, width, len(objects), 0, table))


def decode(data, deepest):
    """Decodes one canonical property list whose root is a dictionary; anything else is invalidContents."""

    def need(condition, why):
        if not condition:
            raise Refused("invalidContents", f"property list: {why}")

    need(len(data) >= 8 + 1 + 1 + 32 and data[:8] == b"bplist00", "header or length")
    width, number, table = data[-25], *struct.unpack(">Q8xQ", data[-24:])
    need(width in (1, 2, 4) and number <= 4_194_304 and 9 <= table <= len(data) - 32, "trailer")
    place = 8

    def take(count):
        nonlocal place
        need(count <= table - place, "an object passes the table")
        place += count
        return data[place - count:place]

    def integer(kind):
        need(kind <= 3, "an integer of a width that is not used")
        return int.from_bytes(take(1 << kind), "big", signed=kind == 3)

    def count_of(low):
        if low < 15:
            return low
        first = take(1)[0]
        need(first >> 4 == 1, "a count that is no integer")
        count = integer(first & 15)
        need(count >= 0, "a count below zero")
        return count

    def read(depth):
        first = take(1)[0]
        kind, low = first >> 4, first & 15
        if first in (8, 9):
            return first == 9
        if kind == 1:
            return integer(low)
        if first in (0x23, 0x33):
            value = struct.unpack(">d", take(8))[0]
            need(first == 0x23 or math.isfinite(value), "a date that is not finite")
            return Date(value) if first == 0x33 else value
        if kind == 4:
            return take(count_of(low))
        if kind in (5, 6):
            try:
                return take(count_of(low) * (kind - 4)).decode("ascii" if kind == 5 else "utf-16-be")
            except UnicodeDecodeError:
                need(False, "a string that is no text")
        need(kind in (10, 13), "an object of an unknown type")
        need(depth <= deepest, "too deep")
        count = count_of(low)
        take(count * width * (2 if kind == 13 else 1))  # the references: checked by encoding again
        if kind == 10:
            return [read(depth + 1) for _ in range(count)]
        keys = [read(deepest + 1) for _ in range(count)]
        need(all(isinstance(k, str) for k in keys), "a key that is no string")
        ordered = [k.encode() for k in keys]
        need(all(a < b for a, b in zip(ordered, ordered[1:])), "keys not strictly ascending")
        return dict(zip(keys, [read(depth + 1) for _ in range(count)]))

    root = read(1)
    need(isinstance(root, dict), "the root is no dictionary")
    need(place == table and encode(root) == data, "not the canonical form")
    return root
