"""No include runs upward: every "..." in core, backends and apps names a file of the same room or of a lower one (rooms.py)."""

import pathlib
import re
import unittest

from rooms import ELSEWHERE, LEVELS, SIDE_BY_SIDE

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".inl"}


def room_of(name):
    """A file's level and room, or None where it stands in no room."""
    fitting = [(len(room), level, room) for level, rooms in enumerate(LEVELS) for room in rooms
               if name == room or name.startswith(room + "/")]
    return max(fitting)[1:] if fitting else None


def wrongs(name, text, exists):
    """What is wrong with the includes of the file `name`; exists(path) tells what the checkout has."""
    level, room = room_of(name) or (None, None)
    if room is None:
        return [f"{name} stands in no room of tests/house/rooms.py"]
    found = []
    for path in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        folders = SIDE_BY_SIDE.get(name.rpartition("/")[0], ())
        path = next((f"{folder}/{path}" for folder in folders if exists(f"{folder}/{path}")), path)
        if not exists(path):
            if not any(re.fullmatch(each, path) for each in ELSEWHERE):
                found.append(f"{name}: no file {path}, counted from the top")
            continue
        below, of = room_of(path) or (len(LEVELS), "no room")
        if below > level or below == level and of != room:
            found.append(f"{name} in {room} includes {path} of {of}")
    return found


class IncludesTest(unittest.TestCase):
    def test_no_include_runs_upward(self):
        files = [path for top in ("core", "backends", "apps") for path in sorted((ROOT / top).rglob("*")) if path.suffix in SOURCES]
        self.assertGreater(len(files), 200)
        found = [wrong for path in files
                 for wrong in wrongs(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"),
                                     lambda name: (ROOT / name).is_file())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_planted_includes_are_found(self):
        everything = lambda name: name != "core/rules/none.h"
        for name, path in (("core/base/a.h", "core/rules/rule.h"), ("core/rules/a.h", "core/universe.h"),
                           ("backends/cpu/a.cpp", "backends/cuda/b.h"), ("core/a.cpp", "apps/common/b.h"),
                           ("apps/tessera/a.cpp", "apps/tessera/run/run.h"), ("apps/measure/a.h", "tests/support/cases.h"),
                           ("core/a.cpp", "core/rules/none.h"), ("tools/a.cpp", "core/rules/rule.h")):
            for line in (f'#include "{path}"\n', f'#pragma once\n  # include  "{path}"  // why\n'):
                self.assertEqual(len(wrongs(name, line, everything)), 1, (name, line))
        for name, path in (("core/a.cpp", "core/rules/rule.h"), ("core/rules/a.h", "core/rules/rule.h"),
                           ("apps/tessera/run/a.cpp", "apps/tessera/plot.h"), ("apps/tessera/main.cpp", "apps/tessera/run/run.h"),
                           ("backends/drivers.cpp", "backends/cpu/cpu_driver.h")):
            self.assertEqual(wrongs(name, f'#include "{path}"\n#include <vector>\n', everything), [])


if __name__ == "__main__":
    unittest.main()
