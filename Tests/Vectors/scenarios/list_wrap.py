"""Counts of legal form that are lengths of a few bytes, or below 0, to a reader that computes in 32 bits."""

from kit.property_list import Node, array, assemble, dictionary, objects
from kit.values import Raw
from kit.vault import Vault


def long_head(kind, count):
    return bytes([kind << 4 | 15, 0x12]) + count.to_bytes(4, "big")


def add(vectors):
    def bad(name, comment, settings):
        vectors.add("list_wrap_" + name, comment, "invalidContents", Vault(settings).file())

    def value(name, comment, *parts):
        bad(name, comment, {"a": Raw(*parts), "b": 1})

    value("utf16", "A string of 2^31 + 15 units, of which there are 15: its bytes are 30, modulo 2^32.",
        long_head(6, 2**31 + 15), "é".encode("utf-16-be") * 15)
    value("utf16_empty", "A string of 2^31 units, of which there are none: its bytes are 0, modulo 2^32.",
        long_head(6, 2**31))
    # References are strings that ascend, so all of them can be taken for keys.
    letters = [chr(0x61 + at) for at in range(26)] + ["za", "zb", "zc", "zd"]
    bad("dictionary", "A dictionary of 2^31 + 15 pairs, of which there are 15: its references are 30, modulo 2^32.",
        assemble(objects(dictionary(1, 2), "a", Node(long_head(0xD, 2**31 + 15), range(3, 33)), *letters)))
    bad("dictionary_root", "The same dictionary as the root.",
        assemble(objects(Node(long_head(0xD, 2**31 + 15), range(1, 31)), *letters)))
    bad("dictionary_empty", "A dictionary of 2^31 pairs, of which there are none: its references are 0, modulo 2^32.",
        assemble(objects(dictionary(1, 2), "a", Node(long_head(0xD, 2**31)))))
    for width, exponent, others in ((2, 31, 250), (4, 30, 65_520)):
        bad(f"array_width_{width}", f"An array of 2^{exponent} + 15 elements, of which there are 15, with references "
            f"of {width} bytes: they have {15 * width} bytes, modulo 2^32.",
            beside(long_head(0xA, 2**exponent + 15), 15, others))
    bad("array_empty", "An array of 2^31 elements, of which there are none, with references of 2 bytes: they have no "
        "bytes, modulo 2^32.", beside(long_head(0xA, 2**31), 0, 260))
    bad("dictionary_width_2", "A dictionary of 2^30 + 15 pairs, of which there are 15, with references of 2 bytes: "
        "they have 60 bytes, modulo 2^32.", beside(long_head(0xD, 2**30 + 15), 30, 250, letters))

    for kind, text in ((4, "data"), (5, "string"), (6, "utf16"), (0xA, "array"), (0xD, "dictionary")):
        value(f"negative_{text}", f"The count of {text} is −1 to a reader that takes 32 bits for signed.",
            long_head(kind, 2**32 - 1))
    for kind, text in ((4, "data"), (5, "string"), (0xA, "array")):
        value(f"lowest_{text}", f"The count of {text} is −2^31 to a reader that takes 32 bits for signed.",
            long_head(kind, 2**31))


def beside(head, count, others, leaves=None):
    """A container with this head, and beside it as many objects as the width of its references takes."""
    after = 4 + count
    return assemble(objects(
        dictionary(1, 2, 3, after), "a", "b", Node(head, range(4, after)), *(leaves or [True] * count),
        array(*range(after + 1, after + 1 + others)), *[True] * others))
