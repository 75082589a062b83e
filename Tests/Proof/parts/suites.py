"""What the Swift tests show of memory: their scans of the programs of each kind of build, and their suites under two
sanitizers. `make proof-programs` builds what is run here.
"""

import os
import pathlib
import re
import subprocess

from kit.row import noticed, skip, tally

from . import keeping
from .cases import PART
from .limits import without_locking

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUNDLE = "cofferPackageTests.xctest"
SCANNING = "Residue|MemoryScanTests"
# Commands with limits of their own address space have no room for what a sanitizer reserves.
SANITIZED = "^(SecureMemoryTests|PropertyListsTests|VaultFileTests|CofferTests|CofferAgentTests)\\."
NOT_SCANNING = [
    "importing the library changes no signal, limit or dump setting of the process",
    "a process that is not there cannot be scanned", "a crash leaves no core, and no secret in what is said of it",
]
# What a test limits by itself: the address space, of which the sanitizer takes terabytes, or the memory that it locks,
# where the sanitizer needs more. And only pages that are locked are kept for their next use.
TAKES_ADDRESSES = "BackgroundLoopTests/withoutThreads|MemoryCacheUseTests/noMemory"
LIMITS_LOCKS = "GuardedPoolTests/smallLimit|SecureMemoryTests/lockLimit"
KEEPS_PAGES = "GuardedBufferTests/reuse"
# The thread sanitizer does not go on in a child of a fork.
FORKS = r"/(fork\w*|reuse|noMemory|secretOfParent)\(|AgentProcessTests/|PlaceTests/replaced"
SANITIZERS = {
    "address": {"ASAN_OPTIONS": "detect_leaks=0:exitcode=66"},
    # The standard library's Mutex, with which the tests guard what is theirs, is unknown to this sanitizer.
    "thread": {"TSAN_OPTIONS": f"halt_on_error=1:exitcode=66:suppressions={pathlib.Path(__file__).with_name('races')}"},
}
# Readers of bytes know no threads, and take long under the thread sanitizer.
CHOSEN = {"address": SANITIZED, "thread": "^(SecureMemoryTests|CofferTests|CofferAgentTests)\\."}
LEFT_OUT = {"address": [TAKES_ADDRESSES, LIMITS_LOCKS], "thread": [TAKES_ADDRESSES, LIMITS_LOCKS, FORKS]}
FOLDERS = {"address": ROOT / ".build-asan" / "debug", "thread": ROOT / ".build-tsan" / "debug"}
ISSUE = re.compile(r"recorded an issue|failed after|(Address|Thread)Sanitizer:|Fatal error")
SUMMARY = re.compile(r"Test run with (\d+) tests? ")
WANTED = ("ResidueProbe", "coffer")
NOT_BUILT = "not built: make proof-programs"


def run_tests(bundle, choice, environment=(), before=(), but=()):
    """Runs the tests of a bundle that a pattern chooses: how it ended, what it said, and how many tests there were."""
    skips = [word for pattern in but for word in ("--skip", pattern)]
    done = subprocess.run(
        [*before, bundle, "--testing-library", "swift-testing", "--filter", choice, *skips], capture_output=True,
        text=True, errors="replace", check=False, cwd=ROOT,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1", **dict(environment)})
    found = SUMMARY.search(done.stdout + done.stderr)
    return done.returncode, done.stdout + done.stderr, int(found[1]) if found else 0


def tests(t, bundle, choice, name, environment=(), before=(), but=()):
    """Runs tests, of which none may fail. Gives how many there were."""
    code, said, count = run_tests(bundle, choice, environment, before, but)
    t.want(count, f"{name}: ended with {code}, and no test was counted: {said[-400:]}")
    if code != 0:
        for line in [line for line in said.splitlines() if ISSUE.search(line)][:20] or [said[-400:]]:
            t.want(False, f"{name}: {line}")
    skips = sorted({line for line in said.splitlines() if line.startswith("SKIPPED")})
    if skips:
        t.row.skipped = "; ".join(skips)
    return count


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
            t.row.tried = tests(t, folder / BUNDLE, CHOSEN[kind], kind, environment, but=LEFT_OUT[kind])


def unlocked(context, rows):
    """The suites where memory cannot be locked: what they want is the same."""
    bundle = context.programs and context.programs / BUNDLE
    for kib in (0, 64):
        what = f"tests with ulimit -l {kib}"
        if not (bundle and bundle.exists()):
            rows.append(skip(PART, what, NOT_BUILT))
            continue
        with tally(rows, PART, what) as t:
            t.row.tried = tests(
                t, bundle, SANITIZED, what, before=without_locking(kib, "-S"), but=[] if kib else [KEEPS_PAGES])


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
        return [skip(PART, "the tests under sanitizers and limits", "in the short form; `make test` has run them once")]
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
    pthread_create(&thread, nil, { _ in for _ in 0..<100 { shared[0] += 1; usleep(1_000) }; return nil }, nil)
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
    what = "programs that keep what they read, by the tests' scans"
    if not (bundle and bundle.exists()) or keeping.library(context) is None:
        return [*rows, skip(PART, what, NOT_BUILT)]
    for name in WANTED:
        folder = keeping.careless(context, context.programs / name, name).parent
    with tally(rows, PART, what) as t:
        _, said, t.row.tried = run_tests(bundle, SCANNING, {"COFFER_TEST_PROGRAMS": str(folder)})
        unaware = set(re.findall(r'Test "(.*)" (?:with .*)?passed after', said)) - set(NOT_SCANNING)
        t.want(t.row.tried > len(NOT_SCANNING) and not unaware, f"not noticed by: {'; '.join(sorted(unaware))}")
    return rows
