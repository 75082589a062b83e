"""Vaults that open, by a passphrase."""

from kit.primitives import VAULT_ID, blake2b
from kit.slots import slot
from kit.vault import BASIC, Vault
from kit.values import Date, Real


def add(vectors):
    vectors.add("basic", "A small vault with nothing special about it.", "success", Vault().file())
    vectors.add("basic_empty", "Settings without an entry.", "success", Vault({}).file())
    vectors.add(
        "basic_generation_2", "The second save of the vault.", "success",
        Vault({**BASIC, "n": 8, "token": "new"}, generation=2, random32=bytes(range(0x9F, 0x7F, -1))).file())
    vectors.add(
        "basic_generation_last", "The last generation there is opens.", "success", Vault(generation=2**63 - 1).file())
    vectors.add(
        "basic_generation_above_32_bits", "A generation that does not fit in 32 bits.", "success",
        Vault(generation=2**32).file())
    vectors.add("basic_vault_id_zero", "The vault_id may be any 16 bytes.", "success", Vault(vault_id=bytes(16)).file())
    vectors.add(
        "basic_metadata", "All known metadata and one unknown key.", "success", Vault(metadata=all_metadata()).file())
    vectors.add("basic_metadata_empty", "An empty dictionary as metadata is legal.", "success",
        Vault(metadata={}).file())
    vectors.add("basic_types", "Each type of value, nested.", "success", Vault(all_types()).file())
    vectors.add(
        "basic_nonce_zero", "A reader takes the nonce as it is given.", "success", Vault(nonce=bytes(24)).file())
    vectors.add(
        "basic_salt_ff", "Another salt, of bytes that are negative to some.", "success",
        Vault(salt=b"\xff" * 16).file())
    vectors.add(
        "basic_unknown_slot", "A slot of an unknown type is skipped.", "success",
        Vault(slots=[slot(7, b"whatever")]).file())
    vectors.add(
        "basic_cost_3x64mib", "The least cost that a writer may choose.", "success", Vault(ops=3, mem=65_536).file())


def all_metadata():
    from kit.property_list import canonical
    digest = blake2b("coffer1-ages", canonical(BASIC), size=16)
    times = b"".join(t.to_bytes(8, "little", signed=True) for t in (1_700_000_000_000, 0, -1))
    return {
        "modified": digest + times,
        "removed": {"gone": 1_690_000_000_000},
        "previous": {"user": {"saved": 1_700_000_000_000, "value": ["bob", {"": True}]}},
        "owner": bytes(range(32)),
        "recipients": [{"key": VAULT_ID * 2, "label": "Zoë’s paper"}],
        "unknown": {"any": [1, 2, 3]},
    }


def all_types():
    return {
        "array": [[], {}, [1, [2]], "x"], "data": bytes(range(20)), "date": Date(-0.5), "dictionary": {"": {"b": b""}},
        "false": False, "integer": -(2**63), "name with spaces/and=signs": 2**63 - 1, "real": Real(1.5),
        "string": "", "true": True, "ünïcödé ☃ 𝄞": "ünïcödé ☃ 𝄞 \t\n\0",
    }
