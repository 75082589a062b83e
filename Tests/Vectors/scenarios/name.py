"""Setting names: their lengths, the characters that are not allowed, and the keys that are no names."""

from kit.vault import Vault


def add(vectors):
    def fine(name, comment, value):
        vectors.add("name_" + name, comment, "success", Vault(value).file())

    def bad(name, comment, value):
        vectors.add("name_" + name, comment, "invalidContents", Vault(value).file())

    bad("empty", "A name of no bytes.", {"": 1})
    bad("empty_among_others", "A name of no bytes, and another.", {"": 1, "a": 2})
    fine("1_byte", "The shortest names.", {"!": 1, "a": 2})
    fine("1024_bytes", "A name of 1,024 bytes of ASCII.", {"n" * 1_024: 1})
    bad("1025_bytes", "A name of 1,025 bytes of ASCII.", {"n" * 1_025: 1})
    fine("1024_bytes_of_2", "A name of 512 letters of 2 bytes.", {"é" * 512: 1})
    bad("1025_bytes_of_2", "A name of 1,025 bytes: 512 letters of 2 bytes, and one of ASCII.", {"é" * 512 + "n": 1})
    fine("1024_bytes_of_3", "A name of 341 letters of 3 bytes, and one of ASCII: 342 units of UTF-16.",
         {"水" * 341 + "n": 1})
    bad("1026_bytes_of_3", "A name of 342 letters of 3 bytes: 1,026 bytes.", {"水" * 342: 1})
    fine("1024_bytes_of_4", "A name of 256 characters of 4 bytes: 512 units of UTF-16.", {"𝄞" * 256: 1})
    bad("1025_bytes_of_4", "A name of 1,025 bytes: 256 characters of 4 bytes, and one of ASCII.", {"n" + "𝄞" * 256: 1})
    bad("1028_bytes_of_4", "A name of 257 characters of 4 bytes.", {"𝄞" * 257: 1})
    bad("1025_bytes_of_2_first", "The same with U+00A0, the first of 2 bytes that a name can have.",
        {"\xa0" * 512 + "n": 1})
    fine("1024_bytes_of_2_last", "A name of 512 times U+07FF, the last of 2 bytes.", {"\u07ff" * 512: 1})
    bad("1026_bytes_of_3_first", "A name of 342 times U+0800, the first of 3 bytes.", {"\u0800" * 342: 1})
    bad("1026_bytes_of_3_last", "A name of 342 times U+FFFF, the last of 3 bytes.", {"\uffff" * 342: 1})
    bad("1024_units", "A name of 1,024 units of UTF-16, 2,048 bytes of UTF-8.", {"é" * 1_024: 1})
    bad("second_too_long", "Only the second name is too long.", {"a": 1, "n" * 1_025: 1})

    for code in (0x00, 0x01, 0x09, 0x0A, 0x0D, 0x1B, 0x1E, 0x1F, 0x7F, 0x80, 0x81, 0x85, 0x9B, 0x9E, 0x9F):
        bad(f"u{code:04x}", f"U+{code:04X} within a name.", {f"a{chr(code)}b": 1})
    bad("control_only", "Nothing but a control character.", {"\x01": 1})
    bad("control_first", "A control character at the start.", {"\x1fa": 1})
    bad("control_last", "A control character at the end.", {"a\x1f": 1})
    bad("control_last_utf16", "A control character at the end of a name in UTF-16.", {"水\x1f": 1})
    bad("c1_last_utf16", "U+0080 at the end of a name.", {"水\x80": 1})
    bad("control_second", "A control character in the second name only.", {"a": 1, "b\n": 2})
    for code in (0x00, 0x1F, 0x7F):
        for at in (0, 7, 8, 15, 16):
            bad(f"long_u{code:04x}_at_{at}", f"U+{code:04X} as character {at} of a name of 17.", {
                "n" * at + chr(code) + "n" * (16 - at): 1})
    bad("long_u0080_at_9", "U+0080 as character 9 of a name of 17.", {"n" * 9 + "\x80" + "n" * 7: 1})
    for code in (0x20, 0x7E, 0xA0, 0xAD, 0xFF, 0x0100, 0x010A, 0x1F00, 0x200B, 0x2028, 0x7F7F, 0x8080, 0xE000, 0xFEFF,
        0xFFFE, 0xFFFF, 0x1001F, 0x10FFFF):
        fine(f"u{code:04x}", f"U+{code:04X} is allowed in a name.", {f"a{chr(code)}b": 1})
    fine("space_only", "Nothing but a space.", {" ": 1})
    fine("punctuation", "All of ASCII that is allowed.", {"".join(map(chr, range(0x20, 0x7F))): 1})
    fine("paths", "Names that look like paths and options.", {"..": 1, "/a/b": 2, "--help": 3, "a=b": 4})
    fine("not_nfc", "A name that is not NFC: e and an accent.", {"e\u0301": 1})
    fine("not_nfc_hangul", "A name that is not NFC: Hangul in its parts.", {"\u1112\u1161\u11ab": 1})
    fine("nfc_and_not", "Two names that NFC would make one.", {"e\u0301": 1, "é": 2})
    fine("angstrom", "Three names that NFC would make one.", {"A\u030a": 1, "Å": 2, "\u212b": 3})
    fine("case", "Names that differ in case alone.", {"A": 1, "a": 2})
    fine("unassigned", "A code point that Unicode has not assigned.", {"a\U000e0fff": 1})
    fine("of_values", "Names say nothing about their values.", {"true": 1, "1": "x", "null": {}})

    fine("nested_empty", "A nested key of no bytes.", {"a": {"": 1}})
    fine("nested_control", "Nested keys with control characters.", {"a": {"\0": 1, "\n": 2, "\x7f": 3, "\x9f": 4}})
    fine("nested_1025_bytes", "A nested key of 1,025 bytes.", {"a": {"n" * 1_025: 1}})
    fine("nested_in_array", "A key of no bytes in a dictionary in an array.", {"a": [{"": 1}]})
    fine("nested_not_nfc", "Two nested keys that NFC would make one.", {"a": {"e\u0301": 1, "é": 2}})
    fine("value_like_name", "A value with control characters.", {"a": "\0\n\x7f\x9f"})
