"""Recovery codes as people type them. The vault is the same in all: its second slot is for the code."""

from kit.primitives import public_key
from kit.slots import CODE, DIGITS, SEED, STRANGER, Code, fingerprint, recipient_slot, written
from kit.vault import Vault

MASTER = Vault().file().master
SLOTS = (
    recipient_slot(MASTER, recipient=public_key(STRANGER), random32=b"\x11" * 32), recipient_slot(MASTER))
FILE = Vault(slots=SLOTS, generation=3).file()
TEXT = CODE.text


def seeded(is_wanted):
    """The first code, counting seeds up from 0, whose text is as it is wanted."""
    return next(text for text in (written(bytes([seed]) * 16, CODE.fingerprint) for seed in range(256))
        if is_wanted(text[8:]))


def add(vectors):
    def reads(name, comment, text):
        vectors.add("code_" + name if name else "code", comment, "success", FILE, code=CODE.typed(text), slot=1)

    def refused(name, comment, text):
        vectors.add("code_" + name, comment, "refused", FILE, code=Code(text))

    reads("", "A code as it is written.", TEXT)
    reads("lower_case", "All letters in lower case.", TEXT.lower())
    reads("mixed_case", "Some letters in lower case.", "".join(c.lower() if at % 3 else c for at, c in enumerate(TEXT)))
    reads("no_hyphens", "No hyphens.", TEXT.replace("-", ""))
    reads("hyphens", "Hyphens everywhere.", "--" + "-".join(TEXT) + "-")
    reads("spaces", "Spaces in place of the hyphens, and around.", "  " + TEXT.replace("-", " ") + " ")
    reads("spaces_in_prefix", "A space within the prefix.", "COF FER 1" + TEXT[7:])
    reads("white_space", "Tab, vertical tab, form feed and carriage return.",
        "\t" + TEXT[:12] + "\x0b\x0c" + TEXT[12:] + "\r")
    reads("i_for_1", "I in place of each 1.", TEXT.replace("1", "I"))
    reads("l_for_1", "L in place of each 1, in lower case.", TEXT.replace("1", "l"))
    reads("o_for_0", "O in place of each 0.", TEXT.replace("0", "O"))
    reads("zero_in_prefix", "0 for the O of the prefix, and a small i for its 1.", "C0FFERi" + TEXT[7:])
    reads("small_o_in_prefix", "All the ambiguous letters, in lower case.",
          "coffer1" + TEXT[7:].lower().replace("1", "l").replace("0", "o"))

    def digit(at, text=TEXT):
        """The code with another digit at a place."""
        other = DIGITS[(DIGITS.index(text[at]) + 1) % 32]
        return text[:at] + other + text[at + 1:]

    refused("wrong_seed", "A digit of the seed is another: the checksum does not fit.", digit(8))
    refused("wrong_fingerprint", "A digit of the fingerprint is another: the checksum does not fit.", digit(50))
    for at in (-6, -3, -1):
        refused(f"wrong_checksum_{-at}", f"Character {-at} from the end is another: one byte of the checksum.",
                digit(len(TEXT) + at))
    refused("checksum_zero", "The checksum is 0.", written(SEED, CODE.fingerprint, bytes(3)))
    refused("swapped_digits", "Two digits next to each other are swapped.", TEXT[:8] + TEXT[9] + TEXT[8] + TEXT[10:])
    refused("swapped_groups", "Two groups are swapped.", TEXT[:8] + TEXT[13:17] + "-" + TEXT[8:12] + TEXT[17:])
    refused("55_digits", "The last digit is missing.", TEXT[:-1])
    refused("57_digits", "A digit too many at the end.", TEXT + "0")
    refused("57_digits_before", "A 0 too many before the digits.", "COFFER1-0" + TEXT[8:])
    refused("48_digits", "Two groups are missing.", TEXT[:-10])
    refused("twice", "The code is there twice.", TEXT + TEXT)
    refused("prefix_missing", "The prefix is missing.", TEXT[8:])
    refused("prefix_only", "Nothing but the prefix.", "COFFER1-")
    refused("prefix_2", "The prefix of a version to come.", "COFFER2" + TEXT[7:])
    refused("prefix_short", "The prefix has no number.", "COFFER" + TEXT[7:])
    refused("prefix_twice", "The prefix is there twice.", "COFFER1-" + TEXT)
    refused("prefix_other", "Another prefix of the same length.", "COFFEE1" + TEXT[7:])
    refused("prefix_after", "The prefix is at the end.", TEXT[8:] + "-COFFER1")
    refused("hyphens_only", "Nothing but hyphens.", "---")
    refused("space_only", "Nothing but a space.", " ")
    text = seeded(lambda text: "V" in text)
    refused("letter_u", "A U, which is no digit, in place of a V.", text.replace("V", "U"))
    text = seeded(lambda text: text.endswith("0"))
    refused("55_digits_before_zero", "The last digit is missing, which is a 0.", text[:-1])

    for name, what, letter, lookalike in (
        ("dotless_i", "A dotless i, whose capital is I, in place of 1.", "1", "ı"),
        ("dotted_i", "A dotted I in place of 1.", "1", "İ"),
        ("long_s", "A long s, whose capital is S, in place of S.", "S", "ſ"),
        ("kelvin_sign", "The sign of kelvin, whose small letter is k, in place of K.", "K", "\u212a"),
        ("fullwidth_digit", "A fullwidth 8 in place of 8.", "8", "８"),
        ("fullwidth_letter", "A fullwidth G in place of G.", "G", "Ｇ"),
        ("arabic_digit", "An Arabic-Indic 4 in place of 4.", "4", "٤"),
        ("cyrillic_letter", "A Cyrillic letter that looks like M.", "M", "М"),
    ):
        assert letter in TEXT[7:]
        refused(name, what, TEXT[:7] + TEXT[7:].replace(letter, lookalike, 1))
    refused("ligature_in_prefix", "The ligature of two f in the prefix.", "COﬀER1" + TEXT[7:])
    for name, what, mark in (
        ("nbsp", "A no-break space", "\u00a0"), ("next_line", "U+0085", "\u0085"), ("en_dash", "An en dash", "–"),
        ("unicode_hyphen", "U+2010, a hyphen", "\u2010"), ("soft_hyphen", "A soft hyphen", "\u00ad"),
        ("zero_width_space", "A zero width space", "\u200b"), ("underscore", "An underscore", "_"),
        ("dot", "A dot", "."),
        ("nul", "A NUL", "\0"), ("unit_separator", "U+001F, which some take for a space", "\x1f"),
        ("backspace", "U+0008, next to the tab", "\x08"), ("shift_out", "U+000E, next to the carriage return", "\x0e"),
        ("byte_order_mark", "A byte order mark", "\ufeff"), ("combining_accent", "A combining accent", "\u0301"),
    ):
        refused(name, f"{what} after the first group.", TEXT[:12] + mark + TEXT[13:])

    other = fingerprint(public_key(STRANGER))
    vectors.add("code_other_owner", "A code that is right, for the vaults of another owner.", "noMatchingSlot", FILE,
                code=Code(written(SEED, other), SEED, other))
    vectors.add("code_other_seed", "A code that is right, of another recipient.", "noMatchingSlot", FILE,
                code=Code(written(bytes(16), CODE.fingerprint), bytes(16), CODE.fingerprint))
