#!/usr/bin/python3
"""Holds the independent reader against every vector: the class of each failure, each intermediate value."""

import hashlib
import json
import pathlib
import struct
import sys

import property_list
import vault_file

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Vectors" / "v1.json"
KNOWN_KEYS = {
    "name", "expect", "passphrase", "file", "file_len", "file_sha256", "note", "intermediate", "generation",
    "vault_id", "settings", "settings_sha256", "metadata", "seed", "owner_fp",
}
results = {"passed": 0, "failed": 0}


def case(name, problems):
    results["failed" if problems else "passed"] += 1
    for problem in problems:
        print(f"FAILED {name}: {problem}")


def value_of(tree):
    """A value from the notation of the vectors."""
    if isinstance(tree, list):
        return [value_of(t) for t in tree]
    if not isinstance(tree, dict):
        return tree
    if len(tree) == 1:
        (key, text), = tree.items()
        if key == "$data":
            return bytes.fromhex(text)
        if key == "$int":
            return int(text)
        if key in ("$real", "$date"):
            number = struct.unpack(">d", bytes.fromhex(text))[0]
            return property_list.Date(number) if key == "$date" else number
    return {k: value_of(v) for k, v in tree.items()}


def check_opened(vector, file, opened):
    def compare(what, found, wanted):
        if found != wanted:
            yield f"{what} is {found}, not {wanted}"

    yield from compare("settings", hashlib.sha256(opened["settings_bytes"]).hexdigest(), vector["settings_sha256"])
    yield from compare("generation", opened["generation"], vector["generation"])
    yield from compare("vault_id", opened["vault_id"].hex(), vector["vault_id"])
    if vector["settings"] is not None:
        yield from compare("settings", opened["settings_bytes"], property_list.encode(value_of(vector["settings"])))
    if vector["metadata"] is not None:
        yield from compare("metadata", property_list.encode(opened["metadata"]), property_list.encode(value_of(vector["metadata"])))
    end = opened["header"]["header_len"]
    found = {
        "master": opened["master"], "commit": opened["commit"], "nonce": opened["header"]["nonce"],
        "seal_key": opened["seal_key"], "header": file[:end], "check": file[-32:], "plain_head": opened["inner"],
    }
    for key, wanted in (vector["intermediate"] or {}).items():
        if key in found:
            yield from compare(key, found[key].hex(), wanted)
        else:
            yield f"unknown intermediate {key}"


def check_vector(vector):
    for key in vector.keys() - KNOWN_KEYS:
        yield f"unknown key {key}"
    file = bytes.fromhex(vector["file"])
    if len(file) != vector["file_len"] or hashlib.sha256(file).hexdigest() != vector["file_sha256"]:
        yield "the file does not fit its length or digest"
    code = (bytes.fromhex(vector["seed"]), bytes.fromhex(vector["owner_fp"])) if "seed" in vector else None
    try:
        opened = vault_file.open_vault(file, bytes.fromhex(vector["passphrase"]), code)
    except vault_file.Refused as refusal:
        if refusal.failure != vector["expect"]:
            yield f"{refusal}, wanted {vector['expect']}"
        return
    if vector["expect"] != "ok":
        yield f"opened, wanted {vector['expect']}"
        return
    yield from check_opened(vector, file, opened)


def check_history():
    """The rules for ages, against what the format's own words give for a small case."""
    settings = {"a": 1, "b": "x"}
    encoded = property_list.encode(settings)
    digest = hashlib.blake2b(encoded, digest_size=16, person=b"coffer1-ages\0\0\0\0").digest()
    previous = {"a": {"saved": 7, "value": 0}}
    metadata = {"modified": digest + struct.pack("<qq", 5, 0), "previous": previous, "removed": {"b": 1, "c": 2}}
    opened = {"settings": settings, "settings_bytes": encoded, "metadata": metadata}
    wanted = {"current": True, "modified": {"a": 5, "b": None}, "removed": {"c": 2}, "previous": previous}
    if vault_file.history(opened) != wanted:
        yield f"history is {vault_file.history(opened)}"
    stale = {**opened, "settings_bytes": property_list.encode({"a": 2, "b": "x"})}
    wanted = {"current": False, "modified": {"a": None, "b": None}, "removed": {"c": 2}, "previous": {}}
    if vault_file.history(stale) != wanted:
        yield f"stale history is {vault_file.history(stale)}"


def check_code(entry):
    try:
        seed, fingerprint = vault_file.parse_code(entry["text"])
    except vault_file.Refused as refusal:
        if refusal.failure != entry.get("expect"):
            yield str(refusal)
        return
    if (seed.hex(), fingerprint.hex()) != (entry.get("seed"), entry.get("owner_fp")):
        yield "another seed or fingerprint, or accepted what must be refused"


def check_flips(vector):
    """Every bit of the header, and some of the box: damage is seen, and an edit with a new check is not data."""
    file, passphrase = bytes.fromhex(vector["file"]), bytes.fromhex(vector["passphrase"])
    for bit in range(len(file) * 8):
        changed = bytearray(file)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            vault_file.parse(bytes(changed))
            yield f"bit {bit} flipped and not seen"
        except vault_file.Refused as refusal:
            if refusal.failure != ("notAVault" if bit < 64 else "damaged"):
                yield f"bit {bit} flipped: {refusal}"
    for byte in (*range(40, 64), 72, 104, 500, len(file) - 33):
        changed = bytearray(file)
        changed[byte] ^= 1
        wanted = "wrongPassphrase" if 72 <= byte < 104 else "tampered"
        try:
            vault_file.open_vault(vault_file.with_check(bytes(changed)), passphrase)
            yield f"byte {byte} edited and opened"
        except vault_file.Refused as refusal:
            if refusal.failure != wanted:
                yield f"byte {byte} edited: {refusal}, wanted {wanted}"


def main():
    data = json.loads(VECTORS.read_text())
    for vector in data["vectors"]:
        case(vector["name"], list(check_vector(vector)))
    for number, entry in enumerate(data["recovery_codes"]):
        case(f"recovery code {number}", list(check_code(entry)))
    case("history", list(check_history()))
    case("flips", list(check_flips(data["vectors"][0])))
    if len(data["vectors"]) < 80 or len(data["recovery_codes"]) < 7:
        case("the vector file", ["it is not whole"])
    print(f"{results['passed']} passed, {results['failed']} failed")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
