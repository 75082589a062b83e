"""The grammar of the frames between the agent and its clients, as a second reading of AgentProtocol's description.

Each word of a layout is a field: `?x` is a byte that tells whether x follows, `*x` a number of 4 bytes and so many x.
"""

MOST = {"path": 4_096, "name": 4_096}
MOST_STEPS = 4_096
NUMBERS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
CHOICES = {  # a first byte that says what follows
    "step": {1: "name flag bytes", 2: "name flag flag", 3: "name name flag", 4: "name"},
    "warning": {1: "u32 u32", 2: "u32", 3: "", 4: "", 5: "text u32", 6: "", 7: "u32", 8: "u32 text"},
    "failure": {1: "error", 2: "u32", 3: "", 4: "", 5: "", 6: "u64"},
    "error": {
        1: "text", 2: "text", 3: "text", 4: "u16", 5: "text u64", 6: "text", 7: "text u64 u64", 8: "?u32", 9: "",
        10: "", 11: "text", 12: "u64 u64", 13: "u64", 14: "", 15: "", 16: "", 17: "", 18: "", 19: "text text u32",
        20: "text u32", 21: "text", 22: "text text text", 23: "text", 24: "text"},
    "request": {
        2: "", 3: "path", 4: "path u64 key ?duration ?duration flag", 5: "?path", 6: "path name", 7: "path ?name",
        8: "path ?u64 steps", 9: "path", 10: ""},
    "reply": {
        1: "u32 flag flag flag u8", 2: "", 3: "*vault", 4: "u64", 5: "u64 ?bytes", 6: "u64 *entry flag u64",
        7: "u64 *outcome *warning", 8: "u64 bytes bytes" + 7 * " u63" + " flag", 9: "failure"},
}
GROUPS = {
    "vault": "path state ?duration ?duration flag *warning", "entry": "name kind ?u64", "outcome": "?kind",
}
BELOW = {"flag": 2, "state": 3, "kind": 8}  # one byte
HELLO, STOP, VERSION = 1, 10, 1


class Bad(Exception):
    """No frame of this protocol."""


class Body:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Bad
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, width):
        return int.from_bytes(self.take(width), "little")

    def fields(self, layout):
        for word in layout.split():
            self.field(word)

    def field(self, word):
        if word in CHOICES:
            choice = CHOICES[word].get(self.number(1))
            if choice is None:
                raise Bad
            self.fields(choice)
        elif word in GROUPS:
            self.fields(GROUPS[word])
        elif word in NUMBERS:
            self.number(NUMBERS[word])
        elif word in BELOW:
            if self.number(1) >= BELOW[word]:
                raise Bad
        elif word in ("u63", "duration"):
            if self.number(8) >> 63:
                raise Bad
        elif word[0] == "?":
            present = self.number(1)
            if present > 1:
                raise Bad
            if present:
                self.field(word[1:])
        elif word[0] == "*" or word == "steps":
            count = self.number(4)
            if word == "steps" and count > MOST_STEPS:
                raise Bad
            for _ in range(count):
                self.field("step" if word == "steps" else word[1:])
        else:
            self.bytes(word)

    def bytes(self, word):
        """bytes, key, text, path, name"""
        data = self.take(self.number(4))
        if word == "key" and len(data) != 32 or len(data) > MOST.get(word, len(data)):
            raise Bad
        if word in ("text", "path", "name"):
            try:
                data.decode()
            except UnicodeDecodeError:
                raise Bad from None
        if word == "path" and (data[:1] != b"/" or b"\0" in data):
            raise Bad


def is_good(data, word):
    body = Body(data)
    try:
        body.field(word)
    except Bad:
        return False
    return body.at == len(data)


def is_request(data):
    if data[:1] == bytes([HELLO]):
        # Of a greeting in another version nothing is read behind the version.
        return len(data) >= 5 and (data[1:5] != VERSION.to_bytes(4, "little") or len(data) == 5)
    return is_good(data, "request")


def is_reply(data):
    return is_good(data, "reply")
