"""Version, kdf, cipher, flags and reserved: files that are whole in all else, sealed over what the header says."""

from kit.slots import CODE, recipient_slot
from kit.vault import Vault


def add(vectors):
    for version, what in (
        (0, "below the first"), (2, "the next"), (0x0101, "with a 1 in both bytes"), (0x0100, "the bytes swapped"),
        (0x8001, "with the top bit set"), (0xFFFF, "the largest"),
    ):
        vectors.add(
            f"version_{version}", f"Version {version}, {what}; the rest is as in version 1.", "unsupportedVersion",
            Vault(version=version).file(), value=version)

    def feature(name, value, comment, **changes):
        vectors.add(
            f"feature_{name}_{value}", comment, "unsupportedFeature", Vault(**{name: value, **changes}).file(),
            field=name, value=value)

    for value in (0, 2, 0x81, 0xFF):
        feature("kdf", value, f"The kdf is {value}.")
    for value in (0, 2, 0x81, 0xFF):
        feature("cipher", value, f"The cipher is {value}.")
    for name in ("flags", "reserved"):
        for bit in (0, 1, 7, 8, 15):
            feature(name, 1 << bit, f"Bit {bit} of {name} is set, and no other.")
        feature(name, 0xFFFF, f"All bits of {name} are set.")

    slots = [recipient_slot(Vault(flags=1).file().master)]
    vectors.add(
        "feature_flags_code", "Flags are looked at before any slot is tried with a code.", "unsupportedFeature",
        Vault(flags=1, slots=slots).file(), code=CODE, field="flags", value=1)
