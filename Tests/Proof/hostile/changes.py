"""Random changes; each hangs on the seed, its family and its number alone, so that one can be made again."""

import random

from encoder import make_plaintext

from hostile.probe import Case
from hostile.stock import CHECK, checked


def changed(draw, data, first=0, last=None):
    """One to four changes between two places."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        end = min(last or len(data), len(data))
        if end <= first:
            break
        at = draw.randrange(first, end)
        which = draw.randrange(9)
        if which < 2:
            data[at] ^= 1 << draw.randrange(8)
        elif which < 4:
            data[at] = draw.choice((0, 1, 8, 0x7F, 0x80, 0xA0, 0xD0, 0xDF, 0xFF, draw.randrange(256)))
        elif which == 4:
            data[at] = (data[at] + draw.choice((1, -1))) % 256
        elif which == 5:
            width = draw.choice((2, 4, 8))
            number = draw.choice((0, 1, 255, 65_535, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1, len(data)))
            number &= (1 << 8 * width) - 1
            order = draw.choice(("little", "big"))
            data[at:at + width] = number.to_bytes(width, order)[:max(end - at, 0)]
        elif which == 6:
            del data[at:min(at + draw.choice((1, 2, 8, 32)), end)]
        elif which == 7:
            data[at:at] = data[at:min(at + draw.choice((1, 2, 8, 32)), end)]
        else:
            other = draw.randrange(first, end)
            data[at], data[other] = data[other], data[at]
    return bytes(data)


def vault(stock, number):
    """A file with a few changes, most in its header, most with a check that fits."""
    draw = random.Random(f"{stock.seed}/vault/{number}")
    file = draw.choice((stock.small, stock.shared))
    end = int.from_bytes(file[10:12], "little") + CHECK
    body = file[:-CHECK]
    body = changed(draw, body, 8, end) if draw.random() < 0.75 else changed(draw, body)
    if draw.random() < 0.95:  # another salt makes another key, which takes longer than all else
        body = body[:24] + file[24:40] + body[40:]
    body = checked(body) if draw.random() < 0.85 else body + file[-CHECK:]
    kind = "O" if body[16:24] == file[16:24] else "H"  # nor is a dear key derived
    return Case(kind, body, f"vault {number} of this seed")


def contents(stock, number):
    """A vault that a holder of the key sealed, with changes in its lists, their lengths or the padding."""
    draw = random.Random(f"{stock.seed}/contents/{number}")
    settings, metadata = draw.choice(stock.lists), draw.choice((b"", b"", stock.metadata))
    if draw.random() < 0.7:
        settings = changed(draw, settings, 8)
    elif metadata:
        settings, metadata = stock.lists[0], changed(draw, stock.metadata, 8)
    plaintext = make_plaintext(bytes(16), draw.choice((1, 2, 1 << 62)), settings, metadata)
    if draw.random() < 0.1:
        plaintext = changed(draw, plaintext, 16, 32)
        plaintext = plaintext[:len(plaintext) // 16 * 16]
    if not 4_096 <= len(plaintext):
        plaintext = plaintext.ljust(4_096, b"\0")
    return Case("O", stock.sealed(b"", plaintext=plaintext), f"contents {number} of this seed")


def listing(stock, number):
    """A list with a few changes, most of them where the references, the table and the trailer are."""
    draw = random.Random(f"{stock.seed}/list/{number}")
    data = draw.choice(stock.foreign)
    data = changed(draw, data, draw.choice((0, 8, 8, 8, max(8, len(data) - 80))))
    return Case("L", data, f"list {number} of this seed")


def frame(stock, number):
    """The body of a frame with a few changes."""
    draw = random.Random(f"{stock.seed}/frame/{number}")
    kind, body = draw.choice(stock.frames)
    return Case(kind, changed(draw, body) or b"\0", f"frame {number} of this seed")
