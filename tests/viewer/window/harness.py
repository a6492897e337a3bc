"""Drives the real viewer on a display that nobody sees: what every test of the window shares."""

import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needs import needs  # which the tests take from here

PROGRAM = os.environ.get("TESSERA_VIEWER", "")
BACKEND = os.environ.get("TESSERA_VIEWER_BACKEND", "cpu")
PATTERNS = pathlib.Path(__file__).resolve().parents[3] / "apps" / "patterns"
GUN, ACORN, R_PENTOMINO = (str(PATTERNS / name) for name in ("gosper-gun.rle", "acorn.rle", "r-pentomino.rle"))
DARK = {"dead": 0x0d1117, "alive": 0xf0f6fc, "outside": 0x05070a}
MASK = (1 << 64) - 1
DEADLINE = 240  # seconds until a viewer that does not end is given up
driven = set()  # actions that some test has driven, as the viewer says
ACTIONS = {}    # name: (menu, title, first key)


class Display:
    """An X server without a screen, for as long as the tests run."""

    def __enter__(self):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset"],
                                       pass_fds=(writing,), stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as number:
            name = number.readline().strip()
        if not name:
            raise RuntimeError(f"Xvfb did not start: exit code {self.server.wait()}")
        os.environ["DISPLAY"] = f":{name}"
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def read_actions():
    listing = subprocess.run([PROGRAM, "--list-actions"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, menu, title, keys = line.split("\t")
        ACTIONS[name] = (menu, title, keys.split(", ")[0])


def dark(byte):
    """The dark theme's colour of a density from 0 to 255: its square root, between three colours."""
    if byte == 0:
        return DARK["dead"]
    share = 0.3 + 0.7 * math.sqrt(byte / 255)
    low, high = ((13, 17, 23), (88, 166, 255)) if share <= 0.5 else ((88, 166, 255), (240, 246, 252))
    within = 2 * share - (share > 0.5)
    red, green, blue = (int(a + within * (b - a) + 0.5) for a, b in zip(low, high))
    return red << 16 | green << 8 | blue


def state_hash(cells):
    """The hash of a bounded universe's live cells, counted from its top left."""
    def mix(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31
    words = collections.Counter()
    for x, y in cells:
        words[x // 64, y] |= 1 << x % 64
    return f"{sum(mix(w ^ mix(x << 32 | y)) for (x, y), w in words.items()) & MASK:016x}"


def environment(folder):
    """A home, settings and kept work of its own, no session bus, and Mesa's software driver with the cache that it has."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
    return {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": cache, "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"), "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            # Mesa's compiler frees 130 MB per start: with AddressSanitizer's usual 256 MB none of it would be used twice.
            "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:quarantine_size_mb=16",
            "LIBGL_ALWAYS_SOFTWARE": "1", "SDL_VIDEODRIVER": "x11"}


def key(name):
    """The step that presses an action's key."""
    return f"key {ACTIONS[name][2]}"


def chosen(name):
    """The steps that choose an action in its menu with the mouse."""
    menu, title, _ = ACTIONS[name]
    return "\n".join((pushed(menu), pushed(title)))


def pushed(title):
    """The steps that click on a menu, menu item or button."""
    return f"point {title}\npress left\nrelease left"


def click(x, y, button="left"):
    return f"move {x} {y}\npress {button}\nrelease {button}"


def drag(x1, y1, x2, y2, button="left"):
    return f"move {x1} {y1}\npress {button}\nmove {x2} {y2}\nrelease {button}"


def entered(text):
    """The steps that replace a dialog's field and press Enter."""
    return f"key Ctrl+A\ntext {text}\nwait\nkey Return\nwait"


def resized(width, height):
    """The steps that give the window another size; OpenGL draws at it from the second frame on that is shown."""
    return f"resize {width} {height}\npixels 0 0 1 1\nwait"


def leak_check_broke(done):
    """Whether LeakSanitizer itself died, after the viewer's own end: Clang 14's now and then takes memory of a thread of OpenGL's
    driver for readable that is not. It has then found nothing, and looks again at the end of every other run."""
    return "LeakSanitizer has encountered a fatal error" in done.stderr and not re.search(
        r"ERROR: \w+Sanitizer|runtime error:", done.stderr)


class ViewerTest(unittest.TestCase):
    """A test in an empty folder of its own."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera-viewer-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *words, code=0, env=None, program=None, preexec_fn=None, deadline=DEADLINE):
        """Runs the viewer to its end and checks the exit code."""
        done = subprocess.run([program or PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env=env or environment(self.folder), timeout=deadline, preexec_fn=preexec_fn)
        if not leak_check_broke(done):
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def play(self, *steps, start=("--rule", "B3/S23:T64,64"), backend=("--backend", BACKEND), scale=1, **options):
        """Plays steps; returns what `state` and `pixels` printed."""
        lines = "\n".join(["wait", *steps, "wait", "state"]).splitlines()
        (self.folder / "script").write_text("\n".join(lines) + "\n")
        done = self.start(*start, *backend, "--ui-scale", scale, "--window", "900x600", "--script", "script", **options)
        out = [json.loads(line) for line in done.stdout.splitlines()]
        states = [each for each in out if isinstance(each, dict) and "performed" in each]
        driven.update(states[-1]["performed"])
        # A viewer that was left does not print the last one.
        return out[:-1] if len(states) == lines.count("state") else out

    def hashes(self, states):
        return [state["hash"] for state in states]
