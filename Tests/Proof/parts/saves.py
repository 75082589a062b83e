"""The ways to save that crash.py interrupts: what is run, and what the vault is to be afterwards."""

from kit import faults
from kit.place import SETTINGS

NEW = b"eight lanterns along the harbour wall"
VALUE = "v" * 300  # so that the file stays one block, and no piece of it stands elsewhere by chance


class Save:
    """`coffer set` with a passphrase: one process, one thread."""

    name, passphrase, expected = "set", None, {**SETTINGS, "new": VALUE}
    left = ()  # what stands beside the vault before it, and may after it
    warns = True  # whether it says what is not as it should be, though the save is made
    hidden = 0  # how many calls no fault can reach

    def run(self, place, call=None, fault=None, log=None):
        """Makes the save, with a fault at a call if one is given; gives how it ended."""
        return self.work(place, [] if call is None else faults.injecting(call, fault, log))

    def work(self, place, before):
        return place.coffer(["set", "new", *place.secret], VALUE.encode(), before)

    def calls(self, place, log):
        """The calls of a save that goes well."""
        outcome = self.work(place, faults.tracing(log))
        if outcome.code != 0 or self.generation(place) != "new":
            raise AssertionError(f"{self.name} does not go well under strace: {outcome}")
        return faults.calls(log)

    def lost(self, place, generation, outcome):
        """Whether something is missing that was told as made."""
        return outcome.code == 0 and generation != "new"

    def is_unmade(self, place, generation, outcome):
        """Whether the save is not made of which a failure is told."""
        return generation == "old"

    def killed(self, place, generation, outcome):
        """Whether it ended as what is killed ends."""
        return outcome.code == -9

    def generation(self, place):
        """Which generation of the vault is there: "old", "new", or what is there instead."""
        try:
            file = place.vault.read_bytes()
            if file == place.original:
                return "old"
            opened = place.opened(self.passphrase)
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        good = opened.settings == self.expected and opened.generation == 2
        return "new" if good else f"neither: generation {opened.generation}, {str(opened.settings)[:300]}"

    def again(self, place):
        """Makes the vault again that is not there; nothing where a vault always is."""
        return None

    def secret(self, place, generation):
        """The words that open the vault as it is now."""
        if self.passphrase is None or generation == "old":
            return place.secret
        return ["--passphrase-file", str(self.write_passphrase(place))]

    def write_passphrase(self, place):
        path = place.home / "new-passphrase"
        path.write_bytes(self.passphrase + b"\n")
        return path


class PassphraseSave(Save):
    """`coffer passphrase`: another key, at the lowest cost that it chooses."""

    name, passphrase, expected = "passphrase", NEW, SETTINGS

    def work(self, place, before):
        words = ["--new-passphrase-file", str(self.write_passphrase(place)), "--cost", "3,64M", "--allow-weak"]
        return place.coffer(["passphrase", *place.secret, *words], before=before)


class StaticSave(Save):
    """`coffer set` of the static program, which has no loader."""

    name = "set by the static program"

    def work(self, place, before):
        return place.run([*before, place.context.static, "set", "new", *place.secret], VALUE.encode())


class LeftoverSave(Save):
    """`coffer set` where a save that was killed has left its temporary file, which this one removes."""

    name, left = "set where a file was left", (".v.coffer.tmp-0123456789abcdef",)

    def work(self, place, before):
        for name in self.left:
            (place.folder / name).write_bytes(b"half")
        return super().work(place, before)


class InitSave(Save):
    """`coffer init`: the old generation is that there is no vault."""

    name, expected = "init", {}

    def work(self, place, before):
        place.vault.unlink(missing_ok=True)
        return place.coffer(["init", "--cost", "3,64M", *place.secret], before=before)

    def generation(self, place):
        if not place.vault.exists():
            return "old"
        try:
            opened = place.opened()
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        return "new" if (opened.settings, opened.generation) == ({}, 1) else f"neither: {opened.settings}"

    def again(self, place):
        return self.work(place, [])


class BatchSave(Save):
    """A program with the library: some updates, each of which changes several settings at once."""

    name, times, names, warns = "updates by the library", 3, 4, False

    def work(self, place, before):
        program = place.context.program("UpdateProbe")
        return place.run([*before, program, place.vault, self.times, self.names], place.passphrase + b"\n")

    def generation(self, place):
        """Any number of updates may be there, each of them whole."""
        place.made = 0
        try:
            if place.vault.read_bytes() == place.original:
                return "old"
            opened = place.opened()
        except Exception as error:
            return f"neither: {type(error).__name__}: {error}"
        place.made = opened.generation - 1
        want = {**SETTINGS, **{f"count{number or ''}": place.made for number in range(self.names)}}
        good = 1 <= place.made <= self.times and opened.settings == want
        return "new" if good else f"neither: generation {opened.generation}, {opened.settings}"

    def lost(self, place, generation, outcome):
        """Also one that is there too much: at most the update after the last that was told."""
        told = outcome.out.count(b"made ")
        return not (self.times if outcome.code == 0 else told) <= place.made <= told + 1

    def is_unmade(self, place, generation, outcome):
        return place.made == outcome.out.count(b"made ")
