"""tessera compare, on real kernels and on some that are wrong (faulty_drivers.cpp)."""

import itertools
import json
import os
import re
import unittest

import program
from program import ACORN, GUN, ProgramTest, needs

FAULTY = os.environ["FAULTY_TESSERA"]
SOUP = ["--soup", "0.5", "--seed", 3, "--size", "100x70"]
LINEAR = [*SOUP, "--rule", "B1357/S1357"]  # what is wrong never heals
SPREAD = ["median", "lowest", "highest", "runs"]


class CompareTest(ProgramTest):
    def compare(self, *words, **options):
        return json.loads(self.tessera("compare", *words, "--json", **options).stdout)

    def test_table(self):
        done = self.tessera("compare", *SOUP, "--backends", "cpu", "--gens", 100, "--repeat", 3)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "soup 0.5 seed 3, B3/S23:T100,70, 100 generations")
        expected = self.report(*SOUP, "--gens", 100, "--backend", "cpu", "--kernel", "reference")
        self.assertEqual(lines[1], f"{len(self.kernels())} kernels are the same at each of 5 checks: generation 100, "
                                   f"population {expected['population']:,}, hash {expected['hash']}")
        self.assertRegex(lines[2], r"^  backend +kernel +a generation +cells/s +spread +device time +wall time +times fastest +of ceiling$")
        self.assertIn("cpu:0 kernel sums: the kernel sums of cpu steps only rules of longer range", lines[-2])
        self.assertIn("cpu:0 kernel table: the kernel table of cpu steps only rules of rule files", lines[-1])
        rows = [line.split() for line in lines[3:-2]]
        self.assertEqual({row[1] for row in rows}, set(self.kernels()))
        self.assertIn(" 1.00 ", lines[3])
        self.assertEqual(done.stderr, "")

    def test_the_default_is_what_a_run_takes(self):
        for rule in ("B3/S23", "HighLife", "WireWorld", "B36/S23|B3/S23", "R2,C0,M1,S5..9,B6..8,NM", "JvN29"):
            words = ["--soup", 0.5, "--size", "64x64", "--rule", rule, "--gens", 10]
            row, = self.compare(*words, "--backends", "cpu", "--kernels", "default", "--repeat", 1)["rows"]
            self.assertEqual(row["kernel"], self.report(*words, "--backend", "cpu")["kernel"], rule)
        for universe in ("", ":T0,40", ":T60,40"):
            (self.folder / "wire.rle").write_text(f"x = 8, y = 1, rule = WireWorld{universe}\nBA6C!")
            words = ["wire.rle", "--gens", 10]
            row, = self.compare(*words, "--backends", "cpu", "--kernels", "default", "--repeat", 1)["rows"]
            self.assertEqual(row["kernel"], self.report(*words, "--backend", "cpu")["kernel"], universe)

    def test_json_is_complete(self):
        out = self.compare(*SOUP, "--backends", "cpu:0", "--gens", 70, "--every", 32, "--repeat", 3)
        self.assertEqual(list(out), ["version", "compiler", "system", "date", "command", "source", "rule", "width", "height",
                                     "generations", "block", "repeat", "equal", "verified", "difference", "devices", "rows",
                                     "left_out", "peer"])
        self.assertRegex(out["date"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertEqual((out["width"], out["height"], out["equal"], out["difference"], out["peer"]), (100, 70, True, None, None))
        self.assertEqual((out["verified"]["generation"], out["verified"]["checks"]), (70, 6))
        device, = out["devices"]
        self.assertEqual(list(device), ["backend", "name", "software", "memory", "properties", "clocks", "ceiling"])
        self.assertTrue(all(device["ceiling"][key] > 0 for key in ("gates_per_second", "cells_per_second", "bytes_per_second")))
        self.assertEqual(len(out["rows"]), len(self.kernels()))
        for row in out["rows"]:
            self.assertEqual(list(row), ["backend", "device", "kernel", "tuning", "parts", "halo", "link", "generations",
                                         "wall_seconds", "device_seconds",
                                         "seconds_per_generation", "cells_per_second", "ceiling_cells_per_second",
                                         "share_of_ceiling", "space", "times_fastest", "tuned_by", "agreed_until"])
            self.assertEqual(row["tuned_by"], "own choice")  # nothing was tuned here, and there is no table of such a size
            self.assertEqual(list(row["tuning"]), ["generations", "rows", "words", "group", "threads"])
            wall = row["wall_seconds"]
            self.assertEqual((list(wall), len(wall["runs"])), (SPREAD, 3))
            self.assertEqual(wall["median"], sorted(wall["runs"])[1])
            self.assertEqual((wall["lowest"], wall["highest"]), (min(wall["runs"]), max(wall["runs"])))
            self.assertAlmostEqual(row["seconds_per_generation"] * row["generations"] / wall["median"], 1)
            cells = 100 * 70 * row["generations"]
            self.assertAlmostEqual(row["cells_per_second"]["median"] * wall["median"] / cells, 1)
            self.assertAlmostEqual(row["share_of_ceiling"], row["cells_per_second"]["median"] / row["ceiling_cells_per_second"])
            self.assertEqual(row["agreed_until"], 70)
        ratios = [row["times_fastest"] for row in out["rows"]]
        self.assertEqual((ratios, ratios[0]), (sorted(ratios), 1))

    def test_spaces_are_compared(self):
        done = self.tessera("compare", GUN, "--gens", 300, "--backends", "cpu", "--kernels", "simd,word",
                            "--spaces", "grid,tiles", "--repeat", 1, "--json")
        out = json.loads(done.stdout)
        self.assertTrue(out["equal"])
        self.assertEqual(sorted((row["kernel"], row["space"]) for row in out["rows"]),
                         [("simd", "grid"), ("simd", "tiles"), ("word", "grid")])
        self.assertIn("no tiles", json.dumps(out))

    def test_patterns_on_the_plane(self):
        out = self.compare(ACORN, "--backends", "cpu", "--kernels", "simd,word", "--gens", 300, "--repeat", 1)
        self.assertEqual([out["width"], out["verified"]["kernels"]], [0, 2])
        expected = self.report(ACORN, "--gens", 300, "--backend", "cpu")
        self.assertEqual((out["verified"]["hash"], out["verified"]["population"]), (expected["hash"], expected["population"]))
        self.assertEqual({row["generations"] for row in out["rows"]}, {300})

    def test_checkpoints(self):
        self.tessera("run", *SOUP, "--gens", 40, "--backend", "cpu", "--out", "a.tsr", "--quiet")
        out = self.compare("--resume", "a.tsr", "--backends", "cpu", "--kernels", "simd,double-word", "--gens", 30, "--repeat", 1)
        self.assertEqual((out["verified"]["generation"], out["verified"]["hash"]),
                         (70, self.report(*SOUP, "--gens", 70, "--backend", "cpu")["hash"]))

    def test_threads_are_those_of_processors_whatever_steps_one_grid(self):
        out = self.compare(*SOUP, "--backends", "cpu,cpu*2", "--kernels", "simd", "--threads", 2, "--gens", 20, "--repeat", 1)
        self.assertEqual({row["backend"]: row["tuning"]["threads"] for row in out["rows"]}, {"cpu:0": 2, "cpu:0*2": 1})

    def test_one_rival_alone_is_no_winner(self):
        done = self.tessera("compare", *SOUP, "--backends", "cpu", "--kernels", "simd", "--gens", 20, "--repeat", 1)
        self.assertIn("only one kernel, so nothing was checked", done.stdout)
        self.assertNotIn("fast as", done.stdout)

    @needs("bgolly")
    def test_bgolly(self):
        # A sanitized kernel may need more than the usual minute.
        patient = ("--gens", 8000, "--repeat", 1, "--max-time", "10min", "--peer", "bgolly")
        slow = self.patient_bgolly()
        out = self.compare(GUN, "--backends", "cpu", "--kernels", "default", *patient, env=slow)
        self.assertEqual(out["peer"]["population"], self.report(GUN, "--gens", 8000)["population"])
        self.assertGreater(out["peer"]["seconds_per_generation"], 0)
        text = self.tessera("compare", GUN, "--backends", "cpu", "--kernels", "default", *patient, env=slow).stdout
        self.assertIn("  bgolly ends with the same population\n", text)
        self.check_ranking(text)

    def check_ranking(self, text):
        """bgolly has its place among the kernels, and the ratio says who is faster."""
        lines = text.splitlines()
        start = next(i for i, line in enumerate(lines) if "times fastest" in line) + 1
        ratios, names = [], []
        for line in itertools.takewhile(lambda each: re.search(r" (?:-|[0-9.]+ %)$", each), lines[start:]):
            names.append(line.split()[0])
            ratios.append(float(re.search(r" (\d+\.\d\d) +(?:-|[0-9.]+ %)$", line)[1]))
        self.assertIn("bgolly", names)
        self.assertEqual((ratios, ratios[0]), (sorted(ratios), 1))
        # The last words name the winner, whoever that is, and how it stands to the next and to the peer.
        said = re.search(r"\n  (\S+) .*(is|are all|are) (fastest|equally fast)(?:, (\S+) times as fast as (\S+))?.*\n", text)
        self.assertEqual(said[1], names[0], text)
        self.assertIn("bgolly", said[0])
        if said[3] == "fastest":
            self.assertEqual(said[5], names[1], text)
            self.assertAlmostEqual(float(said[4]), ratios[1], delta=0.011 + ratios[1] / 100)

    def place_copier(self, steps_that_take_long):
        """A bgolly that writes its start as the end; `steps_that_take_long` is a test of the shell on $steps. Returns the environment."""
        program = self.folder / "bgolly"
        program.write_text(f"""#!/bin/sh
out='' steps=0
while [ $# -gt 1 ]; do
  case $1 in -o) out=$2 ;; -m) steps=$2 ;; esac
  shift
done
[ ! "$steps" {steps_that_take_long} ] || sleep 0.2
[ -z "$out" ] || cp "$1" "$out"
""")
        program.chmod(0o755)
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_a_peer_that_ends_with_another_population_is_told(self):
        path = self.place_copier("!= 0")
        words = ["compare", GUN, "--backends", "cpu", "--kernels", "word", "--gens", 40, "--repeat", 1, "--peer", "bgolly"]
        done = self.tessera(*words, code=3, env=path)
        expected = self.report(GUN, "--gens", 40)["population"]
        self.assertRegex(done.stderr, rf"\Atessera: compare: at generation 40 bgolly's population is 36, the kernels' {expected}\n\Z")
        self.assertNotEqual(expected, 36)

    def test_a_peer_that_is_too_fast_to_be_timed_is_told_and_hides_nothing(self):
        (self.folder / "block.rle").write_text("x = 2, y = 2\n2o$2o!\n")
        path = self.place_copier("= 0")  # loading takes longer than all generations
        words = ["compare", "block.rle", "--backends", "cpu", "--kernels", "simd,word", "--gens", 40, "--repeat", 1, "--peer", "bgolly"]
        text = self.tessera(*words, env=path).stdout
        self.assertIn("  bgolly ends with the same population\n", text)
        self.assertIn("  bgolly's speed is not known: 40 generations take it less time than loading varies by; use more --gens\n", text)
        self.assertNotIn("QuickLife", text)
        self.assertRegex(text, r"\n  cpu:0 .* (is fastest|are equally fast)")
        told = json.loads(self.tessera(*words, "--json", env=path).stdout)["peer"]
        self.assertEqual((told["population"], told["seconds_per_generation"]), (4, None))

    @needs("gnuplot")
    def test_plots(self):
        for name, magic in (("a.svg", b"<?xml"), ("b.png", b"\x89PNG")):
            self.tessera("compare", *SOUP, "--backends", "cpu", "--gens", 5, "--repeat", 1, "--plot", name)
            self.assertTrue((self.folder / name).read_bytes().startswith(magic))
        text = (self.folder / "a.svg").read_text()
        for word in (*self.kernels(), "measured ceiling of the device", "cell updates per second"):
            self.assertIn(word, text)

    def test_without_gnuplot_it_is_said_before_anything_is_measured(self):
        message = self.refused("compare", *SOUP, "--plot", "a.svg", env={"PATH": "/nowhere", "HOME": str(self.folder)})
        self.assertIn("gnuplot, which is not installed", message)
        self.assertEqual(self.files(), [])

    def test_bad_options(self):
        for words, said in ((["--gens", "0"], "--gens"), (["--every", "257"], "1 to 256|1 .. 256|256"), (["--plot", "a.pdf"], r"\.svg and \.png"),
                            (["--kernels", "nosuch"], "nosuch.*simd"), (["--backends", "nosuch"], "nosuch"),
                            (["--peer", "life"], "bgolly"), (["--peer", "bgolly", "--rule", "B0/S23"], "B0|not in PATH")):
            with self.subTest(words=words):
                self.assertRegex(self.refused("compare", *SOUP, *words), said)
        self.assertIn("nothing to compare", self.refused("compare"))


class FaultyTest(CompareTest):
    """The same program over drivers with known faults."""

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, program, "PROGRAM", program.PROGRAM)
        program.PROGRAM = FAULTY

    # What works is tried above.
    test_table = test_json_is_complete = test_patterns_on_the_plane = test_checkpoints = None
    test_threads_are_those_of_processors_whatever_steps_one_grid = test_one_rival_alone_is_no_winner = None
    test_a_peer_that_is_too_fast_to_be_timed_is_told_and_hides_nothing = None
    test_bgolly = test_plots = test_without_gnuplot_it_is_said_before_anything_is_measured = test_bad_options = None

    def test_one_wrong_bit_at_one_generation(self):
        words = ["compare", *LINEAR, "--backends", "faulty,cpu", "--kernels", "flip,simd,word", "--gens", 300]
        done = self.tessera(*words, code=3)
        x, y = -50 + 100 // 3, -35 + 70 // 2
        said = (rf"faulty:0 kernel flip differs from cpu:0 kernel \S+: first at generation 137, cell \({x}, {y}\) is "
                r"(dead where the other says alive|alive where the other says dead)")
        self.assertRegex(done.stderr, rf"\Atessera: compare: {said}\n\Z")
        self.assertRegex(done.stdout, said)
        out = json.loads(self.tessera(*words, "--json", code=3).stdout)
        self.assertEqual((out["equal"], out["rows"]), (False, []))
        difference = out["difference"]
        self.assertEqual((difference["wrong"], difference["generation"], difference["cell"], difference["repeatable"]),
                         ("faulty:0 kernel flip", 137, [x, y], True))
        self.assertTrue(difference["judge"].startswith("cpu:0"))

    def test_what_a_kernel_does_not_take_is_left_out(self):
        out = self.compare(*SOUP, "--backends", "faulty,cpu", "--kernels", "picky,simd", "--gens", 5, "--repeat", 1)
        self.assertEqual([row["kernel"] for row in out["rows"]], ["simd"])
        self.assertEqual(out["left_out"], [{"name": "faulty:0 kernel picky",
                                            "reason": "a width of 100 cells; multiples of 64 are supported"}])

    def test_a_failing_device_is_a_failure(self):
        self.assertIn("the device is on fire",
                      self.refused("compare", *SOUP, "--backends", "faulty", "--kernels", "burning", code=1))


if __name__ == "__main__":
    unittest.main()
