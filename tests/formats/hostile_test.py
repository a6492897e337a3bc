#!/usr/bin/env python3
"""Gives the real program files that try to break it, through `info` and `run`.

Each must be refused with exit code 2 and exactly one line on stderr, which names the file and the
place, or give the declared result; within a second of processor time and 256 MiB.
hostile/cases.json says what is expected of the files beside it: 'refused' is how the message goes
on after the file's name; 'info' and 'run' are what these commands say in JSON, among other things,
a text for 'run' being how its message goes on. Larger files and checkpoints are made here.

usage: hostile_test.py PROGRAM [--no-limits]
--no-limits: for builds with sanitizers or without optimisation, which take more
"""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HOSTILE = Path(__file__).resolve().parent / "hostile"
SECONDS = 1.0  # of processor time: a loaded machine makes a command wait
MEMORY_KIB = 256 * 1024
HANGS = 60  # seconds by the clock after which a command is killed

RUN = ["--gens", "4", "--json", "--backend", "cpu", "--max-memory", "100M"]


class Outcome:
    """What a command did: its exit code, what it printed, and what it took."""

    def __init__(self, command, folder, stdin):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(command, cwd=folder, stdin=stdin, stdout=out, stderr=err)
            signal.signal(signal.SIGALRM, lambda *_: child.kill())
            signal.alarm(HANGS)
            _, status, usage = os.wait4(child.pid, 0)
            signal.alarm(0)
            child.returncode = self.code = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.stdout = out.read().decode("utf-8", "replace")
            self.stderr = err.read().decode("utf-8", "replace")
        self.seconds = usage.ru_utime + usage.ru_stime
        self.memory_kib = usage.ru_maxrss


class Tester:
    def __init__(self, program, limits):
        self.program = program
        self.limits = limits
        self.failures = []
        self.commands = 0

    def outcome(self, arguments, folder, stdin=subprocess.DEVNULL):
        self.commands += 1
        outcomes = [Outcome([self.program, *arguments], folder, stdin)]
        # What else runs slows a command down, even by its own time: the best of three counts.
        while self.limits and outcomes[-1].seconds > SECONDS and len(outcomes) < 3:
            outcomes.append(Outcome([self.program, *arguments], folder, stdin))
        return min(outcomes, key=lambda outcome: outcome.seconds)

    def check(self, arguments, outcome, problem):
        if not problem and self.limits:
            if outcome.seconds > SECONDS:
                problem = f"took {outcome.seconds:.2f} s of processor time"
            elif outcome.memory_kib > MEMORY_KIB:
                problem = f"took {outcome.memory_kib >> 10} MiB"
        if problem:
            shown = outcome.stderr[:500] or outcome.stdout[:500]
            self.failures.append(
                f"tessera {' '.join(arguments)}: {problem}\n    exit code {outcome.code}: {shown}"
            )

    def refused(self, arguments, folder, message, stdin=subprocess.DEVNULL, why=""):
        """The command must fail as bad input does, with a line that begins with the message."""
        outcome = self.outcome(arguments, folder, stdin)
        problem = None
        if outcome.code != 2:
            problem = "should be refused with exit code 2"
        elif outcome.stdout:
            problem = "prints something on stdout"
        elif outcome.stderr.count("\n") != 1 or not outcome.stderr.endswith("\n"):
            problem = "should print exactly one line on stderr"
        elif len(outcome.stderr) > 1000:
            problem = "prints too long a message"
        elif not outcome.stderr.startswith("tessera: " + message):
            problem = f"should say '{message}'"
        elif why not in outcome.stderr:
            problem = f"should say '{why}'"
        self.check(arguments, outcome, problem)

    def gives(self, arguments, folder, expected, stdin=subprocess.DEVNULL):
        """The command must succeed and say what is expected, among other things, in JSON."""
        outcome = self.outcome(arguments, folder, stdin)
        problem = None
        if outcome.code != 0:
            problem = "should be accepted"
        else:
            told = json.loads(outcome.stdout)
            wrong = {
                key: told.get(key)
                for key, value in expected.items()
                if told.get(key, "nothing") != value
            }
            if wrong:
                problem = f"says {wrong} instead of {expected}"
        self.check(arguments, outcome, problem)

    def pattern(self, folder, name, case):
        if "refused" in case:
            self.refused(["info", name], folder, f"{name}:{case['refused']}")
            self.refused(["run", name, *RUN], folder, f"{name}:{case['refused']}")
            return
        self.gives(["info", name, "--json"], folder, case["info"])
        if isinstance(case.get("run"), str):
            self.refused(["run", name, *RUN], folder, f"{name}:{case['run']}")
        elif case.get("run") is not None:
            self.gives(["run", name, *RUN], folder, case["run"])


def committed_files(tester):
    cases = json.loads((HOSTILE / "cases.json").read_text())
    listed = {case["file"] for case in cases} | {"cases.json", ".gitattributes"}
    present = {path.name for path in HOSTILE.iterdir()}
    if listed != present or len(cases) < 60:
        tester.failures.append(f"cases.json does not list these files: {sorted(listed ^ present)}")
    for case in cases:
        tester.pattern(HOSTILE, case["file"], case)


def large_files(tester, folder):
    """Files too large to keep."""
    header = b"x = 3, y = 3, rule = B3/S23\n"
    mega = 1 << 20
    bomb = "the compressed data unpack to more than 64 MiB and 200 times their size"
    taken = "header and comment lines take more than 16 MiB"

    def make(name, data, **case):
        (folder / name).write_bytes(gzip.compress(data, 9) if name.endswith(".gz") else data)
        tester.pattern(folder, name, case)
        (folder / name).unlink()

    def make_bomb(name, start, repeated):
        pieces = [gzip.compress(start, 9)] + [gzip.compress(repeated * mega, 9)] * (
            100 * mega // len(repeated * mega) + 1
        )
        (folder / name).write_bytes(b"".join(pieces))
        path = folder / name
        for command in (["info", name], ["run", name, *RUN]):
            tester.refused(command, folder, f"{name}:byte ", why=bomb)
        path.unlink()

    make_bomb("bomb-of-spaces.rle.gz", header, b" ")
    make_bomb("bomb-of-b.rle.gz", header, b"b")
    make_bomb("bomb-of-cells.rle.gz", header, b"bo")
    make_bomb("bomb-of-rows.rle.gz", header, b"o$")
    make_bomb("bomb-of-dots.cells.gz", b"!\n", b".")
    make_bomb("bomb-behind-the-end.rle.gz", header + b"bo!", b"\n")
    make_bomb("bomb-of-points.lif.gz", b"#Life 1.06\n", b"0 0\n9 9\n")
    make_bomb("bomb-of-leaves.mc.gz", b"[M2]\n", b"*\n")
    make_bomb("bomb-of-two-leaves.mc.gz", b"[M2]\n", b"*\n.*\n")
    make_bomb("bomb-of-squares.mc.gz", b"[M2]\n*\n", b"4 1 1 1 1\n")
    make_bomb("bomb-of-nothing.mc.gz", b"[M2]\n*\n", b"9 0 0 0 0\n")
    valid = gzip.compress(header + b"b" * (40 * mega) + b"o!", 9)
    (folder / "packed-well.rle.gz").write_bytes(valid)
    tester.pattern(
        folder,
        "packed-well.rle.gz",
        {"info": {"population": 1, "width": 40 * mega + 1}, "run": {"population": 0}},
    )

    make(
        "rule-of-a-megabyte.rle",
        b"x = 3, y = 3, rule = " + b"B3/S23" * (mega // 6) + b"\nbo!",
        refused="1:28: rule 'B3/S23B3/",
    )
    make(
        "rule-of-digits.rle",
        b"x = 3, y = 3, rule = " + b"1" * mega + b"\nbo!",
        refused="1:23: rule '1111",
    )
    make(
        "rule-of-spaces.rle",
        b"x = 3, y = 3, rule = " + b" " * mega + b"\nbo!",
        refused=f"1:{22 + mega}: rule ''",
    )
    make(
        "suffix-of-a-megabyte.rle",
        b"x = 3, y = 3, rule = B3/S23:T" + b"1" * mega + b"\nbo!",
        refused="1:30: a side of the universe is too large",
    )
    make(
        "suffix-of-colons.rle",
        b"x = 3, y = 3, rule = B3/S23" + b":T9" * mega + b"\nbo!",
        refused="1:31: unexpected text after the universe",
    )
    make(
        "name-of-a-megabyte.rle",
        b"#N " + b"n" * mega + b"\n" + header + b"bo$2bo$3o!",
        info={"population": 5, "name": "n" * mega},
        run={"population": 5},
    )
    make(
        "comment-of-17-megabytes.rle",
        b"#C " + b"c" * (17 * mega) + b"\n" + header + b"bo!",
        refused=f"1:2: {taken}",
    )
    make(
        "a-million-comments.rle", b"#C\n" * 10**6 + header + b"bo!", refused=f"258112:2: {taken}"
    )
    make(
        "line-of-10-megabytes.rle",
        header + b"bo" * (5 * mega) + b"!",
        info={"population": 5 * mega},
    )
    make(
        "line-of-10-megabytes-junk.rle",
        header + b"bo" * (5 * mega) + b"?",
        refused=f"2:{10 * mega + 1}: unexpected '?'",
    )
    make(
        "row-of-10-megabytes.cells",
        b"!\n" + b"." * (10 * mega) + b"O\n",
        info={"population": 1, "width": 10 * mega + 1},
        run={"population": 0},
    )
    make(
        "row-of-10-megabytes-junk.cells",
        b"!\n" + b"." * (10 * mega) + b"o\n",
        refused=f"2:{10 * mega + 1}: unexpected 'o'",
    )
    make(
        "a-million-empty-lines.cells",
        b"!\n" + b"\n" * (10 * mega) + b"O\n",
        info={"population": 1, "height": 10 * mega + 1},
    )
    make(
        "digits-of-10-megabytes.rle",
        header + b"1" * (10 * mega) + b"o!",
        refused="2:1: a run count is too large",
    )
    make(
        "number-of-10-megabytes.lif",
        b"#Life 1.06\n" + b"1" * (10 * mega) + b" 0\n",
        refused="2:1: x of a live cell must be",
    )
    make(
        "number-of-10-megabytes.mc",
        b"[M2]\n*$\n4 " + b"0" * (10 * mega) + b"1 0 0 9\n",
        refused=f"3:{10 * mega + 9}: the number of a square that comes before this line must be",
    )
    make("leaf-of-10-megabytes.mc", b"[M2]\n" + b"." * (10 * mega), refused="2:9: this leaf is too")
    make(
        "a-million-leaves.mc",
        b"[M2]\n"
        + b"".join(b"%s$\n" % bin(i)[3:].replace("0", ".").replace("1", "*").encode()[:8]
                   for i in range(256, 512)) * 3906
        + b"4 1 2 3 4\n",
        info={"population": 4},
    )
    make(
        "zeros-of-10-megabytes.rle",
        header + b"0" * (10 * mega) + b"o!",
        refused="2:1: a run count of 0",
    )
    make(
        "white-of-10-megabytes.rle",
        header + b" \n" * (5 * mega),
        refused=f"{5 * mega + 2}:1: unexpected end of file",
    )
    generator = random.Random(1)
    make("noise-of-10-megabytes", generator.randbytes(10 * mega), refused="1:1: not a pattern")
    make(
        "noise-of-10-megabytes.rle",
        b"\x01" + generator.randbytes(10 * mega),
        refused="1:1: unexpected byte 0x01",
    )
    points = b"".join(
        b"%d %d\n" % (generator.randrange(30000), generator.randrange(30000)) for _ in range(500000)
    )
    make(
        "points-in-disorder.lif",
        b"#Life 1.06\n" + points,
        info={"population": len(set(points.split(b"\n"))) - 1},
    )


def what_is_no_file(tester, folder):
    (folder / "folder.rle").mkdir()
    os.mkfifo(folder / "pipe.rle")
    (folder / "loop.rle").symlink_to("loop.rle")
    for name, message in [
        ("folder.rle", "this is a folder"),
        ("pipe.rle", "this is a pipe"),
        ("missing.rle", "cannot open: No such file"),
        ("loop.rle", "cannot open: Too many levels"),
        ("x" * 300, "cannot open: File name too long"),
    ]:
        tester.refused(["info", name], folder, f"{name}: {message}")
        tester.refused(["run", name, *RUN], folder, f"{name}: {message}")
        resumed = (
            message
            if message.startswith("cannot")
            else "a checkpoint is expected, which is a regular file"
        )
        tester.refused(["run", "--resume", name, *RUN], folder, f"{name}: {resumed}")
    tester.refused(["info", "/dev/zero"], folder, "/dev/zero:1:1: not a pattern")
    tester.refused(["info", "-"], folder, "stdin:1:1: the file is empty")
    (folder / "new\nline.rle").write_text("q")
    tester.refused(["info", "new\nline.rle"], folder, "new?line.rle:1:1: ")
    if os.geteuid() != 0:
        (folder / "secret.rle").write_text("o!")
        (folder / "secret.rle").chmod(0)
        tester.refused(["info", "secret.rle"], folder, "secret.rle: cannot open: Permission denied")
    with open(HOSTILE / "no-end.rle", "rb") as stdin:
        tester.refused(["info", "-"], folder, "stdin:2:10: unexpected end of file", stdin)


def checkpoints(tester, folder):
    """Checkpoints cut anywhere and with any bit flipped are refused; the whole one is not."""
    made = tester.outcome(
        [
            "run",
            "--soup",
            "0.5",
            "--size",
            "300x200",
            "--gens",
            "10",
            "--checkpoint",
            "good.tsr",
            "--json",
            "--backend",
            "cpu",
        ],
        folder,
    )
    if made.code != 0:
        tester.failures.append(f"no checkpoint was written: {made.stderr}")
        return
    good = (folder / "good.tsr").read_bytes()
    told = json.loads(made.stdout)
    resume = ["run", "--resume", "bad.tsr", "--gens", "10", *RUN[2:]]
    (folder / "bad.tsr").write_bytes(good)
    tester.gives(resume, folder, {"hash": told["hash"], "population": told["population"]})

    generator = random.Random(2)
    cuts = [0, 1, 7, 8, 12, 16, len(good) - 1, len(good) - 8] + [
        generator.randrange(len(good)) for _ in range(10)
    ]
    flips = [0, 9, 8 * 12, 8 * 15 + 7, 8 * len(good) - 1] + [
        generator.randrange(8 * len(good)) for _ in range(25)
    ]
    for size in cuts:
        (folder / "bad.tsr").write_bytes(good[:size])
        tester.refused(resume, folder, "bad.tsr:byte ")
    for bit in flips:
        changed = bytearray(good)
        changed[bit // 8] ^= 1 << bit % 8
        (folder / "bad.tsr").write_bytes(changed)
        tester.refused(resume, folder, "bad.tsr:byte ")
        tester.refused(["info", "bad.tsr"], folder, "bad.tsr:")
    (folder / "bad.tsr").write_bytes(good + b"tail")
    tester.refused(resume, folder, "bad.tsr:byte ")
    (folder / "bad.tsr").write_bytes((HOSTILE / "good.rle.gz").read_bytes())
    tester.refused(resume, folder, "bad.tsr:byte ")


def main():
    program = str(Path(sys.argv[1]).resolve())
    tester = Tester(program, "--no-limits" not in sys.argv[2:])
    committed_files(tester)
    with tempfile.TemporaryDirectory() as folder:
        large_files(tester, Path(folder))
        what_is_no_file(tester, Path(folder))
        checkpoints(tester, Path(folder))
    for failure in tester.failures:
        print(failure)
    print(f"{tester.commands} commands, {len(tester.failures)} failures")
    return 1 if tester.failures else 0


if __name__ == "__main__":
    sys.exit(main())
