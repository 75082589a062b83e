"""What the Swift tests show of memory: their scans of the programs of each kind of build, and their suites under two
sanitizers. `make proof-programs` builds what is run here.
"""

import os
import pathlib
import re
import subprocess
import sys

from kit.row import noticed, skip, tally

from .cases import PART
from .limits import without_locking

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUNDLE = "cofferPackageTests.xctest"
SCANNING = "Residue|MemoryScanTests"
# Commands with limits of their own address space have no room for what a sanitizer reserves.
SANITIZED = "^(SecureMemoryTests|PropertyListsTests|VaultFileTests|CofferTests|CofferAgentTests)\\."
SANITIZERS = {
    "address": {"ASAN_OPTIONS": "detect_leaks=0:exitcode=66"},
    "thread": {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66"},
}
FOLDERS = {"address": ROOT / ".build-asan" / "debug", "thread": ROOT / ".build-tsan" / "debug"}
ISSUE = re.compile(r"recorded an issue|failed after|(Address|Thread)Sanitizer:|Fatal error")
SUMMARY = re.compile(r"Test run with (\d+) tests? ")
WANTED = ("ResidueProbe", "coffer")
NOT_BUILT = "not built: make proof-programs"


def tests(t, bundle, choice, name, environment=(), skipping=(), before=()):
    """Runs the tests of a bundle that a pattern chooses. Gives how many there were."""
    done = subprocess.run(
        [*before, bundle, "--testing-library", "swift-testing", "--filter", choice,
         *(word for other in skipping for word in ("--skip", other))],
        capture_output=True, text=True, errors="replace", check=False, cwd=ROOT,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1", **dict(environment)})
    said = done.stdout + done.stderr
    found = SUMMARY.search(said)
    lines = [line for line in said.splitlines() if ISSUE.search(line)]
    t.want(found, f"{name}: ended with {done.returncode}, and no test was counted: {said[-400:]}")
    if done.returncode != 0:
        for line in lines[:20] or [said[-400:]]:
            t.want(False, f"{name}: {line}")
    skips = sorted({line for line in said.splitlines() if line.startswith("SKIPPED")})
    if skips:
        t.row.skipped = "; ".join(skips)
    return int(found[1]) if found else 0


def residue(context, rows):
    """The scans of the tests. The bundle is a release build; the programs that it looks into are of each kind."""
    static = context.static and pathlib.Path(context.static).parent
    bundle = context.programs and context.programs / BUNDLE
    kinds = {"debug": ROOT / ".build" / "debug", "release": context.programs, "static": static}
    for kind, folder in kinds.items():
        what = f"scans by the tests of library, commands and agent, {kind}"
        if not all(path and path.exists() for path in (bundle, *(folder and folder / name for name in WANTED))):
            rows.append(skip(PART, what, NOT_BUILT))
            continue
        with tally(rows, PART, what) as t:
            scans = context.scratch / f"scans-{kind}"
            environment = {"COFFER_TEST_PROGRAMS": str(folder), "COFFER_TEST_SCANS": str(scans)}
            count = tests(t, bundle, SCANNING, kind, environment)
            t.row.what += f" ({count} tests)"
            t.row.tried = len(scans.read_bytes()) if scans.exists() else 0
            t.want(t.row.tried > count, f"{kind}: {t.row.tried} scans by {count} tests")


def sanitizers(context, rows):
    for kind, environment in SANITIZERS.items():
        folder = FOLDERS[kind]
        what = f"tests under the {kind} sanitizer"
        if not (folder / BUNDLE).exists():
            rows.append(skip(PART, what, NOT_BUILT))
            continue
        with tally(rows, PART, what) as t:
            t.row.tried = tests(t, folder / BUNDLE, SANITIZED, kind, environment)


def unlocked(context, rows):
    """The suites where memory cannot be locked: what they want is the same."""
    bundle = context.programs and context.programs / BUNDLE
    for kib in (0, 64):
        what = f"tests with ulimit -l {kib}"
        if not (bundle and bundle.exists()):
            rows.append(skip(PART, what, NOT_BUILT))
            continue
        with tally(rows, PART, what) as t:
            t.row.tried = tests(t, bundle, SANITIZED, what, before=without_locking(kib))


def stress(context, rows, seconds=60, threads=16):
    """What `make stress` does."""
    for kind, folder, environment in (
            ("", context.programs, {}), (", thread sanitizer", FOLDERS["thread"], SANITIZERS["thread"])):
        what = f"operations on one vault by {threads} threads{kind}"
        program = folder and folder / "StressProbe"
        if not (program and program.exists()):
            rows.append(skip(PART, what, NOT_BUILT))
            continue
        with tally(rows, PART, what) as t:
            done = subprocess.run([program, str(seconds), str(threads)], capture_output=True, text=True, check=False,
                                  env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment})
            t.row.tried = sum(map(int, re.findall(r"\w (\d+)", done.stdout.splitlines()[0]))) if done.stdout else 0
            t.want(done.returncode == 0, f"{kind}: {done.returncode} {done.stdout[-300:]} {done.stderr[-600:]}")


def run(context):
    rows = []
    if context.short:
        return rows  # `make test` has run these tests
    residue(context, rows)
    unlocked(context, rows)
    sanitizers(context, rows)
    stress(context, rows)
    return rows


PLANTED = """
import Glibc
let place = UnsafeMutablePointer<Int>.allocate(capacity: 4)
place.initialize(repeating: 1, count: 4)
nonisolated(unsafe) let shared = place
func run() -> pthread_t {
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in for _ in 0..<1_000_000 { shared[0] += 1 }; return nil }, nil)
    return thread
}
let threads = [run(), run()]
for thread in threads { pthread_join(thread, nil) }
place.deallocate()
print(shared[1])
"""


def sabotage(context):
    """A race and a use after free, for the sanitizers; programs that are not those of the build, for the scans."""
    rows = []
    swiftc = os.environ.get("SWIFTC", "swiftc")
    source = context.scratch / "main.swift"
    source.write_text(PLANTED)
    for kind, environment in SANITIZERS.items():
        found = []
        with tally(found, PART, kind) as t:
            program = context.scratch / kind
            subprocess.run([swiftc, "-O", f"-sanitize={kind}", source, "-o", program], check=True, capture_output=True)
            done = subprocess.run([program], capture_output=True, check=False, env={**os.environ, **environment})
            t.check(done.returncode != 66, f"{kind}: {done.returncode} {done.stderr[:80]}")
        rows.append(noticed(PART, f"a race and a use after free, {kind} sanitizer", found))
    bundle = context.programs and context.programs / BUNDLE
    if bundle and bundle.exists():
        folder, found = context.scratch / "programs", []
        folder.mkdir()
        for name in WANTED:
            careless = folder / name
            careless.write_text(f"#!{sys.executable}\nimport os, sys\nkept = []\nprint('ready', flush=True)\n"
                                "for line in sys.stdin.buffer:\n    kept.append(line)\n    print('ok', flush=True)\n")
            careless.chmod(0o755)
        with tally(found, PART, "careless") as t:
            tests(t, bundle, "ResidueTests.CacheResidueTests", "careless", {"COFFER_TEST_PROGRAMS": str(folder)})
        rows.append(noticed(PART, "a cache in ordinary memory, by the tests' scans", found))
    return rows
