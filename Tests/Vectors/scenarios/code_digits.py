"""Recovery codes: digits of no weight, letters that are none, and each part of what a code says."""

from kit.primitives import u64
from kit.slots import CODE, SEED, Code, code, written
from scenarios.code import FILE


def add(vectors):
    def refused(name, comment, text):
        vectors.add("code_" + name, comment, "refused", FILE, code=Code(text))

    last = first_code(lambda text: text.endswith("0"))
    refused("55_digits_last_0", "The last digit is missing; it was 0, and the checksum fits if it is put back.",
        last[:-1])
    first = written(b"\7" + SEED[1:], CODE.fingerprint)
    assert first.startswith("COFFER1-0")
    refused("55_digits_first_0", "The first digit is missing; it was 0, and the checksum fits if it is put back.",
        "COFFER1-" + first[9:])
    refused("55_digits_first_0_hyphen", "The same, with a hyphen in its place.", "COFFER1--" + first[9:])
    refused("57_digits_last_0", "A 0 too many after a code whose last digit is 0.", last + "0")
    with_v = first_code(lambda text: "V" in text)
    refused("u_for_v", "A U in place of each V of a code that is right.", with_v.replace("V", "U"))
    refused("u_for_v_lower_case", "The same, in lower case.", with_v.replace("V", "u"))

    for at in (0, 7, 8, 15):
        other = flipped(CODE.fingerprint, at)
        vectors.add(f"code_fingerprint_byte_{at}", f"A code that is right, but for byte {at} of the fingerprint.",
            "noMatchingSlot", FILE, code=Code(written(SEED, other), SEED, other))
        other = flipped(SEED, at)
        vectors.add(f"code_seed_byte_{at}", f"A code that is right, but for byte {at} of the seed.", "noMatchingSlot",
            FILE, code=code(other))


def flipped(data, at, bit=0):
    """The bytes with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]


def first_code(wanted):
    """The first code, by the numbers of its seed, whose digits are as wanted."""
    number = 0
    while not wanted(text := written(u64(number) + SEED[:8], CODE.fingerprint)[8:]):
        number += 1
    return "COFFER1-" + text
