"""Every C++ and CUDA source is as clang-format 14 leaves it, by the settings in .clang-format. Exit code 77, which ctest calls skipped,
where there is no clang-format of that version, unless TESSERA_REQUIRE_CLANG_FORMAT is 1."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))
from needs import required

SOURCES = {".h", ".cpp", ".cu", ".cuh", ".inl"}
VERSION = 14  # Debian 12's; others break lines elsewhere
BATCH = 40    # files per process


def formatter():
    """The program, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path and re.search(rf"version {VERSION}\.", subprocess.run([path, "--version"], capture_output=True, text=True).stdout):
            return path
    return None


def wrong(*words, text=None):
    """What clang-format would change."""
    done = subprocess.run([formatter(), "--dry-run", "-Werror", "--ferror-limit=1", *words], cwd=ROOT, input=text,
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


class FormatTest(unittest.TestCase):
    def test_every_source(self):
        files = [str(path) for top in ("core", "backends", "apps", "shaders", "tests") for path in sorted((ROOT / top).rglob("*"))
                 if path.suffix in SOURCES]
        self.assertGreater(len(files), 300)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = "".join(pool.map(lambda first: wrong(*files[first:first + BATCH]), range(0, len(files), BATCH)))
        self.assertEqual(found, "", f"\n{found}\nclang-format -i FILE mends it")

    def test_a_planted_fault_is_found(self):
        good = "int sum(int a, int b) {\n  a += b;\n  return a;\n}\n"
        self.assertEqual(wrong("--assume-filename=core/sum.cpp", text=good), "")
        for bad in (good.replace("  return", "    return"), good.replace("int a,", "int a ,"), good.replace(") {", ")\n{")):
            self.assertIn("-Wclang-format-violations", wrong("--assume-filename=core/sum.cpp", text=bad))


if __name__ == "__main__":
    if not formatter():
        print(f"skipped: clang-format {VERSION} is not installed (third_party/install.sh --with tests)")
        sys.exit(1 if required("clang-format") else 77)
    unittest.main()
