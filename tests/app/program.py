"""Drives the real program: what every test of its command line shares. Standard library only."""

import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needs import needs  # which the tests take from here

PROGRAM = os.environ["TESSERA"]
PATTERNS = pathlib.Path(__file__).resolve().parents[2] / "apps" / "patterns"
ACORN = str(PATTERNS / "acorn.rle")
GUN = str(PATTERNS / "gosper-gun.rle")
R_PENTOMINO = str(PATTERNS / "r-pentomino.rle")
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
DEADLINE = 60  # seconds until something that never happens is given up


def usual_signals():
    """Test drivers may run in the background, where shells ignore SIGINT; children start afresh."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(each, signal.SIG_DFL)


class ProgramTest(unittest.TestCase):
    """A test in an empty folder of its own, and with empty caches: nothing was compiled or tuned before."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        caches = tempfile.TemporaryDirectory(prefix="tessera-caches-")
        self.addCleanup(caches.cleanup)
        os.environ["TESSERA_CACHE"] = caches.name

    def tessera(self, *words, code=0, **options):
        """Runs the program to its end and checks the exit code; stdout and stderr are kept as text."""
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=options.pop("preexec_fn", usual_signals), timeout=DEADLINE * 5, **options)
        self.assertEqual(done.returncode, code, f"tessera {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done

    def start(self, *words, **options):
        """Starts the program and returns at once."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=options.pop("preexec_fn", usual_signals), **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.returncode is None else None)
        return process

    def report(self, *words, **options):
        """The object that `run --json` prints."""
        return json.loads(self.tessera("run", *words, "--json", **options).stdout)

    def same(self, one, other):
        """Two reports tell of the same cells."""
        for key in ("hash", "population", "bounds", "generation"):
            self.assertEqual(one[key], other[key], key)

    def resumes(self, checkpoint, words):
        """Goes on from a checkpoint of a run with these words, as a run without one does; returns the checkpoint's generation."""
        at = json.loads(self.tessera("info", checkpoint, "--json").stdout)["generation"]
        self.same(self.report("--resume", checkpoint, "--gens", at + 5, "--backend", "cpu"),
                  self.report(*words, "--gens", at + 5, "--backend", "cpu"))
        return at

    def refused(self, *words, code=2, **options):
        """Runs what must fail; returns the one line on standard error. Nothing may be on standard output."""
        done = self.tessera(*words, code=code, **options)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Atessera: [^\n]+\n\Z")
        return done.stderr

    def files(self):
        """Names of all files in the folder, hidden ones too."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def wait_for(self, condition, what):
        """Waits until condition() is true."""
        end = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what} never happened")
            time.sleep(0.002)

    def ends(self, process, code=0):
        """Waits for a started program and checks its exit code; returns (stdout, stderr)."""
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def patient_bgolly(self):
        """The environment of a bgolly that takes half a second more for its steps, so that no other load hides their time."""
        folder = self.folder / "patient"
        folder.mkdir()
        script = folder / "bgolly"
        script.write_text(f"""#!/bin/sh
case " $* " in *" -m 0 "*) ;; *) sleep 0.5 ;; esac
exec '{shutil.which("bgolly")}' "$@"
""")
        script.chmod(0o755)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def kernels(self):
        """Names of the cpu backend's kernels that step Life."""
        backends = json.loads(self.tessera("devices", "--json").stdout)["backends"]
        cpu = next(each for each in backends if each["backend"] == "cpu")
        return [kernel["name"] for kernel in cpu["kernels"] if kernel["name"] not in ("sums", "table")]


def read_png(path):
    """Pixels of a grey PNG of 1 or 8 bits without filters as (width, height, rows of greys)."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth in (1, 8) and colour == 0
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw = zlib.decompress(packed)
    stride = 1 + (width * depth + 7) // 8
    assert len(raw) == stride * height
    rows = []
    for y in range(height):
        line = raw[y * stride:(y + 1) * stride]
        assert line[0] == 0, "a filter"
        if depth == 8:
            rows.append(list(line[1:]))
        else:
            rows.append([255 * (line[1 + x // 8] >> (7 - x % 8) & 1) for x in range(width)])
    return width, height, rows


def read_colours(path):
    """Rows of (red, green, blue) of a PNG with a palette of 8 bits and without filters."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 3), (depth, kind)
    palette, raw = chunks[b"PLTE"], zlib.decompress(chunks[b"IDAT"])
    colours = [tuple(palette[3 * i:3 * i + 3]) for i in range(len(palette) // 3)]
    assert len(raw) == (width + 1) * height and not any(raw[::width + 1])
    return [[colours[byte] for byte in raw[(width + 1) * y + 1:(width + 1) * (y + 1)]] for y in range(height)]
