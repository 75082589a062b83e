"""Step 11: values that differ from what was seen in one byte only, be it the first, one amid or the last."""

from kit.primitives import VAULT_ID
from kit.slots import CODE
from kit.vector import Known
from scenarios.code_digits import flipped
from scenarios.freshness import NEW


def add(vectors):
    seen, newer = NEW.file(), NEW.but(generation=6).file()

    def says(name, comment, expect, file, known, **words):
        vectors.add("freshness_" + name, comment, expect, file, known=known, **words)

    check, commitment = seen.data[-32:], seen.commitment
    for at in (0, 15, 16, 31):
        says(f"check_byte_{at}", f"The check that was seen differs in byte {at}.", "forked", seen,
            Known(seen, check=flipped(check, at)))
        says(f"commitment_byte_{at}", f"The commitment that was seen differs in byte {at}, by a code.", "rekeyed",
            newer, Known(seen, commitment=flipped(commitment, at)), code=CODE)
        says(f"replaced_commitment_byte_{at}", f"A commitment that was replaced differs in byte {at}.", "success",
            newer, Known(seen, replaced=[flipped(commitment, at)]))
    for at in (0, 7, 8, 15):
        says(f"path_byte_{at}", f"The vault at this path had an id that differs in byte {at}.", "replaced", newer,
            Known(seen, path=flipped(VAULT_ID, at)))
        says(f"vault_byte_{at}", f"A later generation was seen of a vault whose id differs in byte {at}.", "success",
            seen, Known(newer, **{"vault-id": flipped(VAULT_ID, at)}))
