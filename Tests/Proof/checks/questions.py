"""What a person is asked at a terminal, call by call, and how the answers are given."""

import dataclasses

from checks.verbs import NEXT, PASSPHRASE, TYPED

DROPPED = "half-typed-secret"


@dataclasses.dataclass(frozen=True)
class Step:
    """One question, and the answer to it."""

    prompt: str
    answer: bytes
    hidden: bool = True


OPEN = Step("Passphrase of ", PASSPHRASE)
NEW = [Step("New passphrase for ", NEXT), Step("The same again: ", NEXT)]
VALUE = [Step("Value of ", TYPED.encode()), Step("The same again: ", TYPED.encode())]


def asked(text, *steps):
    """The words of a call, and what it asks."""
    return text, [OPEN, *steps]


DIALOGUES = [
    asked("get a"), asked("get --json a b"), asked("list"), asked("list --json"), asked("unset b"),
    asked("rename b d"), asked("undo a"), asked("inspect --ask"), asked("unlock"), asked("set c", *VALUE),
    asked("set n --type integer", Step("Value of ", b"42", False)),
    asked("set t --not-secret", Step("Value of ", b"for everybody", False)),
    asked("set d --type date", Step("Value of ", b"2024-02-29T12:00:00Z", False)),
    asked("set g --generate"), asked("passphrase --cost 3,64M", *NEW), ("init --vault NEW --cost 3,64M", NEW),
]
# Each question of each call: 25 of them.
QUESTIONS = [(text, steps, number) for text, steps in DIALOGUES for number in range(len(steps))]


def command(desk, text):
    return [desk.context.coffer, *(str(desk.new) if word == "NEW" else word for word in text.split())]


def answer(screen, steps):
    for step in steps:
        screen.expect(step.prompt)
        if step.hidden:
            screen.wait_until_hidden()
        screen.type(step.answer + b"\n")


def bring_to(screen, steps, number):
    """Answers the questions before one, and half of that."""
    answer(screen, steps[:number])
    screen.expect(steps[number].prompt)
    if steps[number].hidden:
        screen.wait_until_hidden()
    screen.type(DROPPED)


def shows(screen, steps):
    """Whether the terminal shows an answer that it must not."""
    return any(step.hidden and step.answer in screen.drain() for step in steps)
