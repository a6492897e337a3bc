"""several_devices.py on parts of the CPU: every row that a machine with several GPUs would give, and what a wrong one would do."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "app"))
from program import PROGRAM, ProgramTest, needs


@needs("mpirun")
class SeveralDevicesTest(ProgramTest):
    def measure(self, *words, tessera=PROGRAM):
        done = subprocess.run(
            [sys.executable, HERE / "several_devices.py", "out.json", "--devices", "cpu*3", "--links", "host", "--generations", "50",
             "--benchmark", os.environ["BENCHMARK"], "--tessera", tessera, *words],
            cwd=self.folder, capture_output=True, text=True, timeout=300, env=os.environ | {"RUN_MS": "1", "REPEAT": "1", "CHECK": "30"})
        return done, json.loads((self.folder / "out.json").read_text())

    def test_rows_of_one_device_several_and_ranks(self):
        done, document = self.measure("--sides", "96,60", "--halos", "0,7", "--big", "120", "--ranks")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = document["results"]
        self.assertEqual({row["size"] for row in rows if row["parts"] == 1},
                         {"96x96", "96x32", "96x288", "60x60", "60x20", "60x180"})
        several = [row for row in rows if row["parts"] == 3]
        self.assertEqual({(row["size"], row["halo"] == 7) for row in several if "of_part_alone" in row},
                         {(size, seven) for size in ("96x96", "96x288", "60x60", "60x180") for seven in (True, False)})
        self.assertEqual({row["parts"] for row in rows if row["size"] == "120x120"}, {2, 3})
        self.assertEqual([row["size"] for row in document["ranks"]], ["96x288", "96x96", "60x180", "60x60"])
        self.assertTrue(all(row["same_hash"] and row["link"] == "memory" for row in document["ranks"]))
        self.assertRegex(document["lost_rank"]["lines"][0], r"rank 2 was lost.*--resume run\.tsr")

    def test_a_wrong_state_under_mpirun_is_an_error(self):
        wrong = self.folder / "wrong"  # a program whose ranks begin with another soup
        wrong.write_text(f'#!/bin/sh\n[ -z "$OMPI_COMM_WORLD_RANK$PMI_RANK" ] || set -- "$@" --seed 2\nexec "{PROGRAM}" "$@"\n')
        wrong.chmod(0o755)
        done, document = self.measure("--sides", "60", "--ranks", tessera=wrong)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([row["same_hash"] for row in document["ranks"]], [False, False])


if __name__ == "__main__":
    unittest.main()
