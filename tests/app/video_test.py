"""tessera run --video: what ffmpeg makes of it, and what happens when it is missing or fails. Needs ffmpeg and ffprobe."""

import json
import os
import signal
import subprocess
import unittest

from program import ACORN, GUN, ProgramTest, needs

RUN = ["run", ACORN, "--backend", "cpu", "--quiet", "--view", "-64,-64,129x99"]


@needs("ffmpeg")
class VideoTest(ProgramTest):
    def probe(self, path):
        """The video's stream as ffprobe tells it, its frames decoded and counted."""
        done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", self.folder / path],
                              capture_output=True, text=True, check=True, timeout=60)
        return json.loads(done.stdout)["streams"][0]

    def fake_ffmpeg(self, script):
        """An environment whose ffmpeg is a shell script."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "ffmpeg").write_text("#!/bin/sh\n" + script)
        (folder / "ffmpeg").chmod(0o755)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def test_formats(self):
        for suffix, width, height in (("mp4", 130, 100), ("mkv", 130, 100), ("mov", 130, 100), ("webm", 130, 100),
                                      ("avi", 130, 100), ("gif", 129, 99)):
            name = f"a.{suffix}"
            self.tessera(*RUN, "--gens", 60, "--every", 4, "--video", name, "--fps", 25)
            stream = self.probe(name)
            self.assertEqual((stream["width"], stream["height"], int(stream["nb_read_frames"])), (width, height, 16), name)
            self.assertEqual(stream["r_frame_rate"], "25/1", name)
            self.assertEqual(self.files(), [name])
            os.remove(self.folder / name)

    def test_frames_show_the_cells_dark_on_white(self):
        self.tessera("run", "-", "--gens", 1, "--video", "a.mkv", "--view", "-1,-1,6x4", "--scale", "1/16", "--quiet",
                     input="x = 3, y = 1, rule = B3/S23\n3o!\n")
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.folder / "a.mkv", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                             capture_output=True, check=True, timeout=60).stdout
        self.assertEqual(len(raw), 2 * 96 * 64)
        for frame, cells in enumerate(({(1, 1), (2, 1), (3, 1)}, {(2, 0), (2, 1), (2, 2)})):
            dark = {(x, y) for y in range(4) for x in range(6) if raw[(frame * 64 + y * 16 + 8) * 96 + x * 16 + 8] < 128}
            self.assertEqual(dark, cells)

    def test_an_interrupted_run_finishes_the_video(self):
        process = self.start(*RUN, "--gens", "1000000000", "--video", "a.mp4", "--stats", "s.csv")
        stats = self.folder / "s.csv"
        self.wait_for(lambda: stats.exists() and stats.read_text().count("\n") > 20, "a twentieth row")
        process.send_signal(signal.SIGINT)
        self.ends(process, 128 + signal.SIGINT)
        self.assertEqual(int(self.probe("a.mp4")["nb_read_frames"]), stats.read_text().count("\n") - 1)
        self.assertEqual(self.files(), ["a.mp4", "s.csv"])

    def test_without_ffmpeg_nothing_is_run(self):
        message = self.refused(*RUN, "--gens", 60, "--video", "a.mp4", "--stats", "s.csv", code=1,
                               env={**os.environ, "PATH": str(self.folder)})
        self.assertIn("ffmpeg, which is not installed", message)
        self.assertEqual(self.files(), [])

    def test_a_failing_ffmpeg_is_told_and_leaves_the_old_video(self):
        (self.folder / "a.mp4").write_text("old")
        for script in ("cat >/dev/null; echo noise >&2; echo 'the encoder exploded' >&2; exit 1", "echo 'the encoder exploded' >&2; exit 1",
                       "for last in \"$@\"; do :; done; echo half > \"${last#file:}\"; echo 'the encoder exploded' >&2; kill -9 $$"):
            message = self.refused(*RUN, "--gens", 2000, "--video", "a.mp4", code=1, env=self.fake_ffmpeg(script))
            self.assertIn("--video a.mp4: ffmpeg failed: the encoder exploded", message)
            self.assertEqual((self.folder / "a.mp4").read_text(), "old")
            self.assertEqual(self.files(), ["a.mp4", "bin/ffmpeg"])

    def test_a_failure_elsewhere_leaves_no_video(self):
        message = self.refused(*RUN, "--gens", 100, "--video", "a.mp4", "--stats", "/dev/full", code=1)
        self.assertIn("/dev/full", message)
        self.assertEqual(self.files(), [])

    def test_an_existing_video_is_not_gone_on_with(self):
        self.tessera("run", GUN, "--gens", 10, "--checkpoint", "c.tsr", "--video", "a.mp4", "--quiet")
        self.assertIn("a.mp4", self.refused("run", "--resume", "c.tsr", "--gens", 20, "--video", "a.mp4"))
        self.tessera("run", "--resume", "c.tsr", "--gens", 20, "--video", "b.mp4", "--quiet")
        self.assertEqual([int(self.probe(name)["nb_read_frames"]) for name in ("a.mp4", "b.mp4")], [11, 11])

    def test_a_video_without_frames_is_refused(self):
        self.tessera("run", GUN, "--gens", 10, "--checkpoint", "c.tsr", "--quiet")
        self.assertIn("no frame", self.refused("run", "--resume", "c.tsr", "--gens", 20, "--video", "a.mp4", "--every", 100,
                                               "--quiet", code=1))
        self.assertEqual(self.files(), ["c.tsr"])


if __name__ == "__main__":
    unittest.main()
