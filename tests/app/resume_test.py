"""Checkpoints: stopping, going on, and being killed."""

import json
import os
import random
import select
import shutil
import signal
import time
import unittest

from program import ACORN, DATA, GUN, ProgramTest, usual_signals

# As tiles it would be at FOREVER as soon as it is at rest.
SOUP = ["--soup", "0.4", "--seed", "5", "--size", "300x200", "--backend", "cpu", "--space", "grid"]
BIG = ["--soup", "0.5", "--size", "1500x1500", "--backend", "cpu"]
FOREVER = "1000000000"


class ResumeTest(ProgramTest):
    def info(self, *paths):
        """What `info` says of one file, or a list of what it says of several."""
        return json.loads(self.tessera("info", *paths, "--json").stdout)

    def same_end(self, start, kernels):
        """A run of 1000 generations is one of 400 gone on with to 1000, whatever steps each part."""
        whole = self.report(*start, "--gens", 1000, "--stats", "whole.csv", "--every", 300)
        for first, second in kernels:
            self.tessera("run", *start, *first, "--gens", 400, "--stats", "s.csv", "--every", 300, "--checkpoint", "c.tsr",
                         "--quiet")
            rest = self.report("--resume", "c.tsr", "--backend", "cpu", *second, "--gens", 1000, "--stats", "s.csv",
                               "--every", 300, "--checkpoint", "c.tsr")
            for field in ("rule", "width", "height", "generation", "population", "hash", "bounds", "source"):
                self.assertEqual(rest[field], whole[field], field)
            self.assertEqual(rest["generations"], 600)
            self.assertEqual((self.folder / "s.csv").read_text(), (self.folder / "whole.csv").read_text())
            for path in ("c.tsr", "c.tsr.prev", "s.csv"):
                os.remove(self.folder / path)

    def test_a_resumed_run_ends_as_one_that_never_stopped(self):
        pairs = [(["--threads", "1"], ["--threads", "3"]), (["--threads", "3"], ["--threads", "1"])]
        kernels = self.kernels()
        pairs += [(["--kernel", a], ["--kernel", b]) for a, b in zip(kernels, kernels[1:] + kernels[:1])]
        self.same_end(SOUP, pairs)

    def test_on_a_dead_plane_and_on_the_infinite_one(self):
        self.same_end(["--soup", "0.4", "--rule", "B36/S23:P130,70", "--backend", "cpu"], [([], [])])
        self.same_end([ACORN, "--backend", "cpu"], [([], []), (["--kernel", "word"], ["--kernel", "simd"])])
        self.same_end([GUN, "--rule", "B3/S12345678", "--backend", "cpu"], [([], [])])

    def test_on_shifted_and_twisted_edges(self):
        for rule in ("B3/S23:T65+9,40", "B2-a/S12:K64*+1,33", "B3/S23:S65"):
            self.same_end(["--soup", "0.4", "--rule", rule, "--backend", "cpu"], [([], ["--kernel", "reference"])])

    def test_b0_on_the_infinite_plane_goes_on_from_odd_generations(self):
        for rule, kernels in (("B03/S23", ("gates", "reference")), ("B0123478/S01234678", ("simd", "gates"))):
            start = [ACORN, "--rule", rule, "--backend", "cpu"]
            whole = self.report(*start, "--kernel", kernels[1], "--gens", 70, "--stats", "whole.csv", "--every", 7)
            self.assertGreater(whole["population"], 0)
            self.report(*start, "--kernel", kernels[0], "--gens", 35, "--stats", "s.csv", "--every", 7,
                        "--checkpoint", "c.tsr", "--out", "half.rle", "--out", "half.mc")
            for rest in (["--resume", "c.tsr", "--gens", 70, "--stats", "s.csv", "--every", 7], ["half.rle", "--gens", 35],
                         ["half.mc", "--gens", 35]):
                done = self.report(*rest, "--backend", "cpu")
                for field in ("rule", "generation", "population", "hash", "bounds"):
                    self.assertEqual(done[field], whole[field], (rest, field))
            self.assertEqual((self.folder / "s.csv").read_text(), (self.folder / "whole.csv").read_text())
            os.remove(self.folder / "s.csv")

    def test_two_rules_in_turns_go_on_from_odd_generations(self):
        start = ["--soup", "0.4", "--rule", "B3/S23|B36/S125:T65,40", "--backend", "cpu"]
        whole = self.report(*start, "--gens", 40)
        self.assertEqual(whole["rule"], "B3/S23|B36/S125:T65,40")
        self.report(*start, "--gens", 17, "--checkpoint", "c.tsr", "--out", "half.rle")
        for rest in (["--resume", "c.tsr", "--gens", 40, "--kernel", "reference"], ["half.rle", "--gens", 23]):
            done = self.report(*rest, "--backend", "cpu")
            self.assertEqual((done["rule"], done["generation"], done["hash"]), (whole["rule"], 40, whole["hash"]))
        self.tessera("compare", *start[:4], "--backends", "cpu", "--kernels", "gates,reference", "--gens", 60, "--repeat", 1)
        (self.folder / "p.rle").write_text("x = 3, y = 1, rule = B3/S23|B2/S\n3o!\n")
        self.assertEqual(self.report("p.rle", "--size", "30x20", "--gens", 1)["rule"], "B3/S23|B2/S:T30,20")

    def test_generations_count_from_the_start_of_the_simulation(self):
        (self.folder / "p.rle").write_text("#CXRLE Gen=50\nx = 3, y = 1, rule = B3/S23\n3o!\n")
        self.tessera("run", "p.rle", "--gens", 5, "--checkpoint", "c.tsr", "--quiet")
        info = self.info("c.tsr")
        self.assertEqual((info["generation"], info["start_generation"], info["source"]), (55, 50, "p.rle"))
        self.assertEqual(self.report("--resume", "c.tsr", "--gens", 8)["generation"], 58)
        self.assertEqual(self.report("--resume", "c.tsr", "--gens", 5)["generations"], 0)
        self.assertIn("already at generation 55, 5 from the start", self.refused("run", "--resume", "c.tsr", "--gens", 4))

    def test_stopped_by_a_signal_everything_is_written_and_the_rest_follows(self):
        for each, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT"), (signal.SIGHUP, "SIGHUP")):
            process = self.start("run", *SOUP, "--gens", FOREVER, "--stats", "s.csv", "--every", 1000, "--checkpoint",
                                 "c.tsr", "--out", "a.rle", "--json")
            stats = self.folder / "s.csv"
            self.wait_for(lambda: stats.exists() and stats.read_text().count("\n") > 3, "a third row")
            process.send_signal(each)
            out, err = self.ends(process, 128 + each)
            report = json.loads(out)
            self.assertEqual(report["stopped"], "signal")
            self.assertEqual(err, f"tessera: stopped at generation {report['generation']} by {name}\n")
            self.assertEqual(self.info("c.tsr")["generation"], report["generation"])
            self.assertEqual(self.info("a.rle")["generation"], report["generation"])
            self.assertTrue(stats.read_text().splitlines()[-1].startswith(f"{report['generation']},"))
            end = report["generation"] + 500
            rest = self.report("--resume", "c.tsr", "--gens", end, "--backend", "cpu", "--stats", "s.csv", "--every", 1000)
            whole = self.report(*SOUP, "--gens", end, "--stats", "whole.csv", "--every", 1000)
            self.assertEqual((rest["hash"], rest["generation"]), (whole["hash"], end))
            self.assertEqual(stats.read_text(), (self.folder / "whole.csv").read_text())
            for path in self.files():
                os.remove(self.folder / path)

    def test_a_second_signal_kills_at_once(self):
        # The first one stops stepping; the checkpoint is then written into a pipe that nobody reads.
        os.mkfifo(self.folder / "pipe")
        reader = os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        process = self.start("run", *BIG, "--gens", FOREVER, "--stats", "s.csv", "--every", 10, "--checkpoint", "pipe")
        stats = self.folder / "s.csv"
        self.wait_for(lambda: stats.exists() and stats.read_text().count("\n") > 3, "a third row")
        process.send_signal(signal.SIGINT)
        self.wait_for(lambda: select.select([reader], [], [], 0)[0], "the checkpoint")
        process.send_signal(signal.SIGINT)
        self.ends(process, -signal.SIGINT)
        os.close(reader)

    def test_ignored_signals_stay_ignored(self):
        def background():
            usual_signals()
            signal.signal(signal.SIGINT, signal.SIG_IGN)

        process = self.start("run", *SOUP, "--max-time", "1s", "--json", "--stats", "s.csv", preexec_fn=background)
        self.wait_for((self.folder / "s.csv").exists, "the first row")
        process.send_signal(signal.SIGINT)
        self.assertEqual(json.loads(self.ends(process)[0])["stopped"], "time")

    def test_checkpoints_every_so_many_generations_and_by_the_clock(self):
        self.tessera("run", *SOUP, "--gens", 250, "--checkpoint", "c.tsr", "--checkpoint-every", "100gens", "--quiet")
        self.assertEqual((self.info("c.tsr")["generation"], self.info("c.tsr.prev")["generation"]), (250, 200))
        process = self.start("run", *SOUP, "--gens", FOREVER, "--checkpoint", "d.tsr", "--checkpoint-every", "10ms")
        self.wait_for(lambda: (self.folder / "d.tsr.prev").exists(), "a second checkpoint")
        process.kill()
        process.communicate()
        self.assertGreater(self.info("d.tsr")["generation"], 0)

    def test_the_same_checkpoint_is_not_written_twice(self):
        self.tessera("run", *SOUP, "--gens", 200, "--checkpoint", "c.tsr", "--checkpoint-every", "100gens", "--quiet")
        self.assertEqual(self.info("c.tsr.prev")["generation"], 100)

    def test_a_missing_or_damaged_checkpoint_is_not_replaced_silently(self):
        self.tessera("run", *SOUP, "--gens", 20, "--checkpoint", "c.tsr", "--checkpoint-every", "10gens", "--quiet")
        good = (self.folder / "c.tsr").read_bytes()
        for damaged in (good[:-1], good[:-20] + b"x" + good[-19:], good[:40], b""):
            (self.folder / "c.tsr").write_bytes(damaged)
            message = self.refused("run", "--resume", "c.tsr", "--gens", 30)
            self.assertIn("c.tsr:byte ", message)
            self.assertIn("an older checkpoint is there: --resume c.tsr.prev", message)
        os.remove(self.folder / "c.tsr")
        self.assertIn("--resume c.tsr.prev", self.refused("run", "--resume", "c.tsr", "--gens", 30))
        self.assertEqual(self.report("--resume", "c.tsr.prev", "--gens", 30)["hash"], self.report(*SOUP, "--gens", 30)["hash"])
        os.remove(self.folder / "c.tsr.prev")
        self.assertNotIn("older", self.refused("run", "--resume", "c.tsr", "--gens", 30))

    def test_stats_are_gone_on_with(self):
        self.tessera("run", *SOUP, "--gens", 100, "--stats", "whole.csv", "--every", 10, "--quiet")
        self.tessera("run", *SOUP, "--gens", 55, "--checkpoint", "c.tsr", "--quiet")
        whole = (self.folder / "whole.csv").read_text()
        rows = whole.splitlines(keepends=True)
        # Rows that came after the checkpoint, the last of them cut short; none at all; and none yet.
        for before in (whole[:-9], "".join(rows[:9]) + "80,1", "".join(rows[:7]), "".join(rows[:2]), rows[0]):
            (self.folder / "s.csv").write_text(before)
            self.tessera("run", "--resume", "c.tsr", "--gens", 100, "--stats", "s.csv", "--every", 10, "--quiet")
            after = (self.folder / "s.csv").read_text()
            if before.count("\n") >= 7:
                self.assertEqual(after, whole)
            else:
                kept = before if before.count("\n") > 1 else before + after.splitlines(keepends=True)[1]
                self.assertEqual(after, kept + "".join(rows[7:]))
        os.remove(self.folder / "s.csv")
        self.tessera("run", "--resume", "c.tsr", "--gens", 100, "--stats", "s.csv", "--every", 10, "--quiet")
        self.assertEqual([row.split(",")[0] for row in (self.folder / "s.csv").read_text().splitlines()],
                         ["generation", "55", "60", "70", "80", "90", "100"])

    def test_a_file_that_is_no_statistics_is_not_touched(self):
        self.tessera("run", *SOUP, "--gens", 5, "--checkpoint", "c.tsr", "--quiet")
        header = "generation,population,xmin,ymin,xmax,ymax,hash\n"
        for text, place in (("my thesis\n", "s.csv:1:1:"), (header + "0,1,,,,,0\nabc\n4,1,,,,,0\n", "s.csv:3:1:")):
            (self.folder / "s.csv").write_text(text)
            self.assertIn(place, self.refused("run", "--resume", "c.tsr", "--gens", 9, "--stats", "s.csv"))
            self.assertEqual((self.folder / "s.csv").read_text(), text)

    def written(self, path):
        """When the checkpoint that is there was written; 0 where there is none."""
        try:
            return path.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def killed(self, start, kills, *options):
        """Kills so many runs that write a checkpoint after every generation; the last one that there is."""
        rng = random.Random(1)
        path = self.folder / "c.tsr"
        generation, longest = 0, 0.12
        for kill in range(kills):
            begun = time.monotonic()
            before = self.written(path)
            words = ["--resume", "c.tsr", "--backend", "cpu"] if path.exists() else start
            process = self.start("run", *words, *options, "--gens", FOREVER, "--checkpoint", "c.tsr", "--checkpoint-every",
                                 "1gens", "--quiet")
            if kill == 0:
                self.wait_for(lambda: self.written(path) > before, "the first checkpoint")
                # Slow builds and busy machines need longer to come so far.
                longest = max(longest, 1.5 * (time.monotonic() - begun))
            time.sleep(rng.uniform(0, longest))
            process.kill()
            process.communicate()
            # All that there are are read, by one process.
            paths = [each for each in ("c.tsr", "c.tsr.prev") if (self.folder / each).exists()]
            info = self.info(*paths)
            now = (info if isinstance(info, dict) else info[0])["generation"]
            self.assertGreaterEqual(now, generation)
            generation = now
        self.assertGreater(generation, 0)
        return generation

    def gone_on_with(self, generation, whole, *options):
        """The last checkpoint is what that run has then, and nothing that was killed left anything else."""
        rest = self.report("--resume", "c.tsr", "--gens", generation, "--backend", "cpu", "--checkpoint", "c.tsr", *options)
        self.assertEqual((rest["hash"], rest["population"]), (whole["hash"], whole["population"]))
        self.assertEqual(self.files(), ["c.tsr", "c.tsr.prev"])

    def test_killed_at_any_moment_the_checkpoint_is_usable(self):
        generation = self.killed(BIG, 200)
        self.gone_on_with(generation, self.report(*BIG, "--gens", generation))

    def test_killed_at_any_moment_tiles_leave_a_usable_checkpoint(self):
        tiles, grid = ("--space", "tiles"), ("--space", "grid", "--backend", "cpu")
        # All of it moves; and what has come to rest, but for gliders, most of them off the plane.
        for start, before in ((BIG[:-2], 0), ([ACORN], 5500)):
            if before:
                self.tessera("run", *start, "--backend", "cpu", *tiles, "--gens", before, "--checkpoint", "c.tsr", "--quiet")
            generation = self.killed([*start, "--backend", "cpu"], 8, *tiles)
            self.assertGreater(generation, before)
            self.gone_on_with(generation, self.report(*start, *grid, "--gens", generation), *tiles)
            for path in self.files():
                os.remove(self.folder / path)

    def test_convert_and_info_take_checkpoints(self):
        report = self.report(*SOUP, "--gens", 30, "--checkpoint", "c.tsr", "--out", "a.rle", "--out", "a.png")
        self.tessera("convert", "c.tsr", "b.rle")
        self.tessera("convert", "c.tsr", "b.png")
        self.tessera("convert", "c.tsr", "d.tsr")
        for kind in ("rle", "png"):
            self.assertEqual((self.folder / f"a.{kind}").read_bytes(), (self.folder / f"b.{kind}").read_bytes())
        self.assertEqual((self.folder / "c.tsr").read_bytes(), (self.folder / "d.tsr").read_bytes())
        self.tessera("convert", "a.rle", "e.tsr")
        self.assertEqual(self.report("--resume", "e.tsr", "--gens", 0)["hash"], report["hash"])
        self.assertIn("--rule and --size are not accepted", self.refused("convert", "c.tsr", "x.rle", "--rule", "Life"))
        self.assertNotIn("x.rle", self.files())

    def test_files_of_version_1_are_gone_on_with(self):
        old = DATA / "version1-plane.tsr"
        whole = self.report(ACORN, "--gens", 500, "--backend", "cpu", "--out", "a.rle", "--out", "a.png")
        rest = self.report("--resume", old, "--gens", 500, "--backend", "cpu", "--checkpoint", "c.tsr")
        self.assertEqual((rest["hash"], rest["generations"]), (whole["hash"], 200))
        for kind in ("rle", "png"):
            self.tessera("convert", "c.tsr", f"b.{kind}")
            self.assertEqual((self.folder / f"a.{kind}").read_bytes(), (self.folder / f"b.{kind}").read_bytes())
        self.tessera("convert", old, "d.tsr")
        self.assertEqual((old.read_bytes()[8], (self.folder / "d.tsr").read_bytes()[8]), (1, 2))
        self.assertEqual(self.info(old), self.info("d.tsr"))
        self.tessera("compare", "--resume", old, "--backends", "cpu", "--kernels", "simd,word", "--gens", 20, "--repeat", 1,
                     "--quiet")

    def test_cells_that_lie_far_apart_are_converted_without_their_box(self):
        # Three gliders on the plane, 2^60 cells from the origin and at it.
        far, end = DATA / "far.tsr", 2**60
        info = self.info(far)
        self.assertEqual((info["population"], info["bounds"]), (15, [-end, -end, end - 98, end - 198]))
        self.tessera("convert", far, "a.tsr")
        self.assertEqual((self.folder / "a.tsr").read_bytes(), far.read_bytes())
        for path in ("a.lif", "a.rle"):
            self.tessera("convert", far, path)
            pattern = self.info(path)
            self.assertEqual((pattern["population"], pattern["bounds"]), (15, info["bounds"]))
        self.assertIn("up to 2147483647 per side", self.refused("convert", far, "a.png"))
        grid = ("run", "--resume", far, "--gens", 9, "--backend", "cpu", "--space", "grid")
        self.assertIn("too large", self.refused(*grid))
        told = self.report("--resume", far, "--gens", 9, "--backend", "cpu")
        self.assertEqual((told["space"], told["population"], told["generation"]), ("tiles", 15, 9))
        self.assertEqual(self.files(), ["a.lif", "a.rle", "a.tsr"])

    def test_an_old_checkpoint_is_kept_when_another_run_takes_its_name(self):
        self.tessera("run", GUN, "--gens", 3, "--checkpoint", "c.tsr", "--quiet")
        shutil.copy(self.folder / "c.tsr", self.folder / "old")
        self.tessera("run", *SOUP, "--gens", 3, "--checkpoint", "c.tsr", "--quiet")
        self.assertEqual((self.folder / "c.tsr.prev").read_bytes(), (self.folder / "old").read_bytes())


if __name__ == "__main__":
    unittest.main()
