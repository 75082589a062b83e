#!/usr/bin/python3
"""Compiles and runs the Swift snippets of the README and of the articles, as a stranger's package would.

The snippets of one document are one program, in their order; one that begins with `// Sources/NAME/main.swift` begins
another program, and all of a document run in one folder, in their order. An XML snippet is `settings.plist` there.
What the snippets say is checked:

    print(name)                  // prints: anonymous       the program prints this line, and no other lines
    print(name)                  // once unlocked: alice    the same, run again when the agent has the vault unlocked
    print(password)              // error: Copyable         the whole snippet must be refused, for this reason
    .product(name: "Coffer", …   (a manifest)               its lines stand in the example's Package.swift

A program may need Foundation only if its own snippets import it, and one of each document must not.

Usage: run.py [DOCUMENT ...], such as README or GettingStarted; all unless told.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GENERATED = HERE / ".programs"
MANIFEST = ROOT / "Examples/MailAccount/Package.swift"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "Sources").glob("*/*.docc/*.md"))]
PASSPHRASE = "seven clouds over a quiet harbour"
SECONDS = 120


class Failure(Exception):
    pass


class Snippet:
    def __init__(self, document, line, text):
        self.document, self.line, self.text = document, line, text
        self.is_manifest = "PackageDescription" in text or '.product(name: "Coffer"' in text
        header = re.match(r"// Sources/(\w+)/main\.swift\n", text)
        self.program = header[1] if header else None
        self.errors = re.findall(r"// error: (.+)", text)
        self.prints = re.findall(r"// prints: (.+)", text)
        self.unlocked = re.findall(r"// once unlocked: (.+)", text)

    def __str__(self):
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    @property
    def source(self):
        """The text, with the compiler told where it comes from."""
        place = f'file: "{self.document.relative_to(ROOT)}", line: {self.line}'
        return f"#sourceLocation({place})\n{self.text}\n#sourceLocation()\n"


def fences(document, language):
    """The snippets of a document in a language, each with the number of its first line."""
    lines, start = [], None
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if start is None and re.match(rf"\s*(```|~~~)\s*{language}\b", line):
            start, lines = number, []
        elif start is not None and line.strip() in ("```", "~~~"):
            yield start + 1, "\n".join(lines)
            start = None
        elif start is not None:
            lines.append(line)
    if start is not None:
        raise Failure(f"{document.relative_to(ROOT)}:{start}: the fence is not closed")


def snippets(document):
    return [Snippet(document, line, text) for line, text in fences(document, "swift")]


def programs_of(document, parts):
    """The programs of a document: for each name its snippets."""
    programs, name = {}, document.stem
    for part in parts:
        name = part.program or name
        programs.setdefault(name, []).append(part)
    return programs


def words(text):
    return " ".join(text.split())


def check_manifest(snippet):
    """Every line must be the example's, but for the path, which depends on where one stands."""
    example = words(MANIFEST.read_text())
    for line in snippet.text.replace('"../coffer"', '"../.."').splitlines():
        if words(line) not in example:
            raise Failure(f"{snippet}: not in {MANIFEST.relative_to(ROOT)}: {line.strip()}")


def generate(programs):
    shutil.rmtree(GENERATED, ignore_errors=True)
    for name, parts in programs.items():
        (GENERATED / name).mkdir(parents=True)
        text = "\n".join(part.source for part in parts if not part.errors)
        (GENERATED / name / "main.swift").write_text(text)


def swift(*arguments):
    command = [os.environ.get("SWIFT", "swift"), *arguments]
    return subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def faults(output):
    """What the compiler complains of, each once: it tells the same for every file of a module."""
    lines = [line for line in output.splitlines() if re.search(r"error:|warning:|Found .*\?!", line)]
    own = [line for line in lines if re.match(r"\S+:\d+:\d+: ", line)] or lines or output.splitlines()
    return "\n".join(list(dict.fromkeys(own))[:40])


def build(programs):
    """Builds the programs, or all if none is named, and tells where they are."""
    for options in [["--product", f"{name}Snippets"] for name in programs] or [[]]:
        # Else a file that is new in the library is not always seen.
        result = swift("build", "--disable-build-manifest-caching", *options)
        if result.returncode != 0:
            raise Failure(f"the snippets do not compile:\n{faults(result.stdout)}")
        if "warning:" in result.stdout:
            raise Failure(f"the snippets compile with warnings:\n{faults(result.stdout)}")
    return pathlib.Path(swift("build", "--show-bin-path").stdout.strip())


def check_refused(snippet, parts, folder, products):
    """The compiler must refuse the snippet after those before it, and for no other reason than the one it names."""
    before = [part.source for part in parts[: parts.index(snippet)] if not part.errors]
    source = folder / "main.swift"
    source.write_text("\n".join([*before, snippet.source]))
    modules = [*(ROOT / "Sources").glob("*/module.modulemap"), *products.glob("*.build/module.modulemap")]
    clang = [word for module in modules for word in ("-Xcc", f"-fmodule-map-file={module}")]
    result = subprocess.run(
        ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", products / "Modules", *clang, source],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.findall(r"^\S+:\d+:\d+: error: (.+)", result.stdout, re.M)
    if len(found) != len(snippet.errors) or any(want not in got for want, got in zip(snippet.errors, found)):
        raise Failure(f"{snippet}: should be refused with {snippet.errors}:\n{result.stdout}")


def run(folder, program, *arguments, text=f"{PASSPHRASE}\n" * 8):
    """What a program prints, which must end well."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"), "COFFER_RUNTIME_DIR": str(folder / "run"),
        "SWIFT_BACKTRACE": "enable=no",
    }
    result = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, input=text, capture_output=True, text=True,
        timeout=SECONDS)
    if result.returncode != 0:
        raise Failure(f"ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def check_output(parts, program, folder):
    """The program must print what its snippets say."""
    wanted = [line.strip() for part in parts if not part.errors for line in part.prints]
    if not wanted:
        raise Failure("no snippet says what it prints, so nothing would be checked")
    compare(run(folder, program).splitlines(), wanted)


def check_with_agent(parts, program, folder):
    """The program must print what its snippets say when an agent has its vault unlocked, and change the settings."""
    wanted = [line.strip() for part in parts for line in part.unlocked]
    if not wanted:
        return
    result = subprocess.run(
        [os.environ.get("SWIFT", "swift"), "build", "--product", "coffer"], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Failure(f"coffer does not build:\n{faults(result.stdout)}")
    path = subprocess.run(
        [os.environ.get("SWIFT", "swift"), "build", "--show-bin-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    coffer = pathlib.Path(path.stdout.strip()) / "coffer"
    identifier = re.search(r'\.userData\("(.+?)"\)', "".join(part.text for part in parts))[1]
    vault = ["--vault", str(folder / "data" / identifier / "default.coffer")]
    (folder / "data" / identifier).mkdir(mode=0o700, parents=True)
    passphrase = folder / "passphrase"
    passphrase.write_text(PASSPHRASE)
    run(folder, coffer, "init", *vault, "--passphrase-file", str(passphrase))
    run(folder, coffer, "unlock", *vault, "--passphrase-file", str(passphrase))
    try:
        run(folder, coffer, "set", "password", *vault, text="s3cret")
        for count in (1, 2):
            compare(run(folder, program).splitlines(), wanted)
            compare(run(folder, coffer, "get", "sessions", *vault).splitlines(), [str(count)])
    finally:
        run(folder, coffer, "agent", "stop")


def compare(printed, wanted):
    if printed != wanted:
        raise Failure("printed:\n  " + "\n  ".join(printed) + "\nbut the text says:\n  " + "\n  ".join(wanted))


def check_linkage(parts, program):
    """Neither the program nor a library that it loads may be Foundation's, unless a snippet asks for it."""
    if any("import Foundation" in part.text for part in parts):
        return
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    if "libswiftCore" not in libraries:
        raise Failure(f"it seems to load no Swift library, so the check means nothing:\n{libraries}")
    symbols = subprocess.run(["nm", "--undefined-only", program], capture_output=True, text=True, check=True).stdout
    for line in [*libraries.splitlines(), *symbols.splitlines()]:
        if re.search(r"lib_?Foundation|\$s1\dFoundation|\$s2\dFoundation", line):
            raise Failure(f"needs Foundation: {line.strip()}")


def check_document(document, programs, products):
    """Runs the programs of a document one after the other in one folder."""
    if all("import Foundation" in "".join(part.text for part in parts) for parts in programs.values()):
        raise Failure("all of its programs need Foundation")
    with tempfile.TemporaryDirectory() as folder:
        for _, text in fences(document, "xml"):
            pathlib.Path(folder, "settings.plist").write_text(text)
        for name, parts in programs.items():
            program = products / f"{name}Snippets"
            check_output(parts, program, pathlib.Path(folder))
            check_with_agent(parts, program, pathlib.Path(folder))
            check_linkage(parts, program)
    for parts in programs.values():
        for snippet in parts:
            if snippet.errors:
                with tempfile.TemporaryDirectory() as folder:
                    check_refused(snippet, parts, pathlib.Path(folder), products)


def main(wanted):
    if set(wanted) - {document.stem for document in DOCUMENTS}:
        sys.exit(__doc__)
    failures, count, documents = [], 0, {}

    def check(name, action, *arguments):
        try:
            return action(*arguments)
        except (Failure, subprocess.SubprocessError) as failure:
            failures.append(name)
            print(f"FAILED {name}: {failure}")

    for document in DOCUMENTS:
        found = check(document.name, snippets, document) or []
        count += len(found)
        for snippet in found:
            if snippet.is_manifest:
                check(document.name, check_manifest, snippet)
        parts = [snippet for snippet in found if not snippet.is_manifest]
        if parts:
            documents[document] = programs_of(document, parts)
    programs = {name: parts for found in documents.values() for name, parts in found.items()}
    manifest = (HERE / "Package.swift").read_text()
    named = re.findall(r'"(\w+)"', re.search(r"let programs = \[(.*?)\]", manifest, re.S)[1])
    if sorted(named) != sorted(programs):
        failures.append("Package.swift")
        print(f"FAILED Package.swift: it names {sorted(named)}, but there are snippets of {sorted(programs)}")
    else:
        generate(programs)
        if wanted:
            documents = {document: found for document, found in documents.items() if document.stem in wanted}
            count = sum(len(snippets(document)) for document in documents)
        products = check("build", build, [name for found in documents.values() for name in found] if wanted else [])
        for document, found in documents.items() if products else ():
            check(document.name, check_document, document, found, products)
    print(f"{count} snippets of {len(documents)} documents, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
