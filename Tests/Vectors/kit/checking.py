"""Mistakes of a scenario end the generator, also under `python3 -O`, which drops `assert`."""


def require(condition, what):
    if not condition:
        raise ValueError(what)
