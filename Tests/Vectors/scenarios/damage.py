"""Accidents: files cut short, files with bytes too many, line ends rewritten, bits flipped."""

import hashlib

from kit.primitives import MAGIC, with_check
from kit.slots import CODE, recipient_slot
from kit.vault import Vault

CUTS = (
    (0, "nothing is left"), (1, "the first byte is left"), (7, "all but the last byte of the magic is left"),
    (8, "the magic is left"), (10, "magic and version are left"), (12, "header_len is the last field"),
    (16, "flags is the last field"), (40, "the KDF block is left"), (41, "a byte less than any version has"),
    (42, "as long as the shortest file of any version"), (64, "nonce is the last field"),
    (68, "box_len is the last field"), (72, "the header is left"), (103, "a byte less than version 1 looks for"),
    (104, "commitment and header are left"), (120, "the MAC is the last there is"),
    (121, "one byte of the ciphertext is left"),
    (2_168, "half of the ciphertext is left"), (4_216, "only the check is missing"),
    (4_247, "the last byte is missing"),
)


def add(vectors):
    basic = Vault().file()
    for length, what in CUTS:
        expect = "notAVault" if length < 8 else "damaged"
        vectors.add(f"truncated_{length}", f"Cut to {length} bytes: {what}.", expect, basic.data[:length])
    for length in (42, 72, 73, 103, 104, 136, 137, 2_168, 4_216, 4_247):
        vectors.add(
            f"truncated_{length}_checked", f"{length} bytes, the last 32 of them a check that fits the others.",
            "damaged", with_check(basic.data[:length - 32]))
    vectors.add("truncated_104_unknown_kdf", "104 bytes are enough to look at the features.", "unsupportedFeature",
                with_check(Vault(kdf=2).file().data[:72]), field="kdf", value=2)
    vectors.add("truncated_104_ops", "104 bytes are enough to look at the limits.", "limitExceeded",
                with_check(Vault(ops=17).file().data[:72]), field="ops", value=17, bound=16)
    for length in (42, 103):
        vectors.add(f"version_2_of_{length}", f"Version 2 in {length} bytes, with a check that fits.",
            "unsupportedVersion", with_check(Vault(version=2).file().data[:length - 32]), value=2)
    vectors.add("version_2_of_41", "Version 2 in 41 bytes: no version is that short.", "damaged",
                with_check((MAGIC + b"\x02\0")[:9]))

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
    vectors.add("magic_end_of_file", "Control-Z ended the file.", "notAVault", data[:7])
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
