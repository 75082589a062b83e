"""Accidents: files with bytes too many, line ends rewritten, bits flipped."""

import hashlib

from kit.slots import CODE, recipient_slot
from kit.vault import Vault


def add(vectors):
    basic = Vault().file()
    vectors.add("trailing_zero", "A zero after the end.", "damaged", basic.but(basic.data + b"\0"))
    vectors.add("trailing_newline", "A line feed after the end.", "damaged", basic.but(basic.data + b"\n"))
    vectors.add("trailing_check", "The check is there twice.", "damaged", basic.but(basic.data + basic.data[-32:]))
    vectors.add("trailing_zero_checked", "A zero between box and check, and a check that fits.", "damaged",
        Vault(tail=b"\0").file())
    vectors.add("trailing_4096_checked", "4,096 zeros between box and check, and a check that fits.", "damaged",
        Vault(tail=bytes(4_096)).file())
    vectors.add("trailing_second_vault", "Two vaults, one after the other; the check fits neither.", "damaged",
        basic.but(basic.data + Vault(generation=2).file().data))
    vectors.add("box_len_one_less", "box_len is one less than the box has; else the file is whole.", "damaged",
        Vault(box_len=4_112, padding=bytes(4_097 - 114)).file())
    vectors.add("box_len_one_more", "box_len is one more than the box has; else the file is whole.", "damaged",
        Vault(box_len=4_113).file())

    lines(vectors, basic)
    bits(vectors)


def lines(vectors, basic):
    data = basic.data
    vectors.add("magic_seven_bits", "The eighth bit of all bytes was stripped.", "notAVault",
        basic.but(byte & 0x7F for byte in data))
    vectors.add("magic_crlf_to_lf", "CR LF became LF.", "notAVault", basic.but(data.replace(b"\r\n", b"\n")))
    vectors.add("magic_lf_to_crlf", "LF became CR LF.", "notAVault", basic.but(data.replace(b"\n", b"\r\n")))
    vectors.add("magic_cr_to_lf", "CR became LF.", "notAVault", basic.but(data.replace(b"\r", b"\n")))
    vectors.add("magic_utf8", "Taken for Latin-1 and written as UTF-8.", "notAVault", data.decode("latin-1").encode())
    vectors.add("magic_byte_before", "A byte before the magic.", "notAVault", b"\0" + data)
    vectors.add("magic_of_another", "A picture's magic, with a check that fits.", "notAVault",
        basic.put(0, b"\x89PNG\r\n\x1a\n"))
    for offset in range(8):
        vectors.add(f"magic_byte_{offset}", f"A bit of byte {offset} is flipped, and the check fits.", "notAVault",
            basic.flip(offset, 5, check=True))


def bits(vectors):
    """One bit in each part, and no new check: nothing but the check is looked at."""
    vault = Vault(slots=[recipient_slot(Vault().file().master)])
    file = vault.file()
    header_len = file.header_len
    places = (
        ("version", 8, 0), ("header_len", 10, 2), ("kdf", 12, 1), ("cipher", 13, 1), ("flags", 14, 0), ("ops", 16, 0),
        ("mem", 20, 0), ("salt", 39, 7), ("nonce", 40, 0), ("box_len", 64, 0), ("slot_count", 68, 0),
        ("reserved", 71, 7),
        ("slot_type", 72, 0), ("slot_length", 74, 0), ("slot_data", 76, 0), ("commitment", header_len, 0),
        ("mac", header_len + 32, 0), ("box_first", header_len + 48, 0), ("box_last", -33, 7), ("check_first", -32, 0),
        ("check_middle", -16, 0), ("check_before_middle", -17, 0), ("check_last", -1, 7),
    )
    for name, offset, bit in places:
        vectors.add(f"flipped_{name}", f"A bit is flipped in: {name.replace('_', ' ')}.", "damaged",
            file.flip(offset, bit, check=False), code=CODE if name.startswith("slot") else None)
    vectors.add("check_zero", "The check is all zeros.", "damaged", file.put(-32, bytes(32), check=False))
    vectors.add("check_swapped", "The halves of the check are swapped.", "damaged",
        file.put(-32, file.data[-16:] + file.data[-32:-16], check=False))
    vectors.add("check_of_other_label", "The check was made without its label.", "damaged",
        file.put(-32, hashlib.blake2b(file.data[:-32], digest_size=32).digest(), check=False))
