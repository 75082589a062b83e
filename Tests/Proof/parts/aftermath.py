"""What is checked after a save that was killed or got a fault: nothing lost, nothing half, and nothing left."""

import stat


def check(t, place, save, outcome, label):
    """The vault after one save that a fault met; gives the generation."""
    generation, place.left = save.generation(place), set(place.leftovers())
    t.check(generation in ("old", "new"), f"{label}: {generation}; {outcome}")
    t.want(outcome.code is not None, f"{label}: it hangs")
    t.want(not outcome.trouble, f"{label}: {outcome}")
    t.want(not save.lost(place, generation, outcome), f"{label}: told as made, and {generation}; {outcome}")
    if generation == "old" and (again := save.again(place)):
        t.want(again.code == 0 and save.generation(place) == "new", f"{label}: it cannot be made again: {again}")
        generation = "old" if again.code else "made again"
    if generation in ("old", "new", "made again"):
        mode = place.vault.lstat().st_mode
        t.want(stat.S_ISREG(mode) and stat.S_IMODE(mode) == 0o600, f"{label}: its mode is {mode:o}")
        check_next_save(t, place, save, generation, label)
    return "old" if generation == "made again" else generation


def check_next_save(t, place, save, generation, label):
    """The next save finds the vault, is made, and takes away what the other one left."""
    passphrase = save.passphrase if generation == "new" else None
    before = place.opened(passphrase)
    done = place.coffer(["set", "next", *save.secret(place, generation)], b"y")
    good = t.want(done.code == 0, f"{label}: the next save fails: {done}")
    after = place.opened(passphrase)
    good = good and after.settings == {**before.settings, "next": "y"} and after.generation == before.generation + 1
    t.want(good, f"{label}: after the next save, generation {after.generation}, {str(after.settings)[:300]}")
    t.want(not place.leftovers(), f"{label}: left after the next save: {place.leftovers()}")
    state = place.state / "coffer"
    left = {path.name for path in state.iterdir()} - {"freshness", ".freshness.lock"} if state.is_dir() else ()
    t.want(not left, f"{label}: left in the state after the next save: {left}")
