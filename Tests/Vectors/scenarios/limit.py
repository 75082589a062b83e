"""The limits of step 6: at, below and above each, and each byte of each field.

Where a cost beyond the limit can be paid, the file is whole, so that a reader without the limit opens it. Where it
cannot, and at the limits themselves, a slot is missing: a file that passes the limits is then `damaged`, which is
known before anything is derived."""

from kit.slots import slot
from kit.vault import Vault

MASTER = Vault().file().master
DEAR = Vault(master=MASTER, slot_count=1)  # says one slot, has none


def add(vectors):
    def beyond(name, comment, file, field, value, bound):
        vectors.add("limit_" + name, comment, "limitExceeded", file, field=field, value=value, bound=bound)

    def within(name, comment, file):
        vectors.add("limit_" + name, comment + ": no limit is passed, but a slot is missing.", "damaged", file)

    beyond("ops_0", "No passes.", DEAR.but(ops=0).file(), "ops", 0, 1)
    vectors.add("limit_ops_16", "The most passes.", "success", Vault(ops=16).file())
    beyond("ops_17", "One pass too many; the file is whole.", Vault(ops=17).file(), "ops", 17, 16)
    for ops in (0x0101, 0x010001, 0x01000001, 0x80000001, 0xFFFFFFFF):
        beyond(f"ops_{ops:08x}", f"ops is {ops}.", DEAR.but(ops=ops).file(), "ops", ops, 16)

    beyond("mem_0", "No memory.", DEAR.but(mem=0).file(), "mem", 0, 8_192)
    beyond("mem_8191", "A KiB too few; the file is whole.", Vault(mem=8_191).file(), "mem", 8_191, 8_192)
    beyond("mem_32", "Only the low byte of mem is set, to that of the high one.", Vault(mem=32).file(), "mem", 32,
        8_192)
    vectors.add("limit_mem_8193", "A mem that is no multiple of 4 KiB.", "success", Vault(mem=8_193).file())
    within("mem_1048576", "The most memory", DEAR.but(mem=1_048_576).file())
    for mem in (1_048_577, 0x01002000, 0x80002000, 0xFFFFFFFF):
        beyond(f"mem_{mem}", f"mem is {mem}.", DEAR.but(mem=mem).file(), "mem", mem, 1_048_576)

    within("product_16x262144", "ops × mem at its limit", DEAR.but(ops=16, mem=262_144).file())
    within("product_4x1048576", "ops × mem at its limit, mem too", DEAR.but(ops=4, mem=1_048_576).file())
    for ops, mem in ((16, 262_145), (5, 1_048_576), (16, 1_048_576), (13, 322_639), (5, 838_861)):
        beyond(
            f"product_{ops}x{mem}", f"ops and mem are allowed, {ops} × {mem} is not.",
            DEAR.but(ops=ops, mem=mem).file(), "ops*mem", ops * mem, 4_194_304)

    fill = slot(9, bytes(4_096 - 72 - 4))
    vectors.add("limit_header_len_4096", "The longest header: one slot of a type to come.", "success",
                Vault(slots=[fill]).file())
    beyond("header_len_4097", "A header that is a byte too long; the file is whole.",
           Vault(slots=[slot(9, bytes(4_097 - 72 - 4))]).file(), "header_len", 4_097, 4_096)
    beyond("header_len_65535", "header_len is 65,535; the file is whole.",
           Vault(slots=[slot(9, bytes(65_535 - 72 - 4))]).file(), "header_len", 65_535, 4_096)
    beyond("header_len_4168", "Bit 12 of header_len is set in a header of 72 bytes.",
           Vault(header_len=72 + 4_096).file(), "header_len", 72 + 4_096, 4_096)

    empty = slot(9, b"")
    vectors.add("limit_slot_count_16", "The most slots.", "success", Vault(slots=[empty] * 16).file())
    beyond("slot_count_17", "A slot too many; the file is whole.", Vault(slots=[empty] * 17).file(), "slot_count", 17,
        16)
    beyond("slot_count_256", "The high byte of slot_count is 1; there is no slot.", Vault(slot_count=256).file(),
           "slot_count", 256, 16)
    beyond("slot_count_257", "slot_count is 257; there is one slot.", Vault(slots=[empty], slot_count=257).file(),
           "slot_count", 257, 16)
    beyond("slot_count_65535", "The largest slot_count.", Vault(slot_count=65_535).file(), "slot_count", 65_535, 16)

    short = 4_111 - 16 - 32 - 82
    beyond("box_len_4111", "A box that is a byte too short, over a plaintext of 4,095 bytes; the file is whole.",
           Vault(padding=bytes(short)).file(), "box_len", 4_111, 4_112)
    beyond("box_len_2064", "A plaintext of 2,048 bytes, a power of two below the least; the file is whole.",
           Vault(padding=bytes(2_048 - 114)).file(), "box_len", 2_064, 4_112)
    for box_len in (0, 1, 15, 16, 4_096):
        beyond(f"box_len_{box_len}", f"box_len is {box_len}.", Vault(box_len=box_len).file(), "box_len", box_len, 4_112)
    most = 67_108_880
    vectors.add("limit_box_len_most", "The largest box_len: no limit is passed, but the file is too short.", "damaged",
                Vault(box_len=most).file())
    for box_len in (most + 1, 0x80001010, 0xFFFFFFFF):
        beyond(f"box_len_{box_len}", f"box_len is {box_len}.", Vault(box_len=box_len).file(), "box_len", box_len, most)
    vectors.add("limit_box_len_00011010", "The third byte of box_len is 1: the file is too short.", "damaged",
                Vault(box_len=0x00011010).file())
    vectors.add("limit_box_len_01001010", "The fourth byte of box_len is 1: the file is too short.", "damaged",
                Vault(box_len=0x01001010).file())
