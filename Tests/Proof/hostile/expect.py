"""The oracle: what has to be said of a file, a list or a frame, by readers that share no code with Coffer.

Files and canonical lists are judged by the second implementation in Tests/Audit, other lists by Python's plistlib as
far as both read them, frames by the grammar in frames.py.
"""

import functools
import math
import plistlib

from kit.place import PASSPHRASE
import vault_file
from property_list import Date, decode, encode
from vault_file import Decoder, Refused, is_name

from hostile import frames
from hostile.probe import MOST

# It hangs on the machine alone, and asking for it takes longer than all else.
vault_file.memory_limit = functools.cache(vault_file.memory_limit)


def words(refusal):
    """Class, field, value and bound of a refusal; what has no number is not named."""
    more = (*refusal.args[2:5], None, None, None)[:3]
    return refusal.args[0], *(None if word is None else str(word) for word in more)


def file(case):
    """What the second implementation says of a file, and the settings of one that opens."""
    decoder = Decoder(case.body)
    try:
        if case.kind == "H":
            decoder.read_header()
            return ("admitted", None, None, None), None
        decoder.open(PASSPHRASE)
        return ("success", None, None, None), encode(decoder.settings)
    except Refused as refusal:
        return words(refusal), None


def plain_list(case):
    """What is said of a list, and its value in its encoding; None where nothing is known of the value."""
    try:
        value = decode(case.body, 32)
        if all(map(is_name, value)):
            return ("canonical", None, None, None), case.body
    except (ValueError, RecursionError):
        pass
    return (None, None, None, None), None


def of_frame(case):
    good = frames.is_request(case.body) if case.kind == "Q" else frames.is_reply(case.body)
    return ("accepted" if good else "malformed", None, None, None), None


def expected(case):
    """What has to be said of a case, and the values in their encoding."""
    return case.known or {"H": file, "O": file, "L": plain_list, "Q": of_frame, "R": of_frame}[case.kind](case)


def difference(case, wanted, said, both=None):
    """What is wrong with an answer, or None; `both` gets each list that is not canonical and that both readers read."""
    (expected_words, values), found = wanted, said.words
    if case.kind == "L" and expected_words[0] is None:
        return foreign(case, said, [] if both is None else both)
    if found != expected_words:
        return f"coffer says {shown(found)}, the oracle {shown(expected_words)}"
    if len(values or b"") > MOST:
        return None if said.size == len(values) else f"{said.size} bytes of values, not {len(values)}"
    if said.values != values:
        return f"other values: {str(said.values)[:200]}, not {str(values)[:200]}"
    return None


def shown(found):
    return " ".join(word for word in found if word is not None)


def foreign(case, said, both):
    """A list that is not canonical: it is not taken for one; where both readers read it, they find the same."""
    if said.words[0] not in ("refused", "readable"):
        return f"coffer says {shown(said.words)} of a list that the oracle refuses"
    if said.values is None:  # refused, or so large that plistlib would take minutes: what is shared is written out
        return None
    if said.values[8] >> 4 == 0xD:  # of other roots there is no canonical list
        try:
            decode(said.values, 512)
        except ValueError as error:
            return f"made canonical, it is not: {error}"
    theirs = by_plistlib(case.body)
    if theirs is None:
        return None
    both.append(case)
    ours = plistlib.loads(said.values, fmt=plistlib.FMT_BINARY)
    return None if same(ours, theirs) else f"read as {str(ours)[:200]}, by plistlib as {str(theirs)[:200]}"


def written_out(case, values):
    """How many bytes the values of a case take at most, by the readers that share no code with Coffer."""
    if case.kind != "L" or values is not None:
        return len(values or b"")
    known, sizes = by_plistlib(case.body), {}

    def size(value):  # 18 bytes for its start, its number and its place, and its name's
        if id(value) not in sizes:
            inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
            content = value if isinstance(value, (bytes, str)) else ""
            sizes[id(value)] = 18 + 2 * len(content) + sum(map(size, inner))
        return sizes[id(value)]

    return size(known)


def by_plistlib(body):
    """A list as plistlib reads it, what is shared being shared; None for one that it does not."""
    try:
        return plistlib.loads(body, fmt=plistlib.FMT_BINARY)
    except Exception:  # whatever plistlib makes of broken lists
        return None


def same(ours, theirs):
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, float) and math.isnan(ours):
        return math.isnan(theirs)
    return ours == theirs
