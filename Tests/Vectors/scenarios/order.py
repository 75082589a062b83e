"""The reading order: two steps fail in each file, and the first of them is the answer."""

from kit.primitives import MAGIC, with_check
from kit.slots import CODE, OTHER_SEED, Code, code, recipient_slot
from kit.vault import Vault

MASTER = Vault().file().master
MISSING = dict(master=MASTER, slot_count=1)  # a slot that is not there: damaged


def add(vectors):
    def first(name, comment, expect, file, **words):
        vectors.add("order_" + name, comment, expect, file, **words)

    def feature(name, comment, field, value, **changes):
        first(name, comment, "unsupportedFeature", Vault(master=MASTER, **changes).file(), field=field, value=value)

    def limit(name, comment, field, value, bound, **changes):
        first(name, comment, "limitExceeded", Vault(master=MASTER, **changes).file(), field=field, value=value,
            bound=bound)

    basic = Vault().file()
    first("magic_short_check", "Seven bytes of the magic: not a vault, and not a damaged one.", "notAVault", MAGIC[:7])
    first("magic_check", "Neither magic nor check are right.", "notAVault", basic.flip(0, check=False))
    first("magic_version", "A wrong magic, and version 2.", "notAVault", Vault(version=2).file().flip(3, check=True))
    first("short_version", "41 bytes, of version 2: too short for any version.", "damaged",
          with_check(MAGIC + b"\x02"))
    first("check_version", "Version 2, and a check that does not fit.", "damaged",
          basic.put(8, b"\x02", check=False))
    first("check_kdf", "kdf 2, and a check that does not fit.", "damaged", basic.put(12, b"\x02", check=False))
    first("check_ops", "ops 0, and a check that does not fit.", "damaged", basic.put(16, b"\0", check=False))
    first("version_short", "Version 2 in 60 bytes, which is too short for version 1.", "unsupportedVersion",
          with_check(Vault(version=2).file().data[:28]), value=2)
    first("version_kdf", "Version 2 and kdf 2.", "unsupportedVersion", Vault(version=2, kdf=2).file(), value=2)
    first("version_ops", "Version 2 and ops 0.", "unsupportedVersion", Vault(version=2, ops=0, master=MASTER).file(),
          value=2)
    first("short_kdf", "kdf 2 in 103 bytes.", "damaged", with_check(Vault(kdf=2).file().data[:71]))

    feature("kdf_cipher", "kdf and cipher are unknown.", "kdf", 2, kdf=2, cipher=3)
    feature("kdf_flags", "kdf and flags are unknown.", "kdf", 2, kdf=2, flags=3)
    feature("cipher_flags", "cipher and flags are unknown.", "cipher", 2, cipher=2, flags=3)
    feature("cipher_reserved", "cipher and reserved are unknown.", "cipher", 2, cipher=2, reserved=3)
    feature("flags_reserved", "flags and reserved are unknown.", "flags", 2, flags=2, reserved=3)
    feature("reserved_ops", "reserved is not 0, and ops is beyond its limit.", "reserved", 2, reserved=2, ops=17)
    feature("reserved_mem", "reserved is not 0, and mem is below its limit.", "reserved", 2, reserved=2, mem=0)
    feature("reserved_header_len", "reserved is not 0, and header_len is 0.", "reserved", 2, reserved=2, header_len=0)

    limit("ops_mem", "Both ops and mem are below their limits.", "ops", 0, 1, ops=0, mem=0)
    limit("ops_product", "ops is beyond its limit, and with it ops × mem.", "ops", 17, 16, ops=17, mem=1_048_576)
    limit("mem_product", "mem is beyond its limit, and with it ops × mem.", "mem", 1_048_577, 1_048_576,
          ops=16, mem=1_048_577)
    limit("mem_header_len", "mem and header_len are beyond their limits.", "mem", 8_191, 8_192,
          mem=8_191, header_len=4_097)
    limit("product_header_len", "ops × mem and header_len are beyond their limits.", "ops*mem", 5 * 1_048_576,
        4_194_304, ops=5, mem=1_048_576, header_len=4_097)
    limit("header_len_slot_count", "header_len and slot_count are beyond their limits.", "header_len", 4_097, 4_096,
          header_len=4_097, slot_count=17)
    limit("slot_count_box_len", "slot_count and box_len are beyond their limits.", "slot_count", 17, 16,
          slot_count=17, box_len=16)
    limit("slot_count_header_len_low", "A header_len below 72 is no limit, so slot_count comes first.", "slot_count",
        17, 16, slot_count=17, header_len=71)
    limit("box_len_header_len_low", "A header_len below 72 is no limit, so box_len comes first.", "box_len", 16, 4_112,
          box_len=16, header_len=71)
    limit("box_len_size", "box_len is below its limit, and the file has not the size it says.", "box_len", 0, 4_112,
          box_len=0)
    limit("box_len_slots", "box_len is beyond its limit, and a slot is missing.", "box_len", 67_108_881, 67_108_880,
          box_len=67_108_881, slot_count=1)

    first("size_refused", "The file has not the size it says, and the passphrase is empty.", "damaged",
          Vault(tail=b"\0").file(), passphrase=b"")
    first("slots_refused", "A slot is missing, and the passphrase is empty.", "damaged", Vault(**MISSING).file(),
          passphrase=b"")
    first("limit_refused", "ops is beyond its limit, and the passphrase is empty.", "limitExceeded",
          Vault(ops=17).file(), passphrase=b"", field="ops", value=17, bound=16)
    first("refused_derivation", "An empty passphrase is refused before 4 GiB are gone through for it.", "refused",
          Vault(ops=4, mem=1_048_576, master=MASTER).file(), passphrase=b"")
    first("refused_tampered", "An empty passphrase, and a box that does not open.", "refused",
          basic.flip(-33, check=True), passphrase=b"")
    first("passphrase_tampered", "The wrong passphrase, and a box that was edited.", "wrongPassphrase",
          basic.flip(-33, check=True), passphrase=b"wrong")
    first("tampered_contents", "A box that was edited, over contents that are not allowed.", "tampered",
          Vault(generation=0).file().flip(-33, check=True))
    slots = [recipient_slot(MASTER)]
    first("slot_tampered", "No slot for this code, and a box that was edited.", "noMatchingSlot",
          Vault(slots=slots).file().flip(-33, check=True), code=code(OTHER_SEED))
    first("slots_code", "A slot is missing, and the one that is there would open.", "damaged",
          Vault(slots=slots, slot_count=2).file(), code=CODE)
    first("limit_code", "ops is beyond its limit, though a code needs no passes.", "limitExceeded",
          Vault(slots=[recipient_slot(Vault(ops=17).file().master)], ops=17).file(), code=CODE, field="ops", value=17,
          bound=16)
    first("code_not_a_vault", "A code that is not one is refused before the file is read.", "refused",
          basic.flip(0, check=False), code=Code("COFFER1-0"))
    first("code_damaged", "A code that is not one is refused before the file is read: this one is empty.", "refused",
          b"", code=Code("COFFER1"))

