"""The plaintext: the inner header, the bucket that the padding fills, and the padding itself."""

from kit.primitives import pad
from kit.property_list import canonical
from kit.vault import BASIC, Vault


def filled(used):
    """Settings with which header, settings and metadata have so many bytes."""
    for length in range(max(used - 100, 0), used - 76):
        settings = {"d": bytes(at % 251 for at in range(length))}
        if len(canonical(settings)) == used - 32:
            return settings
    raise ValueError(used)


def add(vectors):
    def fine(name, comment, settings=BASIC, **changes):
        vectors.add(name, comment, "success", Vault(settings, **changes).file())

    def bad(name, comment, settings=BASIC, **changes):
        vectors.add(name, comment, "invalidContents", Vault(settings, **changes).file())

    for edge in (4_096, 8_192, 16_384, 32_768, 65_536):
        fine(f"padding_{edge}", f"{edge} bytes need no padding.", filled(edge))
        if edge < 65_536:
            fine(f"padding_{edge + 1}", f"{edge + 1} bytes are padded to {pad(edge + 1)}.", filled(edge + 1))
        fine(f"padding_{edge - 1}", f"{edge - 1} bytes are padded with one zero.", filled(edge - 1))
    for used in (65_537, 67_584, 67_585, 131_072, 131_073, 200_032):
        fine(f"padding_{used}", f"{used} bytes: Padmé makes it {pad(used)}.", filled(used))
    fine("padding_settings_and_metadata", "Settings of 4,046 bytes and metadata of 44 are padded to 8,192.",
         filled(4_078), metadata={"": ""})

    def bucket(name, comment, used, size):
        bad("padding_" + name, comment, filled(used), padding=bytes(size - used))

    bucket("one_bucket_more", "114 bytes, padded to 8,192.", 114, 8_192)
    bucket("4096_to_8192", "4,096 bytes, padded to 8,192.", 4_096, 8_192)
    bucket("4097_to_12288", "4,097 bytes, padded to the next multiple of 4,096.", 4_097, 12_288)
    bucket("4097_to_4224", "4,097 bytes, padded as Padmé does it above 65,536.", 4_097, 4_224)
    bucket("4097_none", "4,097 bytes, and no padding.", 4_097, 4_097)
    bucket("one_byte_more", "114 bytes, padded to 4,097.", 114, 4_097)
    bucket("65536_to_131072", "65,536 bytes, padded to the next power of two.", 65_536, 131_072)
    bucket("65537_to_131072", "65,537 bytes, padded to a power of two.", 65_537, 131_072)
    bucket("65537_to_66560", "65,537 bytes, padded to a multiple of 1,024: half of a step.", 65_537, 66_560)
    bucket("65537_to_69632", "65,537 bytes, padded to a multiple of 4,096: two steps.", 65_537, 69_632)
    bucket("65537_to_65552", "65,537 bytes, padded to a multiple of 16.", 65_537, 65_552)
    bucket("67584_to_69632", "67,584 bytes, which need no padding, with a step of it.", 67_584, 69_632)

    zeros = 4_096 - 114
    for name, at in (("first", 0), ("second", 1), ("middle", zeros // 2), ("last_but_one", zeros - 2),
            ("last", zeros - 1)):
        bad(f"padding_{name}_byte", f"The {name.replace('_', ' ')} byte of the padding is 1.",
            padding=bytes(at) + b"\1" + bytes(zeros - at - 1))
    bad("padding_top_bit", "A byte of the padding is 0x80.", padding=bytes(100) + b"\x80" + bytes(zeros - 101))
    bad("padding_ff", "The padding is all 0xFF.", padding=b"\xff" * zeros)
    bad("padding_pkcs7", "The padding says its own length.", padding=(zeros % 256).to_bytes(1, "big") * zeros)
    bad("padding_cancels", "Two bytes of the padding add up to 0, modulo 256.",
        padding=b"\1" + bytes(100) + b"\xff" + bytes(zeros - 102))
    bad("padding_cancels_xor", "Two bytes of the padding are the same, and not 0.",
        padding=b"\x55" + bytes(100) + b"\x55" + bytes(zeros - 102))

    bad("generation_0", "Generation 0.", generation=0)
    bad("generation_2_63", "Generation 2^63, the first that is too large.", generation=2**63)
    bad("generation_2_63_and_1", "Generation 2^63 + 1.", generation=2**63 + 1)
    bad("generation_2_64", "Generation 2^64 − 1, the largest there is room for.", generation=2**64 - 1)
    fine("generation_of_bytes", "Generation 0x0807060504030201.", generation=0x0807060504030201)

    size = len(canonical(BASIC))
    bad("settings_len_0", "settings_len is 0, and there is no list.", b"")
    bad("settings_len_0_of_82", "settings_len is 0 before a list, which would be padding.", settings_len=0)
    bad("settings_len_0_metadata", "No settings, but metadata.", b"", metadata=BASIC)
    for length in (1, 8, 41, size - 1, size + 1, size + 32):
        bad(f"settings_len_{length}", f"settings_len is {length}, of a list of {size}.", settings_len=length)
    bad("settings_len_0x152", "The second byte of settings_len is 1.", settings_len=0x100 + size)
    for length in (4_064, 4_065, 65_536 + size, 0x01000000 + size, 0x80000000 + size, 0xFFFFFFFF):
        bad(f"settings_len_{length}", f"settings_len is {length}: the list is {size}, the plaintext 4,096.",
            settings_len=length)
    bad("metadata_len_1", "metadata_len is 1, of padding.", metadata_len=1)
    bad("metadata_len_42", "metadata_len is 42, of padding.", metadata_len=42)
    bad("metadata_len_short", "metadata_len is one less than the list has; its last byte is padding.",
        metadata={}, metadata_len=41)
    bad("metadata_len_long", "metadata_len is one more than the list has.", metadata={}, metadata_len=43)
    for length in (4_096 - 32 - size + 1, 65_536, 0xFFFFFFFF):
        bad(f"metadata_len_{length}", f"metadata_len is {length}: it goes on after the plaintext.", metadata_len=length)
    bad("metadata_len_0_of_42", "metadata_len is 0 before a list, which would be padding.", metadata={"": 1},
        metadata_len=0)
    bad("lengths_wrap", "The sum of the lengths is 2^32 more than it ought to be.", metadata_len=2**32 - 32)
    bad("lengths_wrap_settings", "settings_len is so large that 32 more are 0, modulo 2^32.", settings_len=2**32 - 32)
    bad("lengths_wrap_both", "Both lengths are 2^31 more than they ought to be.", metadata={},
        settings_len=2**31 + size, metadata_len=2**31 + 42)
    for bit in (8, 16, 24, 31):
        bad(f"metadata_len_42_bit_{bit}", f"metadata_len is 2^{bit} more than the list has.", metadata={},
            metadata_len=42 + 2**bit)
    bad("lengths_moved", "The border between the lists is a byte too late.", metadata={},
        settings_len=size + 1, metadata_len=41)
    bad("lengths_swapped", "settings_len and metadata_len are swapped.", metadata={}, settings_len=42,
        metadata_len=size)
    bad("lengths_big_endian", "settings_len is big-endian.",
        settings_len=int.from_bytes(size.to_bytes(4, "big"), "little"))
    bad("gap_before_settings", "A zero before the settings.", b"\0" + canonical(BASIC))
    bad("gap_before_metadata", "A zero before the metadata.", metadata=b"\0" + canonical({}))
