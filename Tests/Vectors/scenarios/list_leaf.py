"""Leaves of the property lists: each first byte, each width, each kind of string and number."""

from kit.property_list import canonical
from kit.values import Date, Raw, Real
from kit.vault import Vault

# First bytes that no canonical list has, each with contents that some reader might expect there.
MARKERS = (
    ("00", "null"), ("01", "no object"), ("0a", "no object"), ("0c 00", "a URL"), ("0d 00", "a URL with a base"),
    ("0e" + "00" * 16, "a UUID"), ("0f", "fill"),
    ("0f 0000000100000000", "fill, before an integer of 8 bytes"), ("14 07", "an integer of 16 bytes, cut to one"),
    ("14" + "00" * 15 + "07", "an integer of 16 bytes"),
    ("14" + "00" * 8 + "ff" * 8, "an integer of 16 bytes, above 2^63"),
    ("14" + "ff" * 16, "a negative integer of 16 bytes"),
    ("15" + "00" * 31 + "07", "an integer of 32 bytes"), ("18 07", "no object"), ("1f 07", "no object"),
    ("20 3c", "a real of 1 byte"), ("21 3c00", "a real of 2 bytes"), ("22 3fc00000", "a real of 4 bytes"),
    ("24" + "00" * 16, "a real of 16 bytes"), ("2b 3ff8000000000000", "no object"), ("30 00", "a date of 1 byte"),
    ("32 3fc00000", "a date of 4 bytes"), ("3b 3ff8000000000000", "no object"), ("71 61", "a string in UTF-8"),
    ("80 07", "a UID"), ("81 0007", "a UID of 2 bytes"), ("90", "no object"), ("b0", "an ordered set"), ("c0", "a set"),
    ("e0", "no object"), ("f0", "no object"), ("ff", "no object"),
)


def add(vectors):
    def fine(name, comment, value):
        vectors.add("list_" + name, comment, "success", Vault(value).file())

    def bad(name, comment, *parts):
        vectors.add("list_" + name, comment, "invalidContents", Vault({"a": Raw(*parts), "b": 1}).file())

    for index, (text, what) in enumerate(MARKERS):
        marker = text[:2]
        before = sum(earlier.startswith(marker) for earlier, _ in MARKERS[:index])
        bad(f"marker_{marker}" + (f"_{before}" if before else ""), f"A value begins with {marker}: {what}.", text)

    integers = [0, 1, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**63 - 1, -1, -128, -(2**31), -(2**53), -(2**63)]
    fine("integers", "Integers at the edges of each width.", {"i": integers})
    for value, width in (
        (0, 2), (7, 4), (7, 8), (255, 2), (255, 8), (256, 4), (65_535, 4), (65_535, 8), (65_536, 8), (2**32 - 1, 8),
    ):
        marker = bytes([0x10 + (1, 2, 4, 8).index(width)])
        bad(f"integer_{value}_in_{width}", f"The integer {value} in {width} bytes.", marker,
            value.to_bytes(width, "big"))
    for marker in range(0x14, 0x20):  # a reader that looks at the low bits alone takes 17, 1b and 1f for 13
        bad(f"integer_marker_{marker:02x}", f"A value begins with {marker:02x}: 8 bytes follow, the first bit is set.",
            bytes([marker]), "8000000000000007")

    fine("reals", "Both zeros, both infinities, the one NaN, the least and the largest.", {"r": [Real(t) for t in (
        "0000000000000000", "8000000000000000", "7ff0000000000000", "fff0000000000000", "7ff8000000000000",
        "0000000000000001", "7fefffffffffffff", "3ff0000000000000", "c008000000000000")]})
    fine("real_minus_zero", "−0.0 is a value of its own.", {"a": Real("8000000000000000")})
    fine("date_subnormal", "The least date after 2001 began, a number that is not normalised.",
        {"a": Date("0000000000000001")})
    fine("dates", "Dates: before and after 2001, both zeros, the ends.", {"d": [Date(t) for t in (
        "0000000000000000", "8000000000000000", "c1cd27e440000000", "41c5a9c88c7ae148", "7fefffffffffffff",
        "ffefffffffffffff")]})
    for text, what in (
        ("fff8000000000000", "with the sign set"), ("7ff8000000000001", "with a payload"),
        ("7ff0000000000001", "that signals"), ("fff0000000000001", "that signals, with the sign set"),
        ("7fffffffffffffff", "with all bits set but the sign"), ("7ffc000000000000", "with the next bit set too"),
        ("ffffffffffffffff", "with all bits set"),
    ):
        bad(f"real_nan_{text}", f"A NaN {what}.", "23" + text)
    for name, text in (
        ("nan", "7ff8000000000000"), ("nan_negative", "fff8000000000000"), ("infinity", "7ff0000000000000"),
        ("minus_infinity", "fff0000000000000"), ("nan_signalling", "7ff0000000000001"),
    ):
        bad(f"date_{name}", f"A date that is not finite: {name.replace('_', ' ')}.", "33" + text)

    strings(vectors, fine, bad)
    counts(vectors, fine, bad)


def strings(vectors, fine, bad):
    fine("strings", "Strings at the edges of ASCII, of UTF-16 and of the surrogates.", {"s": [
        "", "\0", "\x7f", "\x80", "ÿ", "Ā", "\ud7ff", "\ue000", "\ufffe", "\uffff", "\ufeffa", "𐀀", "\U0010ffff", "a𝄞",
        "e\u0301", "\u212b"]})
    for text in ("a", "\x7f", "\0"):
        bad(f"string_utf16_{ord(text):02x}", "A string in UTF-16 that ASCII could hold.", "61",
            text.encode("utf-16-be"))
    bad("string_utf16_empty", "An empty string in UTF-16.", "60")
    bad("string_utf16_long", "15 letters of ASCII in UTF-16.", "6f100f", ("x" * 15).encode("utf-16-be"))
    for byte in (0x80, 0xC3, 0xFF):
        bad(f"string_ascii_{byte:02x}", f"A string in ASCII with the byte 0x{byte:02x}.", "53 61", bytes([byte]), "62")
    bad("string_ascii_utf8", "UTF-8 in a string that says ASCII.", "52", "é".encode())
    bad("string_ascii_last", "Only the last byte of a long ASCII string is above 0x7F.", "5f1014" + "61" * 19 + "80")
    for at in (0, 7, 8, 16):
        bad(f"string_ascii_80_at_{at}", f"Byte {at} of 17 of an ASCII string is 0x80.", "5f1011", b"x" * at, "80",
            b"x" * (16 - at))
        for name, unit in (("high", b"\xd8\x00"), ("low", b"\xdf\xff")):
            bad(f"surrogate_{name}_at_{at}", f"Unit {at} of 17 is a lone surrogate.", "6f1011",
                "é".encode("utf-16-be") * at, unit, "é".encode("utf-16-be") * (16 - at))
        fine(f"string_utf16_at_{at}", f"Only unit {at} of 17 is not ASCII.", {"s": "x" * at + "é" + "x" * (16 - at)})
    for name, what, units in (
        ("high_end", "A high surrogate at the end", "0061 d800"), ("high_only", "Nothing but a high surrogate", "dbff"),
        ("high_middle", "A high surrogate before a letter", "d800 0061"),
        ("high_twice", "Two high surrogates, then a low one", "d800 d800 dc00"),
        ("low_start", "A low surrogate before a letter", "dc00 0061"),
        ("low_only", "Nothing but a low surrogate", "dfff"),
        ("low_end", "A low surrogate after a letter", "0061 dc00"),
        ("swapped", "A pair in the wrong order", "dc00 d800"), ("low_low", "Two low surrogates", "dc00 dc00"),
        ("low_end_low", "The last low surrogate, then a low one", "dfff dc00"),
        ("low_twice", "A pair, then another low one", "d800 dc00 dc00"),
        ("high_above", "A high surrogate before U+E000", "d800 e000"),
        ("high_below", "A high surrogate before U+DBFF", "d800 dbff"),
    ):
        data = bytes.fromhex(units)
        bad(f"surrogate_{name}", f"{what}.", bytes([0x60 + len(data) // 2]), data)


def counts(vectors, fine, bad):
    fine("counts", "Counts of 14, 15, 255, 256 and 300 for each type that has one.", {
        "array": [[True] * n for n in (14, 15)], "data": [bytes(n) for n in (14, 15, 255, 256)],
        "dictionary": [{chr(0x61 + at): at for at in range(n)} for n in (14, 15)],
        "string": ["x" * n for n in (14, 15, 255, 256)], "utf16": ["é" * n for n in (14, 15, 300)]})
    fine("count_65536", "A count that needs 4 bytes.", {"data": bytes(65_536)})
    for kind, text in ((4, "data"), (5, "string")):
        for count, integer, what in (
            (14, "100e", "14 as a long count"), (0, "1000", "0 as a long count"), (15, "11000f", "15 in 2 bytes"),
            (15, "120000000f", "15 in 4 bytes"), (15, "13000000000000000f", "15 in 8 bytes"),
            (256, "1200000100", "256 in 4 bytes"), (256, "130000000000000100", "256 in 8 bytes"),
            (15, "14" + "00" * 15 + "0f", "15 in 16 bytes"),
        ):
            bad(f"count_{text}_{count}_{integer[:2]}", f"The count of {text}: {what}.", bytes([kind << 4 | 15]),
                integer, b"x" * count)
    bad("count_utf16_14", "The count of UTF-16: 14 as a long count.", "6f100e", "é".encode("utf-16-be") * 14)
    bad("count_utf16_15_11", "The count of UTF-16: 15 in 2 bytes.", "6f11000f", "é".encode("utf-16-be") * 15)
    bad("count_utf16_bytes", "The count of UTF-16 counts bytes.", "62", "é".encode("utf-16-be"))
    for name, integer, what in (
        ("real", "23402e000000000000", "a real"), ("string", "5131", "a string"), ("true", "09", "true"),
        ("date", "33402e000000000000", "a date"), ("null", "00", "null"), ("data", "410f", "data"),
        ("uid", "800f", "a UID"),
        ("marker_ff", "ff", "no object"),
        ("marker_0c", "0c0f", "no object"), ("marker_14", "140f", "an integer of 16 bytes, cut to one"),
        ("marker_16", "16 0000000f", "no object"), ("marker_17", "17 000000000000000f", "no object"),
        ("marker_20", "200f", "a real of 1 byte"), ("marker_50", "500f", "an empty string"),
        ("marker_90", "900f", "no object"),
    ):
        bad(f"count_is_{name}", f"The count of data is {what}.", "4f", integer, bytes(15))
    for name, integer in (
        ("past_end", "12ffffffff"), ("past_end_of_list", "1180ff"), ("negative", "13ffffffffffffffff"),
        ("huge", "137fffffffffffffff"), ("wraps_twice", "138000000000000008"),
        ("wraps_eightfold", "132000000000000001"),
    ):
        for kind, text in ((4, "data"), (6, "utf16"), (0xA, "array"), (0xD, "dictionary")):
            what = "has 8 bytes, which no count has" if integer[:2] == "13" else "is far beyond the list"
            bad(f"count_{text}_{name}", f"The count of {text} {what}: {name.replace('_', ' ')}.",
                bytes([kind << 4 | 15]), integer, bytes(16))
    cut = canonical({"a": bytes(300)})
    at = cut.index(b"\x4f\x11\x01\x2c")
    vectors.add("list_count_into_table", "The count of the last data goes on into the offset table.", "invalidContents",
        Vault(cut[:at] + b"\x4f\x11\x01\x2d" + cut[at + 4:]).file())
