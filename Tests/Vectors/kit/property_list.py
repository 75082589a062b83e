"""Property lists in pieces: the canonical form, and any list that breaks one of its rules."""

from kit.values import Date, Pairs, Raw, Real, in_order


class Node:
    """One object: its first bytes, then its references, which get their width when the list is put together."""

    def __init__(self, head, references=()):
        self.head, self.references = head, list(references)


def integer(value):
    if 0 <= value < 2**32:
        width = 1 if value < 2**8 else 2 if value < 2**16 else 4
        return bytes([0x10 + (1, 2, 4).index(width)]) + value.to_bytes(width, "big")
    return b"\x13" + value.to_bytes(8, "big", signed=True)


def head(kind, count):
    """The first byte of an object with a count, and the count if it is a long one."""
    return bytes([kind << 4 | count]) if count < 15 else bytes([kind << 4 | 15]) + integer(count)


def leaf(value):
    if isinstance(value, Raw):
        return value.bytes
    if isinstance(value, bool):
        return b"\x09" if value else b"\x08"
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, Real):
        return b"\x23" + value.bits
    if isinstance(value, Date):
        return b"\x33" + value.bits
    if isinstance(value, bytes):
        return head(4, len(value)) + value
    if all(ord(c) < 0x80 for c in value):
        return head(5, len(value)) + value.encode("ascii")
    units = value.encode("utf-16-be", "surrogatepass")
    return head(6, len(units) // 2) + units


def nodes(value):
    """The objects of a value in the order of the format: a container, its keys, then what is in it."""
    result = []

    def add(value):
        number = len(result)
        if isinstance(value, list):
            node = Node(head(0xA, len(value)))
            result.append(node)
            node.references = [add(element) for element in value]
        elif isinstance(value, (dict, Pairs)):
            pairs = value.pairs if isinstance(value, Pairs) else in_order(value)
            node = Node(head(0xD, len(pairs)))
            result.append(node)
            keys = [add(key) for key, _ in pairs]
            node.references = keys + [add(element) for _, element in pairs]
        else:
            result.append(Node(leaf(value)))
        return number

    add(value)
    return result


def width(value):
    return 1 if value < 2**8 else 2 if value < 2**16 else 4


def assemble(
    objects, *, magic=b"bplist00", reference_width=None, offset_width=None, offsets=None, before_table=b"",
    after_table=b"", unused=bytes(6), count=None, top=0, table=None, mark=None,
):
    """A list from its objects. What is given is written as it is; the rest is as it has to be.

    `mark` is a dictionary that gets the places of the parts."""
    reference_width = reference_width or width(len(objects) - 1)
    body, found = bytearray(magic), []
    for node in objects:
        found.append(len(body))
        body += node.head
        for reference in node.references:
            body += reference.to_bytes(reference_width, "big")
    body += before_table
    end = len(body)
    offset_width = offset_width if offset_width is not None else width(end)
    for offset in found if offsets is None else offsets(found):
        body += offset.to_bytes(offset_width, "big")
    body += after_table
    if mark is not None:
        mark.update(table=end, trailer=len(body), offsets=found)
    body += unused + bytes([offset_width, reference_width])
    for number in (len(objects) if count is None else count, top, end if table is None else table):
        body += number.to_bytes(8, "big")
    return bytes(body)


def canonical(value):
    return assemble(nodes(value))


def dictionary(*references):
    """A dictionary by its references: first those of the keys, then those of the values."""
    return Node(head(0xD, len(references) // 2), references)


def array(*references):
    return Node(head(0xA, len(references)), references)


def objects(*parts):
    """A list by its objects: nodes as they are, values as leaves."""
    return [part if isinstance(part, Node) else Node(leaf(part)) for part in parts]
