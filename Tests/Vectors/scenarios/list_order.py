"""Objects and references: their order, what is shared, left over or in the way, and the order of keys."""

from kit.property_list import array, assemble, dictionary, nodes, objects
from kit.values import Pairs, Raw
from kit.vault import BASIC, Vault


def add(vectors):
    def bad(name, comment, *parts, **changes):
        vectors.add("list_" + name, comment, "invalidContents", Vault(assemble(objects(*parts), **changes)).file())

    # Each is the same dictionary to a reader that follows references.
    bad("order_values_swapped", "The values stand in the order opposite to that of their keys.",
        dictionary(1, 2, 4, 3), "a", "b", 2, 1)
    bad("order_keys_swapped", "The keys stand in the order opposite to that of the references.",
        dictionary(2, 1, 3, 4), "b", "a", 1, 2)
    bad("order_keys_last", "The keys stand after the values.", dictionary(3, 4, 1, 2), 1, 2, "a", "b")
    bad("order_pairs", "Each value stands after its key.", dictionary(1, 3, 2, 4), "a", 1, "b", 2)
    bad("order_pairs_one", "A dictionary of one whose value stands before the key.", dictionary(2, 1), 1, "a")
    bad("order_breadth_first", "What is in a nested array stands after the value next to it.",
        dictionary(1, 2, 3, 4), "a", "b", array(5), 2, 1)
    bad("order_elements_swapped", "The elements of an array stand in the opposite order.",
        dictionary(1, 2), "a", array(4, 3), 2, 1)
    bad("order_elements_first", "The elements of an array stand before it.", dictionary(1, 4), "a", 1, 2, array(2, 3))
    bad("order_depth_swapped", "The subtrees of two arrays stand in the opposite order.",
        dictionary(1, 2, 5, 3), "a", "b", array(4), 2, array(6), 1)
    bad("order_root_last", "The root is the last object, and the trailer says so.", "a", 1, dictionary(0, 1), top=2)
    bad("order_root_second", "The root is the second object, after the key.", "a", dictionary(0, 2), 1, top=1)

    bad("shared_leaf", "Two keys have one value.", dictionary(1, 2, 3, 3), "a", "b", 1)
    bad("shared_key", "A nested dictionary has the key of the outer one.", dictionary(1, 2), "a", dictionary(1, 3), 1)
    bad("shared_key_as_value", "The key is its own value.", dictionary(1, 1), "a")
    bad("shared_container", "Two keys have one array.", dictionary(1, 2, 3, 3), "a", "b", array(4), 1)
    bad("shared_empty_container", "Two keys have one empty array.", dictionary(1, 2, 3, 3), "a", "b", array())
    bad("shared_element", "An array has one element twice.", dictionary(1, 2), "a", array(3, 3), 1)
    bad("shared_bomb", "Arrays of two references to the next: 2^20 leaves in 22 objects.",
        dictionary(1, 2), "a", *(array(at + 1, at + 1) for at in range(2, 22)), 1)
    bad("cycle_self", "An array that is its own element.", dictionary(1, 2), "a", array(2))
    bad("cycle_root", "An array with the root in it.", dictionary(1, 2), "a", array(0))
    bad("cycle_two", "Two arrays within each other.", dictionary(1, 2), "a", array(3), array(2))
    bad("reference_past_end", "A reference to the object after the last.", dictionary(1, 3), "a", 1)
    bad("reference_255", "A reference to object 255 of 3.", dictionary(1, 255), "a", 1)
    bad("reference_key_past_end", "A key's reference to the object after the last.", dictionary(3, 2), "a", 1)
    bad("reference_keys_swapped", "The keys are in order, their references are not.", dictionary(2, 1, 3, 4), "a", "b",
        1, 2)
    bad("reference_key_twice", "Both key references are to the first key.", dictionary(1, 1, 3, 4), "a", "b", 1, 2)
    bad("reference_key_to_value", "A key reference is to the value.", dictionary(2, 2), "a", "b")
    bad("reference_first_element", "Only the first reference of an array is wrong.",
        dictionary(1, 2), "a", array(4, 4, 5), 1, 2, 3)
    bad("reference_last_element", "Only the last reference of an array is wrong.",
        dictionary(1, 2), "a", array(3, 4, 4), 1, 2, 3)
    wide = nodes({"a": [True] * 300})
    wide[2].references[7] += 256
    bad("reference_high_byte", "Only the high byte of a reference of 2 bytes is wrong.", *wide)
    bad("unused_last", "An object at the end that nothing refers to.", dictionary(1, 2), "a", 1, 2)
    bad("unused_middle", "An object in the middle that nothing refers to.", dictionary(1, 3), "a", 2, 1)
    bad("unused_container", "A dictionary at the end that nothing refers to.", dictionary(1, 2), "a", 1, dictionary())
    bad("unused_first", "An object before the root, which the trailer names.", 7, dictionary(2, 3), "a", 1, top=1)

    gaps(vectors)
    keys(vectors)


def gaps(vectors):
    def bad(name, comment, value, **changes):
        vectors.add("list_" + name, comment, "invalidContents", Vault(assemble(value, **changes)).file())

    parts = nodes(BASIC)

    for number, name in ((0, "first"), (4, "middle"), (6, "last")):
        changed = nodes(BASIC)
        changed[number].head = b"\0" + changed[number].head
        bad(f"gap_{name}", f"A zero before the {name} object, which the table steps over.", changed,
            offsets=lambda found, number=number: [o + (at == number) for at, o in enumerate(found)])
    bad("gap_before_table", "A zero between objects and table.", parts, before_table=b"\0")
    bad("gap_before_table_object", "A true between objects and table, which no entry names.", parts,
        before_table=b"\x09")
    bad("gap_after_table", "A zero between table and trailer.", parts, after_table=b"\0")
    bad("gap_after_table_entry", "An entry of the table too many.", parts, after_table=b"\x08")
    # The bytes of "n" are also those of a dictionary's value.
    inside = objects(dictionary(1, 2, 3, 4), "a", "b", Raw("42 10 05"), 5)
    bad("overlap", "The last object lies in the data before it.", inside[:-1] + objects(Raw("")),
        offsets=lambda found: found[:-1] + [found[-1] - 2])
    bad("overlap_tail", "A string whose last byte is the next value as well.",
        objects(dictionary(1, 2, 3, 4), "a", "b", Raw("51 09"), Raw("")), offsets=lambda f: f[:-1] + [f[-1] - 1])
    bad("overlap_same", "Two entries of the table for the same bytes.",
        objects(dictionary(1, 2, 3, 4), "a", "b", True, Raw("")), offsets=lambda f: f[:-1] + [f[-1] - 1])


def keys(vectors):
    def bad(name, comment, value):
        vectors.add("key_" + name, comment, "invalidContents", Vault(value).file())

    def fine(name, comment, value):
        vectors.add("key_" + name, comment, "success", Vault(value).file())

    fine("order", "Keys in the order of their UTF-8, at each border.", {
        text: at for at, text in enumerate((
            " ", "A", "a", "a a", "aa", "ab", "b", "é", "߿", "ࠀ", "\ud7ff", "\ue000", "\uffff", "𐀀", "\U0010ffff"))})
    fine("order_nested", "The same in a nested dictionary, with the empty key.", {"d": {
        text: at for at, text in enumerate(("", "\0", "a", "é", "\uffff", "𐀀"))}})
    fine("utf16_among_ascii", "A key in UTF-16 between two in ASCII, after one letter that is less.",
        {"a": 1, "aé": 2, "b": 3})
    fine("order_long", "Keys that differ after 300 bytes.", {"x" * 300 + c: 1 for c in ("", "a", "b")})
    bad("equal", "The same key twice, in two objects.", Pairs(("a", 1), ("a", 2)))
    bad("equal_values", "The same key twice, with the same value.", Pairs(("a", 1), ("a", 1)))
    bad("equal_utf16", "The same key twice, outside of ASCII.", Pairs(("é", 1), ("é", 2)))
    bad("equal_empty_nested", "The empty key twice, in a nested dictionary.", {"d": Pairs(("", 1), ("", 2))})
    bad("descending", "Two keys in the wrong order.", Pairs(("b", 1), ("a", 2)))
    bad("descending_last", "Only the last two of many keys are in the wrong order.",
        Pairs(*((c, 1) for c in "abcdefgih")))
    bad("descending_first", "Only the first two of many keys are in the wrong order.",
        Pairs(*((c, 1) for c in "bacdefghi")))
    bad("prefix_after", "A key after one that it is a prefix of.", Pairs(("ab", 1), ("a", 2)))
    bad("length_order", "Keys in the order of their lengths.", Pairs(("b", 1), ("aa", 2)))
    bad("case_order", "Keys in an order that does not know case.", Pairs(("a", 1), ("B", 2)))
    bad("utf16_order", "Keys in the order of UTF-16: a pair of surrogates before U+E000.",
        Pairs(("𐀀", 1), ("\ue000", 2)))
    bad("utf16_order_ffff", "Keys in the order of UTF-16: a pair of surrogates before U+FFFF.",
        Pairs(("a\U0010ffff", 1), ("a\uffff", 2)))
    bad("ascii_after_utf16", "Keys of ASCII after the others.", Pairs(("é", 1), ("a", 2)))
    bad("prefix_after_utf16", "A key after one that it is a prefix of, in another encoding.",
        Pairs(("aé", 1), ("a", 2)))
    bad("prefix_after_both_utf16", "A key after one that it is a prefix of, outside of ASCII.",
        Pairs(("éé", 1), ("é", 2)))
    bad("utf16_after_ascii_prefix", "Keys of two encodings in the wrong order, after the same letters.",
        Pairs(("xxxxxxxxé", 1), ("xxxxxxxxz", 2)))
    for at in (7, 8, 299):
        bad(f"descending_at_{at}", f"Two keys in the wrong order that differ at {at}.",
            Pairs(("x" * at + "b", 1), ("x" * at + "a", 2)))
        bad(f"equal_to_{at}", f"The same key of {at} letters twice.", Pairs(("x" * at, 1), ("x" * at, 2)))
    bad("surrogates_descending", "Two keys above U+FFFF in the wrong order.",
        Pairs(("\U00010001", 1), ("\U00010000", 2)))
    bad("little_endian_order", "Keys in the order of UTF-16 read little-endian.", Pairs(("Ȁ", 1), ("ā", 2)))
    bad("signed_order", "Keys in the order of bytes that are signed.", Pairs(("ÿ", 1), ("z", 2)))
    bad("descending_nested", "Two keys in the wrong order, in a nested dictionary.", {"d": Pairs(("b", 1), ("a", 2))})
    bad("descending_in_array", "Two keys in the wrong order, in a dictionary in an array.",
        {"a": [{}, Pairs(("b", 1), ("a", 2))]})
    for name, raw, what in (
        ("integer", "1001", "an integer"), ("data", "4161", "data"), ("true", "09", "true"),
        ("real", "23" + "00" * 8, "a real"),
        ("date", "33" + "00" * 8, "a date"), ("array", "a0", "an empty array"),
        ("dictionary", "d0", "an empty dictionary"),
        ("null", "00", "null"), ("uid", "8001", "a UID"),
    ):
        bad(f"is_{name}", f"A key is {what}.", Pairs((Raw(raw), 1)))
    for marker in ("41", "71", "f1"):
        bad(f"begins_with_{marker}", f"A key begins with {marker}, and UTF-16 follows.",
            Pairs((Raw(marker, "00e9"), 1)))
        bad(f"begins_with_{marker}_ascii", f"A key begins with {marker}, and ASCII follows.",
            Pairs((Raw(marker, "61"), 1)))
    bad("is_integer_nested", "A key of a nested dictionary is an integer.", {"d": Pairs((Raw("1001"), 1))})
    bad("is_array_nested", "A key of a nested dictionary is an empty array.", {"d": Pairs((Raw("a0"), 1))})
    bad("utf16_for_ascii", "A key in UTF-16 that ASCII could hold.", Pairs((Raw("61 0061"), 1)))
    bad("ascii_80", "A key in ASCII with the byte 0x80.", Pairs((Raw("52 6180"), 1)))
    bad("surrogate", "A key with a lone surrogate.", Pairs((Raw("62 0061 d800"), 1)))
    bad("count_not_least", "A key whose count is in 2 bytes.", Pairs((Raw("5f11000f", b"k" * 15), 1)))
    bad("surrogate_nested", "A nested key with a lone surrogate.", {"d": Pairs((Raw("62 dc00 0061"), 1))})
