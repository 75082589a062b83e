"""Step 11: what a reader has seen before, and what it then says to a file that is whole in itself."""

from kit.primitives import VAULT_ID
from kit.slots import CODE, recipient_slot
from kit.vector import Known
from kit.vault import BASIC, Vault

OTHER_ID = bytes(range(0x60, 0x70))
OLD_KEY = Vault(salt=b"\x77" * 16)  # the vault before its passphrase or cost was changed
NEW = Vault({**BASIC, "n": 8}, generation=5, slots=(recipient_slot(Vault().file().master),))


def add(vectors):
    seen = NEW.file()
    fork = NEW.but(settings=BASIC).file()
    newer, older = NEW.but(generation=6).file(), NEW.but(generation=4).file()
    old_key = OLD_KEY.but(generation=4).file()

    def says(name, comment, expect, file, known, **words):
        if "code" in words and expect == "success":
            words["slot"] = 0
        vectors.add("freshness_" + name, comment, expect, file, known=known, **words)

    # What is as it was, or is not known.
    says("same", "The very file that was seen.", "success", seen, Known(seen, path=VAULT_ID))
    says("same_code", "The very file that was seen, by a code.", "success", seen, Known(seen), code=CODE)
    says("newer", "The next generation.", "success", newer, Known(seen, path=VAULT_ID))
    says("newer_code", "The next generation, by a code.", "success", newer, Known(seen), code=CODE)
    says("much_newer", "A generation far ahead, beyond 32 bits.", "success", NEW.but(generation=2**40).file(),
        Known(seen))
    says("newer_key", "The next generation with another key, by a passphrase.", "success", newer,
         Known(seen, commitment=old_key.commitment))
    says("newer_key_replaced", "The key that was there before was replaced; this is the new one.", "success", newer,
         Known(seen, replaced=[old_key.commitment]))
    says("path_only", "The path is known to have this vault, but nothing more.", "success", seen, Known(path=VAULT_ID))
    says("path_only_code", "The same, by a code: no key was seen, so none can be new.", "success", seen,
         Known(path=VAULT_ID), code=CODE)
    says("other_vault", "What is known is of another vault, of a later generation.", "success", seen,
         Known(seen, **{"vault-id": OTHER_ID, "generation": 9}))
    says("other_vault_same_generation", "What is known is of another vault, of this generation.", "success", seen,
         Known(fork, **{"vault-id": OTHER_ID}))
    says("other_vault_replaced", "The commitment was replaced in another vault.", "success", seen,
         Known(seen, replaced=[seen.commitment], **{"vault-id": OTHER_ID, "commitment": old_key.commitment}))
    says("other_vault_code", "What is known is of another vault with another key, by a code.", "success", seen,
         Known(seen, **{"vault-id": OTHER_ID, "commitment": old_key.commitment}), code=CODE)
    says("first_code", "Nothing is known, by a code.", "success", seen, None, code=CODE)
    says("first_old", "Nothing is known: an old file says nothing.", "success", older, None)

    says("replaced", "Another vault was at this path.", "replaced", seen, Known(path=OTHER_ID))
    says("replaced_code", "Another vault was at this path, by a code.", "replaced", seen, Known(path=OTHER_ID),
        code=CODE)
    says("replaced_id_bit", "The vault at this path had an id that differs in the last bit.", "replaced", seen,
         Known(path=VAULT_ID[:-1] + bytes([VAULT_ID[-1] ^ 1])))
    says("replaced_known", "Another vault was at this path, though this one is known and new.", "replaced", newer,
         Known(seen, path=OTHER_ID))
    says("rolled_back", "An older generation.", "rolledBack", older, Known(seen, path=VAULT_ID))
    says("rolled_back_code", "An older generation, by a code.", "rolledBack", older, Known(seen), code=CODE)
    says("rolled_back_to_1", "The first generation, where one beyond 32 bits was seen.", "rolledBack",
         NEW.but(generation=1).file(), Known(NEW.but(generation=2**32).file()))
    says("rolled_back_from_last", "The last generation but one, where the last was seen.", "rolledBack",
         NEW.but(generation=2**63 - 2).file(), Known(NEW.but(generation=2**63 - 1).file()))
    says("rolled_back_same_check", "An older generation, with the check that was seen.", "rolledBack", older,
         Known(older, generation=5))
    says("rolled_back_key", "A later generation with a commitment that was replaced.", "rolledBack",
         OLD_KEY.but(generation=6).file(), Known(seen, replaced=[old_key.commitment]))
    says("rolled_back_key_second", "A later generation with the second of three commitments that were replaced.",
         "rolledBack", OLD_KEY.but(generation=6).file(),
         Known(seen, replaced=[b"\1" * 32, old_key.commitment, b"\2" * 32]))
    says("rolled_back_new_key", "An older generation, with a commitment that was not seen.", "rolledBack", old_key,
        Known(seen))
    says("forked", "The generation that was seen, with another check.", "forked", fork, Known(seen, path=VAULT_ID))
    says("forked_code", "The generation that was seen, with another check, by a code.", "forked", fork, Known(seen),
        code=CODE)
    says("forked_check_bit", "The check that was seen differs in the last bit.", "forked", seen,
         Known(seen, check=seen.data[-32:-1] + bytes([seen.data[-1] ^ 1])))
    says("forked_key", "The generation that was seen, with another key, by a passphrase.", "forked",
         OLD_KEY.but(generation=5).file(), Known(seen))
    unseen = Known(seen, commitment=old_key.commitment, path=VAULT_ID)
    says("rekeyed", "A later generation with a commitment that was not seen, by a code.", "rekeyed", newer, unseen,
        code=CODE)
    says("rekeyed_bit", "The commitment differs in the last bit from the one that was seen.", "rekeyed", newer,
         Known(seen, commitment=seen.commitment[:-1] + bytes([seen.commitment[-1] ^ 1])), code=CODE)

    # Two at once: the first in the order of the format.
    says("replaced_before_rolled_back", "Another vault was here, and the generation is older.", "replaced", older,
         Known(seen, path=OTHER_ID))
    says("replaced_before_forked", "Another vault was here, and the generation is forked.", "replaced", fork,
         Known(seen, path=OTHER_ID))
    says("replaced_before_rekeyed", "Another vault was here, and the key is new, by a code.", "replaced", newer,
         Known(seen, commitment=old_key.commitment, path=OTHER_ID), code=CODE)
    says("rolled_back_before_forked", "This generation, another check, and a commitment that was replaced.",
        "rolledBack", OLD_KEY.but(generation=5).file(), Known(seen, replaced=[old_key.commitment]))
    says("rolled_back_before_rekeyed", "An older generation, and the key is new, by a code.", "rolledBack", older,
        unseen, code=CODE)
    says("rolled_back_key_before_rekeyed", "A commitment that was replaced is not taken for a new one, by a code.",
         "rolledBack", newer, Known(seen, commitment=old_key.commitment, replaced=[newer.commitment]), code=CODE)
    says("forked_before_rekeyed", "This generation, another check, and the key is new, by a code.", "forked", fork,
        unseen, code=CODE)

    # Nothing is compared before a file has passed step 10.
    says("contents_before_replaced", "Contents that are not allowed, and another vault was here.", "invalidContents",
         NEW.but(settings={"": 1}).file(), Known(path=OTHER_ID))
    says("contents_before_rolled_back", "Generation 0, which is older too.", "invalidContents",
         NEW.but(generation=0).file(), Known(seen))
    says("tampered_before_forked", "An edited box has another check too.", "tampered", seen.flip(-33, check=True),
        Known(seen))
    says("passphrase_before_rolled_back", "A wrong passphrase on an older generation.", "wrongPassphrase", older,
        Known(seen), passphrase=b"wrong")
    says("no_slot_before_rekeyed", "No slot for the code, in a vault with a new key.", "noMatchingSlot",
         NEW.but(slots=()).file(), unseen, code=CODE)
