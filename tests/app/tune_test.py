"""tessera tune, and how run uses what it found."""

import json
import os
import pathlib
import unittest

import program
from program import ACORN, ProgramTest

FAULTY = os.environ["FAULTY_TESSERA"]
QUICK = ["--repeat", 1, "--run-time", "1ms", "--max-time", "20s"]
SOUP = ["--soup", "0.5", "--backend", "cpu"]


class TuneTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.store = pathlib.Path(os.environ["TESSERA_CACHE"]) / "tuning.json"

    def tune(self, *words, code=0):
        return json.loads(self.tessera("tune", *words, *QUICK, "--json", code=code).stdout)

    def test_the_winner_is_remembered_and_used(self):
        out = self.tune("--backends", "cpu", "--sides", 256)
        self.assertEqual(list(out), ["version", "compiler", "system", "date", "command", "rule", "stored_in", "results"])
        self.assertEqual(out["stored_in"], str(self.store))
        result, = out["results"]
        timed = [c for c in result["candidates"] if c["outcome"] == "timed"]
        self.assertEqual(result["candidates"][0]["tuning"], result["own_choice"])
        self.assertIn(result["best"], [c["tuning"] for c in timed])
        fastest = max(c["cells_per_second"]["median"] for c in timed)
        self.assertLessEqual(fastest / result["best_cells_per_second"], 1.011)
        self.assertGreaterEqual(result["gain"], 1)
        self.assertGreater(len(result["candidates"]), 6)
        self.assertTrue(result["whole_search"])
        entry, = json.loads(self.store.read_text())
        self.assertEqual(set(entry["key"]), {"version", "backend", "device", "driver", "kernel", "rule", "size"})
        self.assertEqual((entry["key"]["size"], entry["tuning"]), (16, result["best"]))

        ran = self.report(*SOUP, "--size", "256x256", "--gens", 100)
        self.assertEqual(ran["tuned_by"], "stored")
        declared = ("generations", "rows", "group")
        self.assertEqual([ran["tuning"][key] for key in declared], [result["best"][key] for key in declared])
        plain = self.report(*SOUP, "--size", "256x256", "--gens", 100, "--kernel", "reference")
        self.assertEqual(plain["hash"], ran["hash"])
        # Another size, rule or kernel is another matter.
        for words in (["--size", "2048x2048"], ["--size", "256x256", "--rule", "HighLife"],
                      ["--size", "256x256", "--kernel", "word"]):
            self.assertNotEqual(self.report(*SOUP, *words, "--gens", 1)["tuned_by"], "stored", words)

    def test_rules_of_more_states(self):
        words = ["--rule", "WireWorld", "--backends", "cpu"]
        result, = self.tune(*words, "--sides", 128)["results"]
        ran = self.report(*SOUP, "--rule", "WireWorld", "--size", "128x128", "--gens", 20)
        self.assertEqual(result["kernel"], ran["kernel"])
        if ran["kernel"] == "compiled":
            self.assertIn(result["best"], [c["tuning"] for c in result["candidates"] if c["outcome"] == "timed"])
            self.assertEqual(ran["tuned_by"], "stored")
        else:
            self.assertEqual(result["skipped"], "this kernel has nothing to tune")

    def test_rules_in_turns_have_a_shape_of_their_own(self):
        turns = "B3/S23|B36/S23"
        words = ["--backends", "cpu", "--sides", 128]
        result, = self.tune("--rule", turns, *words)["results"]
        soup = [*SOUP, "--size", "128x128", "--gens", 20]
        ran = self.report(*soup, "--rule", turns)
        self.assertEqual(result["kernel"], ran["kernel"])
        alone = self.report(*soup, "--rule", "B3/S23", "--kernel", ran["kernel"])
        self.assertNotEqual(alone["tuned_by"], "stored")
        if "best" in result:
            self.assertEqual(ran["tuned_by"], "stored")
            self.assertEqual(json.loads(self.store.read_text())[0]["key"]["rule"], turns)

    def test_what_is_stored_is_held_against_the_kernel(self):
        self.tune("--backends", "cpu", "--sides", 128)
        entry, = json.loads(self.store.read_text())
        for spoil in (lambda e: e["tuning"].update(generations=7), lambda e: e["tuning"].pop("rows"),
                      lambda e: e["key"].update(version="0.0.0"), lambda e: e["key"].update(device="another")):
            spoilt = json.loads(json.dumps(entry))
            spoil(spoilt)
            self.store.write_text(json.dumps([spoilt, 5, {}]))
            self.assertNotEqual(self.report(*SOUP, "--size", "128x128", "--gens", 1)["tuned_by"], "stored")
        for text in ("", "{", "null", '{"a": 1}'):
            self.store.write_text(text)
            self.assertNotEqual(self.report(*SOUP, "--size", "128x128", "--gens", 1)["tuned_by"], "stored")
        self.tune("--backends", "cpu", "--sides", 128)
        self.assertEqual(self.report(*SOUP, "--size", "128x128", "--gens", 1)["tuned_by"], "stored")

    def test_kernels_without_ranges_are_told(self):
        out = self.tune("--backends", "cpu", "--kernels", "word", "--sides", 64)
        self.assertEqual([each["skipped"] for each in out["results"]], ["this kernel has nothing to tune"])
        self.assertFalse(self.store.exists())

    def test_run_tunes_first_only_when_asked_and_worth_it(self):
        short = self.tessera("run", *SOUP, "--size", "64x64", "--gens", 10, "--tune")
        self.assertIn("too short to be worth a search", short.stderr)
        self.assertFalse(self.store.exists())
        self.assertIn("bounded", self.refused("run", ACORN, "--gens", 10, "--tune"))
        self.tune("--backends", "cpu", "--sides", 64)
        known = self.tessera("run", *SOUP, "--size", "64x64", "--gens", 10, "--tune")
        self.assertIn("is already known (stored)", known.stderr)

    def test_bad_options(self):
        for words in (["--sides", "0"], ["--sides", "64,x"], ["--rule", "B9"], ["--kernels", "nosuch"], ["--max-time", "now"]):
            self.refused("tune", *words)

    def test_fast_and_wrong_is_refused(self):
        self.addCleanup(setattr, program, "PROGRAM", program.PROGRAM)
        program.PROGRAM = FAULTY
        words = ["--backends", "faulty", "--kernels", "shapes", "--sides", 64]
        result, = self.tune(*words, code=3)["results"]
        outcomes = {c["tuning"]["rows"]: c for c in result["candidates"]}
        self.assertEqual(outcomes[8]["outcome"], "refused")
        self.assertRegex(outcomes[8]["reason"], r"differs from cpu:0 kernel simd at generation 1, cell")
        self.assertNotIn("cells_per_second", outcomes[8])
        self.assertEqual((outcomes[32]["outcome"], outcomes[32]["reason"]), ("not taken", "32 rows do not fit the device"))
        self.assertNotEqual(result["best"]["rows"], 8)
        self.assertRegex(self.tessera("tune", *words, *QUICK, code=3).stderr,
                         r"\Atessera: tune: faulty:0 kernel shapes at 64x64 with rows=8 is refused: it differs .*\n\Z")


if __name__ == "__main__":
    unittest.main()
