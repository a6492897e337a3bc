"""tessera bench: every suite at small sizes on the CPU, and candidates that are wrong. software_test.py has Vulkan."""

import json
import os
import unittest

import program
from program import ProgramTest, needs

FAULTY = os.environ["FAULTY_TESSERA"]
SUITES = ["ceiling", "sizes", "rules", "fujita", "boris", "report", "habr", "batch"]
QUICK = ["--repeat", 3, "--run-time", "1ms"]
ALWAYS = ["suite", "table", "row", "column", "backend", "kernel", "rule", "width", "height", "unit", "rate"]
VALUE = ["value", "lowest", "highest", "published"]
TIMED = ["device", "tuning", "tuned_by", "generations", "wall_seconds"]


class Bench(ProgramTest):
    """Runs suites and checks what they say."""

    def bench(self, *words, **options):
        self.tessera("bench", *words, *QUICK, "--json", "out.json", **options)
        return json.loads((self.folder / "out.json").read_text())

    def check(self, out, suites):
        """Everything that a result must say is there and agrees with the rest."""
        self.assertEqual(list(out), ["version", "compiler", "system", "date", "command", "suites", "soup", "repeat", "complete", "devices",
                                     "results", "crossover"])
        self.assertTrue(out["complete"])
        self.assertEqual((out["suites"], {r["suite"] for r in out["results"]}), (suites, set(suites)))
        for device in out["devices"]:
            self.assertEqual(list(device), ["backend", "name", "software", "memory", "properties", "clocks", "ceiling"])
        for r in out["results"]:
            self.assertLessEqual(set(ALWAYS), set(r), r)
            self.assertEqual(sum(key in r for key in ("value", "skipped", "refused", "failed")), 1, r)
            if "skipped" in r:
                self.assertGreater(len(r["skipped"]), 10)
                continue
            self.assertLessEqual(set(VALUE), set(r), r)
            self.assertTrue(0 < r["lowest"] <= r["value"] <= r["highest"], r)
            if "ceiling" in r:
                continue
            self.assertLessEqual(set(TIMED), set(r), r)
            self.assertEqual(set(r["verified"]), {"by", "generations", "hash"})
            self.assertNotIn(f"{r['backend']} kernel {r['kernel']}", r["verified"]["by"])
            wall = r["wall_seconds"]
            if r["suite"] == "habr":
                self.assertEqual(len(wall["runs"]), 100)
                self.assertAlmostEqual(r["hundred_generations_seconds"], sum(wall["runs"]))
                self.assertAlmostEqual(r["value"] / (10 * r["hundred_generations_seconds"]), 1)
                self.assertGreater(r["lowest_copy_seconds"] + r["lowest_step_seconds"], 0)
                continue
            self.assertEqual((len(wall["runs"]), wall["median"]), (3, sorted(wall["runs"])[1]))
            seconds = r["seconds_per_generation"]
            self.assertAlmostEqual((r["device_seconds"] or wall)["median"] / r["generations"] / seconds, 1)
            expected = {"cells/s": r["width"] * r["height"] * r.get("universes", 1) / seconds, "s for 1024 generations": 1024 * seconds,
                        "ms per step": 1e3 * seconds, "frames/s": 1 / seconds}[r["unit"]]
            self.assertAlmostEqual(r["value"] / expected, 1)


class BenchTest(Bench):
    def test_every_suite_on_the_cpu(self):
        out = self.bench("--suite", "all", "--backends", "cpu", "--max-side", 128)
        self.check(out, SUITES)
        measured = [r for r in out["results"] if "value" in r]
        self.assertEqual({r["suite"] for r in measured}, set(SUITES))
        self.assertEqual(len([r for r in measured if r["suite"] == "rules"]), 22)
        self.assertEqual([r["width"] for r in measured if r["suite"] == "sizes"], [64, 128])
        self.assertEqual({r["column"] for r in measured if r["suite"] == "fujita"},
                         {"word-per-cell", "SINGLE-WORD", "DOUBLE-WORD", "this project's best"})
        batches = [r for r in measured if r["suite"] == "batch"]
        self.assertEqual([(r["width"], r["universes"]) for r in batches], [(16, 64), (64, 4)])
        for r in batches:
            self.assertAlmostEqual(r["published"]["ratio"], r["value"] / r["published"]["value"])
        self.assertIn("no kernel 'patch'", str([r for r in out["results"] if "skipped" in r]))
        # The paper's sizes are others: nothing to compare with.
        self.assertEqual([r["published"] for r in measured if r["suite"] == "fujita"], [None] * 4)

    @needs("bgolly")
    def test_patterns_beside_quicklife(self):
        (self.folder / "Life").mkdir()
        (self.folder / "Life/one.rle").write_text("x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n")
        (self.folder / "Life/other.rle").write_text("x = 3, y = 3, rule = B36/S23\nb2o$2o$bo!\n")
        (self.folder / "Life/states.rle").write_text("x = 3, y = 3, rule = LifeHistory\n.2A$2A$.A!\n")
        acorn, = self.bench("--suite", "sparse", "--backends", "cpu", "--only", "acorn, 5000 ", env=self.patient_bgolly())["results"]
        self.assertIn("verified", acorn, acorn)
        self.assertEqual((acorn["verified"]["population"], acorn["generations"], acorn["floor"]), (804, 5000, 3))
        self.assertAlmostEqual(acorn["value"] * acorn["wall_seconds"]["median"] / 5000, 1)
        self.assertAlmostEqual(acorn["published"]["value"] * acorn["peer"]["seconds"]["median"] / 5000, 1)
        self.assertAlmostEqual(acorn["published"]["ratio"], acorn["value"] / acorn["published"]["value"])
        self.tessera("bench", "--suite", "golly", "--backends", "cpu", "--golly", self.folder, "--run-time", "5ms", "--repeat", 3,
                     "--json", "out.json")
        one, = json.loads((self.folder / "out.json").read_text())["results"]
        self.assertEqual(one["row"], "one.rle")
        self.assertAlmostEqual(one["value"] * one["process"]["seconds"]["median"] / one["generations"], 1)
        self.assertAlmostEqual(one["published"]["value"] * one["peer"]["whole_seconds"]["median"] / one["generations"], 1)
        self.assertIn("geometric mean of 1: ", self.tessera("bench", "--from", "out.json").stdout)
        for r in (acorn, one):
            self.assertTrue(2e6 < r["process"]["memory"] < 1e9 and 2e6 < r["peer"]["memory"] < 1e9, r)
        gone, = self.bench("--suite", "sparse", "--backends", "cpu", "--golly", self.folder, "--only", "ark1")["results"]
        self.assertIn("ark1.rle: cannot open", gone["skipped"])

    def test_published_figures_and_their_ratios(self):
        out = self.bench("--suite", "habr", "--backends", "cpu", "--max-side", 1024)
        result, = out["results"]
        self.assertEqual([device["backend"] for device in out["devices"]], ["cpu:0"])
        self.assertEqual((result["published"]["value"], result["published"]["on"]), (4.34, "MacBook Pro 2017, Core i7"))
        self.assertAlmostEqual(result["published"]["ratio"], 4.34 / result["value"])

    def test_against_an_older_run(self):
        new = self.bench("--suite", "sizes", "--backends", "cpu", "--max-side", 128)
        old = json.loads(json.dumps(new))
        # Values are given, since those measured vary as they like.
        for document, first in ((new, 2e10), (old, 1e10)):
            for result, value in zip(document["results"], (first, 5e10)):
                result.update(value=value, lowest=0.9 * value, highest=1.1 * value)
        (self.folder / "out.json").write_text(json.dumps(new))
        (self.folder / "old.json").write_text(json.dumps(old))
        done = self.tessera("bench", "--from", "out.json", "--against", "old.json")
        self.assertRegex(done.stdout, r"64 +cpu:0 +simd +\S+ +\S+ +2\.000 +faster, outside the spread\n")
        self.assertRegex(done.stdout, r"128 +cpu:0 +simd +\S+ +\S+ +1\.000\n")
        self.tessera("bench", "--from", "old.json", "--against", "out.json", "--json", "both.json")
        changes = json.loads((self.folder / "both.json").read_text())["against"]
        self.assertEqual([(each["change"], round(each["ratio"], 6)) for each in changes], [("slower", 0.5), ("same", 1)])

    def test_results_of_one_machine_are_put_together(self):
        """Made-up results, so that the crossover is known: at 128 cells the GPU is half as fast, at 512 four times."""
        def document(backend, name, speeds):
            results = [{"suite": "sizes", "table": "t", "row": str(side), "column": backend, "backend": backend, "kernel": "k",
                        "width": side, "height": side, "unit": "cells/s", "rate": True, "value": speed, "lowest": speed,
                        "highest": speed, "published": None} for side, speed in speeds.items()]
            return {"suites": ["sizes"], "complete": True, "devices": [{"backend": backend, "name": name}], "results": results}

        def write(name, content):
            (self.folder / name).write_text(json.dumps(content))

        write("cpu.json", document("cpu:0", "A CPU", {128: 2e9, 512: 2e9}))
        write("gpu.json", document("cuda:0", "A GPU", {128: 1e9, 512: 8e9, 2048: 9e9}))
        write("other.json", document("cpu:0", "Another CPU", {256: 2e9}))
        done = self.tessera("bench", "--from", "gpu.json", "--from", "cpu.json", "--json", "both.json")
        # log2(side) goes from 7 to 9 while log2(ratio) goes from -1 to 2: it is 0 at 7 + 2/3.
        self.assertIn("cuda:0 overtakes cpu:0 at about 203 cells per side\n", done.stdout)
        both = json.loads((self.folder / "both.json").read_text())
        self.assertEqual([device["backend"] for device in both["devices"]], ["cuda:0", "cpu:0"])
        self.assertEqual((len(both["results"]), both["suites"], both["complete"]), (5, ["sizes"], True))
        self.assertAlmostEqual(both["crossover"][0]["cells_a_side"], 2 ** (7 + 2 / 3))
        self.assertRegex(self.refused("bench", "--from", "cpu.json", "--from", "other.json"),
                         "other.json: its cpu:0 is 'Another CPU', and 'A CPU' in the files before")
        for speeds, said in (({128: 3e9, 512: 9e9}, "is ahead of cpu:0 at every size from 128 on"),
                             ({128: 1e9, 512: 1e9}, "is behind cpu:0 up to 512 cells per side")):
            write("gpu.json", document("cuda:0", "A GPU", speeds))
            self.assertIn(said, self.tessera("bench", "--from", "gpu.json", "--from", "cpu.json").stdout)

    @needs("gnuplot")
    def test_plots(self):
        self.bench("--suite", "sizes,report", "--backends", "cpu", "--max-side", 128)
        self.tessera("bench", "--from", "out.json", "--suite", "sizes", "--plot", "a.svg")
        text = (self.folder / "a.svg").read_text()
        self.assertIn("cpu:0 simd", text)
        self.assertIn("cpu:0 ceiling", text)
        self.tessera("bench", "--from", "out.json", "--suite", "report", "--plot", "b.png")
        self.assertTrue((self.folder / "b.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("no result of the suite rules", self.refused("bench", "--from", "out.json", "--suite", "rules", "--plot", "c.svg"))

    def test_bad_input(self):
        self.assertRegex(self.refused("bench"), "--suite is missing; accepted are all, ceiling, sizes")
        self.assertRegex(self.refused("bench", "--suite", "nosuch"), "nosuch.*fujita")
        self.assertIn("cannot be opened", self.refused("bench", "--suite", "sizes", "--against", "none.json"))
        (self.folder / "bad.json").write_text("{\n")
        self.assertRegex(self.refused("bench", "--from", "bad.json"), "bad.json:byte [23]: this is not JSON")
        for text in ("[]", "{}", '{"results": 5}', '{"results": [{"suite": 1}]}'):
            (self.folder / "bad.json").write_text(text)
            self.assertIn("not a result of 'tessera bench", self.refused("bench", "--from", "bad.json"))

    def test_fast_and_wrong_is_refused(self):
        self.addCleanup(setattr, program, "PROGRAM", program.PROGRAM)
        program.PROGRAM = FAULTY
        out = self.bench("--suite", "report", "--backends", "faulty,cpu", "--max-side", 64, code=3)
        refused = [r for r in out["results"] if "refused" in r]
        self.assertEqual({(r["backend"], r["kernel"]) for r in refused}, {("faulty:0", "lut"), ("faulty:0", "late")})
        for r in refused:
            self.assertRegex(r["refused"], r"\Ait differs from cpu:0 kernel simd at generation \d+, cell \(-?\d+, -?\d+\) is (dead|alive)\Z")
            self.assertNotIn("wall_seconds", r)
        failed, = [r for r in out["results"] if "failed" in r]
        self.assertEqual((failed["kernel"], failed["failed"]), ("byte", "the device is on fire"))
        # What a device does wrong keeps nobody from measuring the others.
        self.assertEqual([r["kernel"] for r in out["results"] if "value" in r], ["simd"])
        done = self.tessera("bench", "--suite", "report", "--backends", "faulty", "--max-side", 64, *QUICK, code=3)
        self.assertRegex(done.stderr, r"\Atessera: bench: report .*faulty:0 kernel lut is refused: it differs from .*\n\Z")


if __name__ == "__main__":
    unittest.main()
