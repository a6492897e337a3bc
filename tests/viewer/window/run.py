"""Runs the window's tests: all, or those named as in `files_test.Files`. Exit code 77, which ctest calls skipped, where there is no
viewer or no Xvfb to show it on, unless TESSERA_REQUIRE_VIEWER is 1."""

import os
import shutil
import sys
import unittest

import harness

MODULES = ("editing_test", "running_test", "seeing_test", "layout_test", "hover_test", "files_test", "gallery_test", "robust_test", "keys_test")


def missing():
    if not harness.PROGRAM:
        return "tessera-viewer is not built: SDL2, Dear ImGui and OpenGL are needed (third_party/install.sh --with viewer)"
    if not shutil.which("Xvfb"):
        return "Xvfb is not installed (third_party/install.sh --with viewer)"
    return None


def main(names):
    if why := missing():
        print(f"skipped: {why}")
        return 1 if os.environ.get("TESSERA_REQUIRE_VIEWER") == "1" else 77
    harness.read_actions()
    suite = unittest.defaultTestLoader.loadTestsFromNames(names or MODULES)
    with harness.Display():
        result = unittest.TextTestRunner(verbosity=2).run(suite)
    left = sorted(set(harness.ACTIONS) - harness.driven)
    if not names and left:
        print(f"actions that no test drives: {', '.join(left)}")
    return 0 if result.wasSuccessful() and (names or not left) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
