"""What goes wrong, and random events."""

import json
import os

from harness import GUN, ViewerTest, environment


class Robust(ViewerTest):
    def test_bad_command_lines(self):
        for words, said in ((("--rule", "B3/S2x"), "--rule"), (("nothing.rle",), "nothing.rle"), (("--window", "0x5"), "--window"),
                            (("--script", "none"), "--script none"), (("--ui-scale", "x"), "--ui-scale"),
                            (("--resume", GUN), "checkpoint"), (("--soup", "0.5"), "--soup"), (("--backend", "abacus"), "abacus")):
            done = self.start(*words, code=2)
            self.assertRegex(done.stderr, r"\Atessera: [^\n]+\n\Z")
            self.assertIn(said, done.stderr)

    def test_without_a_display(self):
        env = environment(self.folder)
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        done = self.start(code=1, env=env)
        self.assertRegex(done.stderr, r"\Atessera: no window can be opened[^\n]+\n\Z")

    def test_frames_are_measured(self):
        done = self.start("--soup", 0.4, "--size", "512x512", "--backend", "cpu", "--bench-frames", 40)
        report = json.loads(done.stdout)
        self.assertEqual(report["frames"], 40)
        self.assertGreater(report["with_drawing"]["generations_per_second"], 0)
        self.assertLessEqual(report["frame_ms"]["p50"], report["frame_ms"]["p99"])

    def test_random_events(self):
        """Crashes, leaks and undefined behaviour end the program with another code under the sanitizers."""
        self.start("--soup", 0.3, "--size", "200x150", "--backend", "cpu", "--monkey", os.environ.get("TESSERA_EVENTS", "2000"),
                   "--window", "640x480")
