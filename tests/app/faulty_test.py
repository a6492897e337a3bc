"""The program on devices that fail in known ways (faulty_drivers.cpp)."""

import json
import os
import re
import unittest

import program
from program import ProgramTest

program.PROGRAM = os.environ["FAULTY_TESSERA"]
GUN = """x = 36, y = 9, rule = B3/S23
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!
"""
SOUP = ["run", "--soup", "0.5", "--size", "64x50"]


class VerifyTest(ProgramTest):
    def test_a_difference_is_found_shrunk_and_replayed(self):
        done = self.tessera("verify", "--backend", "faulty", "--kernel", "late", "--seed", 13, "--cases", 500, code=3)
        self.assertRegex(done.stderr, r"\Atessera: verify: faulty:0 kernel late differs from the reference in the case of seed \d+\n\Z")
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5)
        found = re.fullmatch(r"seed (\d+): (B\d*/S\d*.*, generations .*)", lines[0])
        self.assertRegex(lines[1], r"\A  faulty:0 kernel late: generation \d+: cell \(-?\d+, -?\d+\) is (dead|alive), the reference says (dead|alive)\Z")
        self.assertRegex(lines[2], r"\Asmallest found: B\d*/S\d*.*, generations 9\Z")
        self.assertRegex(lines[3], r"\A  faulty:0 kernel late: generation 9: cell ")
        replay = lines[4].removeprefix("replay: tessera ")
        self.assertEqual(replay, f"verify --seed {found[1]} --cases 1 --backend faulty:0 --kernel late")
        again = self.tessera(*replay.split(), code=3)
        self.assertEqual((again.stdout, again.stderr), (done.stdout, done.stderr))

    def test_a_failing_device_is_a_difference(self):
        done = self.tessera("verify", "--backend", "faulty", "--kernel", "burning", "--cases", 100, code=3)
        self.assertIn("the device is on fire", done.stdout)

    def test_what_a_kernel_does_not_take_is_skipped_and_counted(self):
        done = self.tessera("verify", "--backend", "faulty", "--kernel", "picky", "--cases", 60)
        passed, skipped = (sum(map(int, re.findall(rf"faulty:0 +picky +(\d+) {word}", done.stdout))) for word in ("passed", "skipped"))
        self.assertEqual(passed + skipped, 60)
        self.assertGreater(passed, 0)
        self.assertIn("skipped: a width of # cells; multiples of # are supported", done.stdout)

    def test_missing_backends_are_told(self):
        done = self.tessera("verify", "--kernel", "word", "--cases", 2)
        self.assertRegex(done.stdout, r"\n  absent +not verified: it was unplugged\n  left-out +not verified: not in this build")
        self.assertIn("it was unplugged", self.refused("verify", "--backend", "absent"))
        self.assertIn("nobody asked", self.refused("verify", "--backend", "left-out"))


class DevicesTest(ProgramTest):
    def test_list(self):
        text = self.tessera("devices").stdout
        self.assertIn("faulty:0  Faulty Device 9000, 1 MiB, a software emulation that auto never chooses\n    colour: red\n", text)
        self.assertIn("    late           (default) wrong in its last cell", text)
        self.assertIn("absent: no device: it was unplugged\n", text)
        self.assertRegex(text, r"\nleft-out: not in this build: nobody asked for it\nmpi: .+\n\Z")

    def test_json(self):
        faulty, absent, cpu, left_out = json.loads(self.tessera("devices", "--json").stdout)["backends"]
        self.assertEqual(faulty["devices"][0], {"index": 0, "name": "Faulty Device 9000", "memory": 1 << 20, "software": True,
                                                "properties": {"colour": "red"}})
        self.assertEqual(faulty["kernels"][0], {"name": "late", "default": True, "tuning": {"rows": [4, 8]},
                                                "summary": "wrong in its last cell from 9 generations a call on"})
        self.assertEqual((absent["devices"], absent["missing"]), ([], "it was unplugged"))
        self.assertEqual((cpu["backend"], cpu["missing"]), ("cpu", None))
        self.assertEqual((left_out["kernels"], left_out["missing"]), ([], "not in this build: nobody asked for it"))


class RunTest(ProgramTest):
    def test_a_device_that_fails_ends_the_run(self):
        message = self.refused(*SOUP, "--gens", 5, "--backend", "faulty", "--kernel", "burning", "--out", "a.rle", code=1)
        self.assertEqual(message, "tessera: the device is on fire\n")
        self.assertEqual(self.files(), [])

    def test_a_device_that_fails_names_the_last_checkpoint(self):
        message = self.refused(*SOUP, "--seed", 3, "--gens", 200, "--backend", "faulty", "--kernel", "tiring",
                               "--checkpoint", "c.tsr", "--checkpoint-every", "40gens", code=1)
        self.assertEqual(message, "tessera: the device is worn out; the last checkpoint is c.tsr at generation 80: "
                                  "--resume c.tsr continues from there\n")
        resumed = self.report("--resume", "c.tsr", "--gens", 200, "--backend", "cpu")
        self.assertEqual(resumed["hash"], self.report(*SOUP[1:], "--seed", 3, "--gens", 200, "--backend", "cpu")["hash"])

    def test_device_memory_that_runs_out_while_growing_keeps_everything(self):
        (self.folder / "gun.rle").write_text(GUN)
        done = self.tessera("run", "gun.rle", "--gens", 100000, "--backend", "faulty", "--kernel", "cramped", "--json",
                            "--out", "a.rle", "--checkpoint", "c.tsr", "--stats", "s.csv", "--every", 1000, code=1)
        self.assertRegex(done.stderr, r"\Atessera: generation \d+: the pattern covers .* cannot grow any further: "
                                      r"the device has no memory left\n\Z")
        report = json.loads(done.stdout)
        self.assertEqual((report["stopped"], report["kernel"]), ("memory", "reference"))
        self.assertGreater(report["generation"], 200)
        self.assertEqual(self.files(), ["a.rle", "c.tsr", "gun.rle", "s.csv"])
        same = self.report("gun.rle", "--gens", report["generation"], "--backend", "cpu")
        self.assertEqual(report["hash"], same["hash"])

    def test_a_named_backend_is_never_replaced(self):
        self.assertIn("it was unplugged", self.refused(*SOUP, "--gens", 5, "--backend", "absent"))
        self.assertIn("nobody asked", self.refused(*SOUP, "--gens", 5, "--backend", "left-out"))
        self.assertIn("multiples of 64", self.refused("run", "--soup", "1", "--size", "65x5", "--gens", 5, "--backend", "faulty",
                                                      "--kernel", "picky"))

    def test_auto_takes_no_emulation(self):
        self.assertEqual(self.report(*SOUP[1:], "--gens", 5)["backend"], "cpu")


if __name__ == "__main__":
    unittest.main()
