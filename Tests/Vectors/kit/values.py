"""The values that have no Python type of their own, and the notation of values in JSON."""

import json
import struct


class Number:
    """A real or a date by its 8 bytes, so that no conversion can change it."""

    def __init__(self, value):
        self.bits = bytes.fromhex(value) if isinstance(value, str) else struct.pack(">d", value)


class Real(Number):
    pass


class Date(Number):
    pass


class Raw:
    """Bytes that stand in the list as an object, whatever they are."""

    def __init__(self, *parts):
        self.bytes = b"".join(bytes.fromhex(p) if isinstance(p, str) else p for p in parts)


class Pairs:
    """A dictionary in the order given: wrong orders and equal keys can be written down."""

    def __init__(self, *pairs):
        self.pairs = pairs


def utf8(text):
    return text.encode("utf-8", "surrogatepass")


def in_order(dictionary):
    return sorted(dictionary.items(), key=lambda pair: utf8(pair[0]))


def notation(value):
    if isinstance(value, dict):
        assert len(value) != 1 or not next(iter(value)).startswith("$")
        return {key: notation(element) for key, element in in_order(value)}
    if isinstance(value, list):
        return [notation(element) for element in value]
    if isinstance(value, bytes):
        return {"$data": value.hex()}
    if isinstance(value, Number):
        return {"$date" if isinstance(value, Date) else "$real": value.bits.hex()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return {"$int": str(value)}
    assert isinstance(value, (bool, int, str))
    return value


def json_line(value):
    return json.dumps(notation(value), ensure_ascii=True, separators=(",", ":"))
