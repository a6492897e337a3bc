"""One grid over several parts, from the command line."""

import json
import unittest

from program import ACORN, GUN, ProgramTest

SOUP = ["--soup", "0.4", "--seed", "7", "--size", "500x90", "--gens", "130"]


class SeveralTest(ProgramTest):
    def test_every_name_gives_the_state_of_one_device(self):
        one = self.report(*SOUP, "--backend", "cpu")
        self.assertEqual((one["parts"], one["halo"], one["link"]), (1, 0, ""))
        for name, parts in [("cpu*3", 3), ("cpu,cpu", 2), ("cpu:0+cpu*2", 3), ("cpu*1", 1), ("cpu:all", 1)]:
            with self.subTest(name):
                report = self.report(*SOUP, "--backend", name)
                self.assertEqual((report["hash"], report["population"], report["bounds"], report["parts"]),
                                 (one["hash"], one["population"], one["bounds"], parts))
        for halo in (1, 7, 30):
            report = self.report(*SOUP, "--backend", "cpu*3", "--halo", halo, "--link", "host")
            self.assertEqual((report["hash"], report["halo"], report["link"], report["backend"]),
                             (one["hash"], halo, "host", "cpu:0*3"))

    def test_planes(self):
        for universe in ([], ["--rule", "B3/S23:P90,70"]):
            one = self.report(GUN, "--gens", "300", "--backend", "cpu", *universe)
            several = self.report(GUN, "--gens", "300", "--backend", "cpu*3", *universe)
            self.assertEqual((several["hash"], several["bounds"]), (one["hash"], one["bounds"]))
        self.assertEqual(self.report(ACORN, "--gens", 5206, "--backend", "cpu+cpu")["population"], 633)

    def test_a_run_is_resumed_on_another_number_of_parts(self):
        one = self.report(*SOUP[:-1], 60, "--backend", "cpu")
        self.report(*SOUP[:-1], 25, "--backend", "cpu*3", "--checkpoint", "run.tsr")
        for name in ("cpu*2", "cpu"):
            self.assertEqual(self.report("--resume", "run.tsr", "--gens", 60, "--backend", name)["hash"], one["hash"])

    def test_in_lists_a_plus_joins_and_a_comma_separates(self):
        out = json.loads(self.tessera("compare", "--soup", 0.5, "--size", "200x100", "--gens", 60, "--repeat", 1, "--kernels",
                                      "default", "--backends", "cpu,cpu+cpu,cpu*3", "--halo", 9, "--json").stdout)
        self.assertEqual(sorted((row["backend"], row["parts"], row["halo"]) for row in out["rows"]),
                         [("cpu:0", 1, 0), ("cpu:0*2", 2, 9), ("cpu:0*3", 3, 9)])
        self.assertIn("nothing differs", self.tessera("verify", "--backend", "cpu*3", "--kernel", "word", "--cases", 20).stdout)

    def test_parts_share_tiles(self):
        words = [GUN, "--gens", 900, "--space", "tiles"]
        one, three = (self.report(*words, "--backend", backend) for backend in ("cpu", "cpu*3"))
        self.assertEqual([three[key] for key in ("space", "parts", "link")], ["tiles", 3, "host"])
        for key in ("hash", "population", "bounds", "generation"):
            self.assertEqual(one[key], three[key], key)

    def test_refusals(self):
        run = ["run", *SOUP]
        for words, parts in [
                (run + ["--backend", "cpu*3", "--halo", "31"], ["halo of 31 generations", "90 rows in 3 bands have 30", "at most 30"]),
                (run + ["--backend", "cpu*3", "--halo", "0"], ["--halo: '0'"]),
                (run + ["--backend", "cpu*3", "--halo", "x"], ["--halo: 'x'"]),
                (run + ["--backend", "cpu", "--halo", "3"], ["--halo needs several devices"]),
                (run + ["--link", "host"], ["--link needs several devices"]),
                (run + ["--backend", "cpu*3", "--link", "string"], ["--link string: auto, peer, nccl or host is expected"]),
                (run + ["--backend", "cpu*3", "--link", "nccl"], ["link nccl: cpu:0 is no CUDA device"]),
                (run + ["--backend", "cpu*3", "--link", "peer"], ["link peer: cpu passes no rows"]),
                (run + ["--backend", "cpu*x"], ["'cpu*x'", "1 to 256"]),
                (run + ["--backend", "cpu+cpu:9"], ["'cpu:9'", "no such device"]),
                (run + ["--backend", "cpu+gpu"], ["'gpu' is not known"]),
                (run + ["--backend", "cpu*3", "--kernel", "nosuch"], ["no kernel 'nosuch'"]),
                (run + ["--backend", "cpu*3", "--max-memory", "1K"], ["of which cpu:0 is to step", "is the limit"]),
                (run + ["--backend", "cpu*3", "--tune"], ["one device at a time"]),
                (["tune", "--backends", "cpu*3"], ["one device at a time"])]:
            with self.subTest(" ".join(map(str, words))):
                message = self.refused(*words)
                for part in parts:
                    self.assertIn(part, message)


if __name__ == "__main__":
    unittest.main()
