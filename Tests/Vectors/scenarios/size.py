"""The largest file. The zeros are not in the vectors: append-zeros says how many follow."""

from kit.primitives import MAGIC
from kit.vault import Vault

MOST = 67_113_040


def add(vectors):
    basic = Vault().file()

    def large(name, comment, expect, data, size, **words):
        vectors.add("size_" + name, comment, expect, data, zeros=size - len(data), **words)

    large("most", "The largest size: no limit is passed, but the check does not fit.", "damaged", basic.data, MOST)
    large("most_and_one", "One byte more than the largest file.", "limitExceeded", basic.data, MOST + 1,
          field="size", value=MOST + 1, bound=MOST)
    large("most_and_one_magic", "Nothing but magic, version 1 and zeros.", "limitExceeded", MAGIC + b"\x01\0", MOST + 1,
          field="size", value=MOST + 1, bound=MOST)
    large("version_2", "The largest file of version 1, but of version 2: the check does not fit.", "damaged",
          Vault(version=2).file().data, MOST)
    large("version_2_and_one", "Larger than any file of version 1, and of version 2: it may be whole.",
          "unsupportedVersion", Vault(version=2).file().data, MOST + 1, value=2)
    large("version_257_and_one", "Larger than any file of version 1, and of version 257.",
          "unsupportedVersion", Vault(version=257).file().data, MOST + 1, value=257)
    large("no_magic", "Larger than any vault, and not a vault.", "notAVault", b"\x88" + basic.data[1:], MOST + 1)
    large("zeros", "Larger than any vault, and all zeros.", "notAVault", b"\0", MOST + 1)
