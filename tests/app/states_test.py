"""Rules of more than two states through the program."""

import csv
import unittest

from program import ProgramTest, read_png

BRAIN = ["--rule", "/2/3", "--size", "100x70", "--soup", 0.3]


class StatesTest(ProgramTest):
    def test_kernels_agree_and_auto_takes_one_that_can(self):
        report = self.report(*BRAIN, "--soup-states", "all", "--gens", 40)
        self.assertEqual((report["backend"], report["kernel"], report["rule"], report["source"]),
                         ("cpu", report["kernel"], "/2/3:T100,70", "soup 0.3 seed 1, all states"))
        judge = self.report(*BRAIN, "--soup-states", "all", "--gens", 40, "--kernel", "reference")
        self.assertEqual((report["hash"], report["population"]), (judge["hash"], judge["population"]))
        ones = self.report(*BRAIN, "--gens", 40)
        self.assertNotEqual(report["hash"], ones["hash"])
        parts = self.report(*BRAIN, "--soup-states", "all", "--gens", 40, "--backend", "cpu*3")
        self.assertEqual((parts["hash"], parts["parts"]), (report["hash"], 3))

    def test_a_glider_of_brians_brain_on_the_plane(self):
        (self.folder / "moves.rle").write_text("x = 2, y = 2, rule = BriansBrain\n2B$2A!\n")
        report = self.report("moves.rle", "--gens", 300)
        self.assertEqual((report["population"], report["bounds"][1], report["space"]), (4, 300, "tiles"))
        for words, space in [(["--backend", "cpu*2"], "tiles"), (["--backend", "cpu*2", "--space", "grid"], "grid")]:
            other = self.report("moves.rle", "--gens", 300, *words)
            self.assertEqual((other["hash"], other["space"]), (report["hash"], space))

    def test_statistics_have_a_column_per_state(self):
        self.tessera("run", *BRAIN, "--gens", 4, "--stats", "s.csv", "--every", 2)
        with open(self.folder / "s.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[-2:], ["state_1", "state_2"])
        for row in rows:
            self.assertEqual(int(row["state_1"]) + int(row["state_2"]), int(row["population"]))
        self.assertEqual(rows[0]["state_2"], "0")
        self.assertNotEqual(rows[-1]["state_2"], "0")

    def test_checkpoints_and_files_carry_states(self):
        whole = self.report(*BRAIN, "--gens", 30, "--out", "end.rle", "--out", "end.png")
        self.tessera("run", *BRAIN, "--gens", 10, "--checkpoint", "c.tsr")
        self.assertEqual(self.report("--resume", "c.tsr", "--gens", 30)["hash"], whole["hash"])
        again = self.report("end.rle", "--gens", 0)
        self.assertEqual((again["hash"], again["generation"]), (whole["hash"], 30))
        self.tessera("convert", "end.rle", "end.tsr")
        self.tessera("convert", "end.tsr", "back.rle")
        self.assertEqual(self.report("back.rle", "--gens", 0)["hash"], whole["hash"])
        self.tessera("convert", "end.tsr", "back.png")
        self.assertEqual((self.folder / "end.png").read_bytes(), (self.folder / "back.png").read_bytes())
        self.tessera("run", *BRAIN, "--gens", 2, "--frames", "frames", "--theme", "dark", "--scale", "1/2")
        self.assertEqual(len(list((self.folder / "frames").iterdir())), 3)

    def test_tiles_of_several_parts(self):
        bosco = ("--soup", 0.45, "--rule", "R5,C0,M1,S34..58,B34..45,NM:T200,170")
        for start in BRAIN, bosco:
            whole = self.report(*start, "--gens", 30)
            self.assertEqual(self.report(*start, "--gens", 30, "--space", "tiles", "--backend", "cpu*2")["hash"], whole["hash"])
            self.assertGreater(whole["population"], 0)

    def test_refusals_are_one_line(self):
        (self.folder / "many.rle").write_text("x = 2, y = 1\nAC!\n")
        self.tessera("run", *BRAIN, "--gens", 30, "--out", "end.rle")
        for words, told in [
                (["run", "many.rle", "--gens", 1], "cells of more states than the 2 of the rule B3/S23"),
                (["run", "many.rle", "--rule", "/2/3", "--gens", 1], "a cell of state 3; the rule /2/3 has states 0 to 2"),
                (["run", *BRAIN, "--kernel", "simd", "--gens", 1], "the kernel simd of cpu steps only rules of two states"),
                (["run", *BRAIN, "--space", "tiles", "--kernel", "compiled", "--gens", 1], "the kernel compiled of cpu has no tiles"),
                (["run", "--rule", "R5,C0,M1,S34..58,B34..45,NM|B3/S23:T90,80", "--soup", 0.5, "--space", "tiles", "--gens", 1],
                 "tiles hold universes under rules of longer range that take no turns"),
                (["run", *BRAIN, "--soup-states", "3", "--gens", 1], "--soup-states 3: 1 or all is expected"),
                (["run", "many.rle", "--soup-states", "all", "--gens", 1], "--soup-states needs --soup"),
                (["convert", "end.rle", "end.cells"], "cells of more than two states are written as .rle and .mc alone")]:
            self.assertIn(told, self.refused(*words))

    def test_compare(self):
        done = self.tessera("compare", *BRAIN, "--gens", 20, "--backends", "cpu", "--repeat", 1)
        self.assertRegex(done.stdout, r"cpu:0 *gates")


if __name__ == "__main__":
    unittest.main()
