"""tessera run --batch: every universe is a run of its own, and rows say so in all forms."""

import csv
import io
import json
import unittest

from program import ACORN, GUN, R_PENTOMINO, ProgramTest

KEYS = ["rule", "width", "height", "universes", "generation", "population", "repeating", "backend", "device", "kernel", "packing",
        "tuning", "generations", "seconds", "cells_per_second", "stopped", "max_time", "source", "rows"]
ROW = ["universe", "seed", "population", "hash", "bounds", "period", "since"]
BLINKER = "x = 3, y = 1\n3o!\n"
BLOCK = "x = 2, y = 2\n2o$2o!\n"


class BatchTest(ProgramTest):
    def batch(self, *words):
        return self.report(*words, "--backend", "cpu")

    def test_universes_are_runs_of_their_own(self):
        for rule, universes in [("B3/S23:T40,30", 11), ("B36/S125:P17,70", 3), ("B2-a/S12:T16,16", 70),
                                ("B3/S23:K20,30*", 2), ("345/2/4:T30,20", 2)]:
            words = ["--soup", 0.4, "--seed", 5, "--rule", rule, "--gens", 77]
            batch = self.batch(*words, "--batch", universes)
            self.assertEqual(list(batch), KEYS)
            self.assertEqual((batch["universes"], batch["generation"], len(batch["rows"])), (universes, 77, universes))
            self.assertEqual(batch["packing"] == "one after the other", "K" in rule or "/4" in rule)
            self.assertEqual(batch["population"], sum(row["population"] for row in batch["rows"]))
            for number in (0, universes // 2, universes - 1):
                row = batch["rows"][number]
                self.assertEqual(list(row), ROW)
                words[3] = 5 + number
                alone = self.batch(*words)
                self.assertEqual((row["universe"], row["seed"]), (number, 5 + number))
                self.assertEqual([row[key] for key in ("population", "hash", "bounds")],
                                 [alone[key] for key in ("population", "hash", "bounds")])

    def test_seeds_go_round(self):
        last = 2**64 - 1
        rows = self.batch("--soup", 0.5, "--seed", last, "--size", "9x9", "--gens", 3, "--batch", 2)["rows"]
        self.assertEqual([row["seed"] for row in rows], [last, 0])

    def test_rows_of_patterns(self):
        (self.folder / "a,b.rle").write_text(BLINKER)
        (self.folder / "block.rle").write_text(BLOCK)
        done = self.tessera("run", "a,b.rle", "block.rle", "--batch", 3, "--size", "20x10", "--gens", 5, "--every", 1, "--stats", "-",
                            "--backend", "cpu")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(row["generation"], row["universe"]) for row in rows], [(str(g), str(u)) for g in range(6) for u in range(3)])
        self.assertEqual([row["pattern"] for row in rows[:3]], ["a,b.rle", "block.rle", "a,b.rle"])
        end = rows[-3:]
        self.assertEqual([(row["population"], row["period"], row["since"]) for row in end], [("3", "2", "1"), ("4", "1", "0"), ("3", "2", "1")])
        self.assertEqual([end[1][key] for key in ("xmin", "ymin", "xmax", "ymax")], ["0", "0", "1", "1"])
        self.assertEqual([end[0][key] for key in ("xmin", "ymin", "xmax", "ymax")], ["1", "-1", "1", "1"])

    def test_rows_at_the_end_alone(self):
        self.tessera("run", "--soup", 0.3, "--batch", 40, "--size", "16x16", "--gens", 2000, "--stats", "out.csv", "--quiet", "--backend", "cpu")
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text())))
        self.assertEqual({row["generation"] for row in rows}, {"2000"})
        # Most soups of this size have come to rest after 960 generations, which samples at 960 and 1920 see.
        self.assertGreater(len([row for row in rows if row["period"] == "960"]), 30)
        text = self.tessera("run", "--soup", 0.3, "--batch", 40, "--size", "16x16", "--gens", 9, "--backend", "cpu").stdout
        self.assertIn("and 20 more", text)

    def test_time_and_nothing(self):
        batch = self.batch("--soup", 0.5, "--batch", 3, "--size", "20x20", "--max-time", "100ms")
        self.assertEqual((batch["stopped"], batch["max_time"]), ("time", 0.1))
        batch = self.batch("--soup", 0, "--batch", 3, "--size", "20x20", "--gens", 0)
        self.assertEqual([(row["population"], row["bounds"], row["hash"]) for row in batch["rows"]], [(0, None, "0" * 16)] * 3)

    def test_what_is_no_batch(self):
        soup = ["run", "--soup", 0.5, "--size", "16x16", "--gens", 1, "--backend", "cpu"]
        for words, message in [
                (soup + ["--batch", 0], "--batch: '0' is not a whole number from 1 to 4294967296"),
                (soup + ["--batch", "5G"], "--batch: '5G'"),
                (soup + ["--batch", "4G", "--max-memory", "1G"], "1 GiB is the limit"),
                (soup + ["--batch", 9, "--out", "a.rle"], "--batch and --out exclude each other"),
                (soup + ["--batch", 9, "--checkpoint", "a.tsr"], "--batch and --checkpoint exclude each other"),
                (soup + ["--batch", 9, "--space", "tiles"], "--batch and --space tiles exclude each other"),
                (soup[:-1] + ["cpu*2", "--batch", 9], "a batch runs on one device"),
                (soup + [ACORN, "--batch", 9], "a PATTERN and --soup"),
                (["run", "--soup", 0.5, "--rule", "B3/S23:T1000000,1000000", "--gens", 1, "--batch", "1M"], "is too large"),
                (["run", ACORN, "--gens", 1, "--batch", 2], "--batch needs a bounded universe"),
                (["run", ACORN, GUN, R_PENTOMINO, "--size", "99x99", "--gens", 1, "--batch", 2], "there are 3 patterns"),
                (["run", GUN, "--size", "9x9", "--gens", 1, "--batch", 2], "gosper-gun.rle"),
                (["run", ACORN, GUN, "--size", "99x99", "--gens", 1], "several patterns need --batch N")]:
            self.assertIn(message, self.refused(*words), words)


if __name__ == "__main__":
    unittest.main()
