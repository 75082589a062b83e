"""What is around the objects: magic, offset table, trailer, widths, the root, depth, and many objects."""

from kit.property_list import array, assemble, canonical, dictionary, nodes, objects
from kit.vault import BASIC, Vault

LIST = canonical(BASIC)


def add(vectors):
    def bad(name, comment, data):
        assert data != LIST
        vectors.add("list_" + name, comment, "invalidContents", Vault(data).file())

    def fine(name, comment, value):
        vectors.add("list_" + name, comment, "success", Vault(value).file())

    def frame(name, comment, value=BASIC, **changes):
        bad(name, comment, assemble(nodes(value), **changes))

    for magic in (b"bplist01", b"bplist10", b"bplist0\0", b"Bplist00", b"bplist15", b"xplist00", bytes(8)):
        frame(f"magic_{magic.hex()}", f"The list begins with {magic!r}.", magic=magic)
    bad("xml", "A list in XML.", b'<?xml version="1.0"?><plist version="1.0"><dict/></plist>')
    bad("json", "A dictionary in JSON.", b'{"n":7}' + bytes(80))
    bad("zeros", "82 zeros.", bytes(82))
    bad("ff", "82 bytes of 0xFF.", b"\xff" * 82)
    for length in (1, 8, 9, 32, 40, 41, len(LIST) - 32, len(LIST) - 1):
        bad(f"cut_{length}", f"The list is cut to {length} bytes.", LIST[:length])
    bad("trailer_only", "Nothing but a trailer.", LIST[-32:])
    bad("table_missing", "The offset table is missing.", assemble(nodes(BASIC), offsets=lambda found: []))
    bad("header_missing", "The first 8 bytes are missing, and all offsets fit.", assemble(nodes(BASIC), magic=b""))
    bad("byte_after", "A zero after the trailer.", LIST + b"\0")
    bad("second_after", "A second list after the first.", LIST + LIST)
    bad("byte_before", "A zero before the list.", b"\0" + LIST)

    for at in range(6):
        frame(f"trailer_byte_{at}", f"Byte {at} of the trailer is 1.", unused=bytes(at) + b"\1" + bytes(5 - at))
    frame("count_less", "The trailer says one object less than there are.", count=6)
    frame("count_more", "The trailer says one object more than there are.", count=8)
    bad("count_more_entry", "The trailer says one object more, and the table has an entry for it.",
        assemble(nodes(BASIC), count=8, after_table=b"\x25"))
    bad("count_less_entry", "The trailer says one object less, and the table has one entry less.",
        assemble(nodes(BASIC), count=6, offsets=lambda found: found[:-1]))
    frame("count_0", "The trailer says that there are no objects.", count=0)
    frame("count_high", "The highest byte of the number of objects is 1.", count=7 + 2**56)
    frame("count_2_32", "The number of objects is 2^32 too large.", count=7 + 2**32)
    frame("count_4194305", "The trailer says one object more than the most there can be.", count=4_194_305)
    frame("top_1", "The top object is a key.", top=1)
    frame("top_past_end", "The top object is the one after the last.", top=7)
    frame("top_high", "The highest byte of the top object is 1.", top=2**56)
    frame("top_2_32", "The top object is 2^32.", top=2**32)
    bad("top_nested", "The top object is a nested dictionary.", assemble(nodes({"a": {"b": 1}}), top=2))
    for what, delta in (("less", -1), ("more", 1), ("2_32", 2**32), ("high", 2**56)):
        frame(f"table_{what}", f"The offset of the table is wrong by {delta}.", table=43 + delta)
    frame("table_0", "The offset of the table is 0.", table=0)
    frame("table_in_trailer", "The offset of the table is that of the trailer.", table=50)
    for number, name in ((0, "root"), (1, "key"), (5, "value"), (6, "last")):
        frame(f"offset_{name}", f"The table's entry of object {number} is one too large.",
              offsets=lambda f, number=number: [o + (at == number) for at, o in enumerate(f)])
    frame("offset_other", "The table has the entry of another value twice.", offsets=lambda f: f[:-1] + [f[-2]])
    frame("offset_past_end", "An entry of the table is past the end of the list.", offsets=lambda f: f[:-1] + [0xFF])
    frame("offset_0", "An entry of the table is 0.", offsets=lambda f: f[:-1] + [0])
    frame("offset_high_byte", "Only the high byte of an entry of 2 bytes is wrong.", {"a": bytes(300), "b": 1},
          offsets=lambda f: f[:1] + [f[1] + 256] + f[2:])
    bad("no_objects", "There are no objects, and no table.", assemble([]))
    bad("value_in_table", "The last object is the first entry of the table, which reads as false.",
        assemble(objects(dictionary(1, 2), "a"), count=3, after_table=b"\x0d"))
    frame("offset_zeros", "All entries of the table are 0.", offsets=lambda f: [0] * 7)
    bad("offsets_swapped", "Two entries of the table are swapped, and so are the references.",
        assemble(objects(dictionary(1, 2, 4, 3), "a", "b", 1, 2), offsets=lambda f: f[:3] + [f[4], f[3]]))
    bad("offsets_swapped_only", "Two entries of the table are swapped: the values change places.",
        assemble(objects(dictionary(1, 2, 3, 4), "a", "b", 1, 2), offsets=lambda f: f[:3] + [f[4], f[3]]))

    for size in (2, 3, 4, 8):
        frame(f"offset_width_{size}", f"Offsets have {size} bytes where 1 is enough.", offset_width=size)
        frame(f"reference_width_{size}", f"References have {size} bytes where 1 is enough.", reference_width=size)
    frame("offset_width_16", "Offsets have 16 bytes.", offset_width=16)
    bad("offset_width_0", "The offset width is 0.", LIST[:-26] + b"\0" + LIST[-25:])
    bad("reference_width_0", "The reference width is 0.", LIST[:-25] + b"\0" + LIST[-24:])
    bad("offset_width_255", "The offset width is 255.", LIST[:-26] + b"\xff" + LIST[-25:])
    bad("reference_width_255", "The reference width is 255.", LIST[:-25] + b"\xff" + LIST[-24:])
    bad("widths_swapped", "The trailer's widths are swapped.", swapped_widths())

    roots(bad)
    depths(vectors, fine, bad)
    many(vectors, fine, bad)


def swapped_widths():
    data = canonical({"a": bytes(300)})
    assert data[-26:-24] == b"\x02\x01"
    return data[:-26] + b"\x01\x02" + data[-24:]


def roots(bad):
    for name, value in (
        ("array", []), ("array_of_dictionary", [{"a": 1}]), ("string", "a"), ("integer", 1), ("true", True),
        ("data", b"a")):
        bad(f"root_{name}", f"The root is: {name.replace('_', ' ')}.", canonical(value))


def depths(vectors, fine, bad):
    def nested(depth, make, inner):
        value = inner
        for _ in range(depth - 2):
            value = make(value)
        return {"a": value}

    def in_array(value):
        return [value]

    def in_dictionary(value):
        return {"": value}

    for name, make, inner in (("arrays", in_array, []), ("dictionaries", in_dictionary, {})):
        fine(f"depth_32_{name}", f"Depth 32, the root and 31 {name}.", nested(32, make, inner))
        bad(f"depth_33_{name}", f"Depth 33, the root and 32 {name}.", canonical(nested(33, make, inner)))
        bad(f"depth_34_{name}", "Depth 34, which metadata may have.", canonical(nested(34, make, inner)))
    fine("depth_32_leaf", "A leaf in depth 32.", nested(32, in_array, [1]))
    fine("depth_32_twice", "Two branches of depth 32: depth is not a sum.", {
        "a": nested(31, in_array, [1]), "b": nested(31, in_dictionary, {})})
    bad("depth_33_second", "Only the second branch is too deep.", canonical({
        "a": 1, "b": nested(32, in_array, [1])}))
    bad("depth_1000", "Depth 1,000.", assemble(
        objects(dictionary(1, 2), "a", *(array(at + 1) for at in range(2, 1_000)), array())))


def many(vectors, fine, bad):
    def of(count):
        """A list of so many objects: root, key, array and elements."""
        return {"a": [True] * (count - 3)}

    fine("objects_256", "256 objects: references of 1 byte.", of(256))
    fine("objects_257", "257 objects: references of 2 bytes.", of(257))
    bad("objects_256_wide", "256 objects, and references of 2 bytes.", assemble(nodes(of(256)), reference_width=2))
    wrapped = objects(dictionary(1, 2), "a", array(*(at % 256 for at in range(3, 257))), *[True] * 254)
    bad("objects_257_narrow", "257 objects, and references of 1 byte, of which the last does not fit.",
        assemble(wrapped, reference_width=1))
    bad("objects_257_wider", "257 objects, and references of 4 bytes.", assemble(nodes(of(257)), reference_width=4))
    fine("objects_65536", "65,536 objects: references of 2 bytes.", of(65_536))
    fine("objects_65537", "65,537 objects: references of 4 bytes.", of(65_537))
    bad("objects_65536_wide", "65,536 objects, and references of 4 bytes.",
        assemble(nodes(of(65_536)), reference_width=4))

    def table_at(offset):
        for length in range(offset - 40, offset):
            value = {"a": bytes(max(length, 0))}
            if offset == assembled_table(value):
                return value
        raise ValueError(offset)

    fine("table_at_255", "The table is at 255: offsets of 1 byte.", table_at(255))
    fine("table_at_256", "The table is at 256: offsets of 2 bytes.", table_at(256))
    fine("table_at_65535", "The table is at 65,535: offsets of 2 bytes.", table_at(65_535))
    fine("table_at_65536", "The table is at 65,536: offsets of 4 bytes.", table_at(65_536))
    bad("table_at_255_wide", "The table is at 255, and offsets have 2 bytes.",
        assemble(nodes(table_at(255)), offset_width=2))
    bad("table_at_256_narrow", "The table is at 256, and offsets have 1 byte, which they all fit.",
        assemble(nodes(table_at(256)), offset_width=1))
    bad("table_at_65535_wide", "The table is at 65,535, and offsets have 4 bytes.",
        assemble(nodes(table_at(65_535)), offset_width=4))
    bad("table_at_65536_narrow", "The table is at 65,536, and offsets have 2 bytes, which they all fit.",
        assemble(nodes(table_at(65_536)), offset_width=2))
    bad("table_at_256_wider", "The table is at 256, and offsets have 4 bytes.",
        assemble(nodes(table_at(256)), offset_width=4))


def assembled_table(value):
    mark = {}
    assemble(nodes(value), mark=mark)
    return mark["table"]
