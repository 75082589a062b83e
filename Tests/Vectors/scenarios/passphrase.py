"""Passphrases are bytes: nothing is trimmed, brought to a form or left out."""

import unicodedata

from kit.primitives import PASSPHRASE
from kit.vault import Vault


def add(vectors):
    def opens(name, comment, passphrase):
        vectors.add("passphrase_" + name, comment, "success", Vault(passphrase=passphrase).file(),
            passphrase=passphrase)

    def wrong(name, comment, passphrase, right=PASSPHRASE):
        vectors.add("passphrase_" + name, comment, "wrongPassphrase", Vault(passphrase=right).file(),
            passphrase=passphrase)

    nfc, nfd = ("pässwörd 🔑".encode(), unicodedata.normalize("NFD", "pässwörd 🔑").encode())
    longest = bytes(0x21 + at % 94 for at in range(1_024))

    opens("1_byte", "The shortest.", b"x")
    opens("1024_bytes", "The longest.", longest)
    opens("1024_bytes_multibyte", "The longest: 512 letters of two bytes.", "é".encode() * 512)
    opens("utf8", "Letters outside of ASCII, in NFC.", nfc)
    opens("nfd", "A passphrase that is not NFC: readers change nothing.", nfd)
    opens("nul", "A NUL within.", b"a\0b")
    opens("nul_only", "Nothing but a NUL.", b"\0")
    opens("newline", "A line feed at the end belongs to it.", PASSPHRASE + b"\n")
    opens("crlf", "CR LF at the end belongs to it.", PASSPHRASE + b"\r\n")
    opens("spaces", "Spaces at both ends belong to it.", b"  " + PASSPHRASE + b" ")
    opens("space_only", "Nothing but a space.", b" ")
    opens("not_utf8", "Bytes that are no UTF-8.", b"\xff\xfe\x80\xc3")
    opens("bom", "A byte order mark belongs to it.", b"\xef\xbb\xbf" + PASSPHRASE)
    opens("all_bytes", "Each byte there is.", bytes(range(256)))
    opens("hex_digits", "Text that looks like hexadecimal is text.", b"00ff")

    wrong("wrong", "Another passphrase.", b"incorrect horse battery staple")
    wrong("wrong_case", "A letter in the other case.", b"Correct horse battery staple")
    wrong("wrong_last_byte", "One byte too many.", PASSPHRASE + b"x")
    wrong("wrong_short", "One byte too few.", PASSPHRASE[:-1])
    wrong("wrong_newline", "A line feed too many.", PASSPHRASE + b"\n")
    wrong("wrong_crlf", "CR LF too many.", PASSPHRASE + b"\r\n")
    wrong("wrong_no_newline", "The line feed is missing.", PASSPHRASE, PASSPHRASE + b"\n")
    wrong("wrong_space", "A space too many, at the end.", PASSPHRASE + b" ")
    wrong("wrong_nfd", "NFD where the vault has NFC.", nfd, nfc)
    wrong("wrong_nfc", "NFC where the vault has NFD.", nfc, nfd)
    wrong("wrong_cut_at_nul", "What is before the NUL.", b"a", b"a\0b")
    wrong("wrong_after_nul", "Another byte after the NUL.", b"a\0c", b"a\0b")
    wrong("wrong_nul_added", "A NUL too many.", PASSPHRASE + b"\0")
    wrong("wrong_1023_of_1024", "The last of 1,024 bytes is missing.", longest[:-1], longest)
    wrong("wrong_byte_1024", "The last of 1,024 bytes is another.", longest[:-1] + b"!", longest)
    wrong("wrong_latin1", "Latin-1 where the vault has UTF-8.", "pässwörd".encode("latin-1"), "pässwörd".encode())
    wrong("wrong_replacement", "U+FFFD where the vault has a byte that is no UTF-8.", b"\xef\xbf\xbd", b"\xff")

    for name, comment, passphrase in (
        ("empty", "No bytes. The vault was made with it.", b""),
        ("1025_bytes", "A byte more than the longest. The vault was made with it.", longest + b"!"),
        ("1025_bytes_multibyte", "513 letters, 1,025 bytes. The vault was made with it.", "é".encode() * 512 + b"e"),
        ("65536_bytes", "A length that 16 bits do not hold. The vault was made with it.", b"x" * 65_536),
        ("65537_bytes", "A length that 16 bits take for 1. The vault was made with it.", b"x" * 65_537),
    ):
        file = Vault(passphrase=passphrase).file()
        vectors.add("passphrase_" + name, comment, "refused", file, passphrase=passphrase)
    vectors.add("passphrase_empty_wrong", "No bytes, on a vault that was made with others.", "refused", Vault().file(),
                passphrase=b"")
