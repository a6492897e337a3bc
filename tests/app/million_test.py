"""A million generations of five patterns, as tiles and by HashLife of bgolly: the same cells."""

import re
import subprocess
import unittest

from program import ACORN, GUN, R_PENTOMINO, ProgramTest, needs

LIDKA = "x = 9, y = 15, rule = B3/S23\nbo$obo$bo8$8bo$6bobo$5b2obo2$4b3o!\n"
BUNNIES = "x = 8, y = 4, rule = B3/S23\no5bo$2bo3bo$2bo2bobo$bobo!\n"
GENERATIONS = 1_000_000


def cells_of(path):
    """The live cells of an RLE file as runs (y, x, length), from the first live row and column on."""
    body = "".join(line for line in path.read_text().splitlines() if line and line[0] not in "#x")
    runs, x, y = [], 0, 0
    for count, what in re.findall(r"(\d*)([bo$!])", body):
        n = int(count or 1)
        if what == "o":
            runs.append((y, x, n))
        x, y = (0, y + n) if what == "$" else (x + n, y)
    top, left = runs[0][0], min(run[1] for run in runs)
    return [(y - top, x - left, n) for y, x, n in runs]


class MillionTest(ProgramTest):
    @needs("bgolly")
    def test_a_million_generations(self):
        for name, text in (("lidka", LIDKA), ("bunnies", BUNNIES)):
            (self.folder / f"{name}.rle").write_text(text)
        populations = {}
        for pattern in (ACORN, R_PENTOMINO, GUN, self.folder / "lidka.rle", self.folder / "bunnies.rle"):
            with self.subTest(pattern=str(pattern)):
                self.tessera("run", pattern, "--gens", GENERATIONS, "--backend", "cpu", "--space", "tiles", "--out", "ours.rle", "--quiet")
                subprocess.run(["bgolly", "-q", "-q", "-a", "HashLife", "-m", str(GENERATIONS), "-i", str(GENERATIONS),
                                "-o", "theirs.rle", str(pattern)], cwd=self.folder, check=True, capture_output=True, timeout=60)
                ours = cells_of(self.folder / "ours.rle")
                self.assertEqual(ours, cells_of(self.folder / "theirs.rle"))
                populations[str(pattern).rsplit("/", 1)[-1]] = sum(run[2] for run in ours)
        self.assertEqual((populations["acorn.rle"], populations["r-pentomino.rle"], populations["lidka.rle"]), (633, 116, 1623))


if __name__ == "__main__":
    unittest.main()
