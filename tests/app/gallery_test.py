"""The gallery of patterns keeps its promises: every file says what it does, and stepping it shows that. Short runs are stepped here, by
a reference of its own, and long ones by the program."""

import collections
import json
import re
import unittest

from program import PATTERNS, ProgramTest

CATEGORIES = {"still-lifes": {"still"}, "oscillators": {"period"}, "spaceships": {"moves"}, "guns": {"grows"}, "puffers": {"grows"},
              "methuselahs": {"settles"}, "breeders": {"spreads"}, "other-rules": {"period", "moves", "copies", "grows"}}
SENTENCES = {
    "still": r"Does not change\.",
    "period": r"Period (\d+)\.",
    "moves": r"Moves by \((-?\d+), (-?\d+)\) every (\d+) generations\.",
    "grows": r"(?:From generation (\d+) on, the|The|: the) population grows by (\d+) every (\d+) generations\.",
    "settles": r"Stabilises at generation (\d+) with (\d+) live cells\.",
    "spreads": r"From generation (\d+) on, the population grows by (\d+) more every (\d+) generations than in the \d+ before\.",
    "copies": r"At generation (\d+) there are (\d+) copies of it\.",
}


class Pattern:
    """A file of RLE, read by nobody else's parser."""

    def __init__(self, text):
        notes = [line for line in text.splitlines() if line.startswith("#")]
        self.name = next(line[3:] for line in notes if line.startswith("#N "))
        self.origin = next((line[3:] for line in notes if line.startswith("#O ")), "")
        self.promises = [(kind, found[0]) for line in notes for kind, sentence in SENTENCES.items()
                         if (found := re.findall(f"({sentence})", line))]
        header, body = text[sum(len(line) + 1 for line in notes):].split("\n", 1)
        self.width, self.height, birth, survival = re.fullmatch(r"x = (\d+), y = (\d+), rule = B(\d*)/S(\d*)", header).groups()
        self.rule = set(map(int, birth)), set(map(int, survival))
        self.cells, x, y = set(), 0, 0
        for count, kind in re.findall(r"(\d*)([bo$!])", body):
            count = int(count or 1)
            if kind == "o":
                self.cells |= {(x + i, y) for i in range(count)}
            x, y = (0, y + count) if kind == "$" else (x + count, y)

    def stepped(self, cells, generations=1):
        birth, survival = self.rule
        for _ in range(generations):
            around = collections.Counter({at: 0 for at in cells})
            for x, y in cells:
                around.update(((x - 1, y - 1), (x, y - 1), (x + 1, y - 1), (x - 1, y), (x + 1, y), (x - 1, y + 1), (x, y + 1),
                               (x + 1, y + 1)))
            cells = {at for at, count in around.items() if count in (survival if at in cells else birth)}
        return cells


def moved(cells, dx, dy):
    return {(x + dx, y + dy) for x, y in cells}


def at_origin(cells):
    return moved(cells, -min((x for x, _ in cells), default=0), -min((y for _, y in cells), default=0))


def populations(test, path, generations):
    """Of every generation."""
    rows = test.tessera("run", path, "--gens", generations, "--stats", "-", "--quiet").stdout.splitlines()[1:]
    return [int(row.split(",")[1]) for row in rows]


def still(test, path, pattern):
    return pattern.cells and pattern.stepped(pattern.cells) == pattern.cells


def period(test, path, pattern, generations):
    cells = pattern.cells
    for generation in range(1, generations + 1):
        cells = pattern.stepped(cells)
        if cells == pattern.cells:
            return generation == generations > 1
    return False


def moves(test, path, pattern, dx, dy, generations):
    cells = pattern.cells
    for generation in range(1, generations + 1):
        cells = pattern.stepped(cells)
        if at_origin(cells) == at_origin(pattern.cells):
            return generation == generations and cells == moved(pattern.cells, dx, dy) != pattern.cells
    return False


def grows(test, path, pattern, start, more, every):
    seen = populations(test, path, start + 5 * every)[start:]
    return more > 0 and all(after - before == more for before, after in zip(seen, seen[every:])) and len(seen) == 5 * every + 1


def settles(test, path, pattern, generation, population):
    """From then on blinkers at most, of which fewer cells count; two generations before there was more."""
    seen = populations(test, path, generation + 40)[generation - 2:]
    return len(seen) == 43 and min(seen[2:4]) == population and seen[2:-2] == seen[4:] and seen[:-2] != seen[2:]


def spreads(test, path, pattern, start, more, every):
    """Its second differences are constant, as those of a square are."""
    seen = populations(test, path, start + 4 * every)[start:]
    return more > 0 and len(seen) == 4 * every + 1 and all(
        (last - middle) - (middle - first) == more for first, middle, last in zip(seen, seen[every:], seen[2 * every:]))


def copies(test, path, pattern, generation, count):
    """All cells are covered by as many copies, none of which shares a cell with another."""
    cells = pattern.stepped(pattern.cells, generation)
    corner = min(pattern.cells)
    for _ in range(count):
        if not cells:
            return False
        x, y = min(cells)
        copy = moved(pattern.cells, x - corner[0], y - corner[1])
        if not copy <= cells:
            return False
        cells -= copy
    return not cells and count > 1


CHECKS = {"still": still, "period": period, "moves": moves, "grows": grows, "settles": settles, "spreads": spreads, "copies": copies}


def kept(test, path, kind, words):
    numbers = [int(word or 0) for word in words[1:]] if isinstance(words, tuple) else []
    return bool(CHECKS[kind](test, path, Pattern(path.read_text()), *numbers))


class GalleryTest(ProgramTest):
    def test_every_pattern_does_what_it_says(self):
        files = sorted(PATTERNS.glob("*/*.rle"))
        self.assertGreaterEqual(len(files), 40)
        self.assertEqual({path.parent.name for path in files}, set(CATEGORIES))
        for category, fewest in (("breeders", 3), ("guns", 5)):
            self.assertGreaterEqual(len([*PATTERNS.glob(f"{category}/*.rle")]), fewest)
        for path in files:
            pattern = Pattern(path.read_text())
            kinds = {kind for kind, _ in pattern.promises}
            self.assertTrue(kinds & CATEGORIES[path.parent.name], path)
            self.assertRegex(pattern.origin, r"^(unknown|.+, (.*\b(19|20)\d\ds?|year unknown))$", path)
            if path.parent.name != "other-rules":
                self.assertEqual(pattern.rule, ({3}, {2, 3}), path)
            for kind, words in pattern.promises:
                self.assertTrue(kept(self, path, kind, words), f"{path}: {words}")

    def test_a_gun_sends_what_it_grows_by(self):
        for path in sorted(PATTERNS.glob("guns/*.rle")):
            text = path.read_text()
            gliders, every = re.search(r"Sends out (a glider|two gliders) every (\d+) generations", text).groups()
            cells = 5 if gliders == "a glider" else 10
            self.assertIn(f"population grows by {cells} every {every} generations.", text, path)

    def test_the_program_reads_what_was_checked(self):
        files = sorted(PATTERNS.rglob("*.rle"))
        for path, info in zip(files, json.loads(self.tessera("info", *files, "--json").stdout), strict=True):
            pattern = Pattern(path.read_text())
            self.assertEqual((info["name"], info["population"]), (pattern.name, len(pattern.cells)))
        self.assertEqual(len({Pattern(path.read_text()).name for path in files}), len(files))

    def test_the_first_four_too(self):
        for name in ("acorn", "r-pentomino"):
            path = PATTERNS / f"{name}.rle"
            for kind, words in Pattern(path.read_text()).promises:
                self.assertTrue(kept(self, path, kind, words), words)
        gun = PATTERNS / "gosper-gun.rle"
        self.assertTrue(kept(self, gun, "grows", ("", "", "5", "30")))
        self.assertTrue(kept(self, PATTERNS / "highlife-replicator.rle", "copies", ("", "12", "2")))

    def test_wrong_promises_are_seen(self):
        for name, kind, *words in (("oscillators/pulsar", "still"), ("oscillators/pulsar", "period", "6"), ("oscillators/pulsar", "period", "2"),
                                   ("still-lifes/block", "period", "1"), ("spaceships/glider", "moves", "2", "2", "8"),
                                   ("spaceships/glider", "moves", "1", "-1", "4"), ("oscillators/pulsar", "moves", "0", "0", "3"),
                                   ("gosper-gun", "grows", "", "4", "30"), ("gosper-gun", "grows", "", "5", "29"),
                                   ("oscillators/pulsar", "grows", "", "0", "3"), ("r-pentomino", "settles", "1100", "116"),
                                   ("r-pentomino", "settles", "1103", "117"), ("r-pentomino", "settles", "1110", "116"),
                                   ("gosper-gun", "spreads", "0", "5", "30"), ("gosper-gun", "spreads", "0", "0", "30"),
                                   ("breeders/max", "spreads", "2", "9", "4"), ("breeders/max", "spreads", "2", "8", "8"),
                                   ("breeders/max", "spreads", "0", "8", "4"), ("spaceships/glider", "copies", "4", "2"),
                                   ("highlife-replicator", "copies", "12", "3"), ("highlife-replicator", "copies", "11", "2")):
            self.assertFalse(kept(self, PATTERNS / f"{name}.rle", kind, ("", *words)), (name, kind, words))


if __name__ == "__main__":
    unittest.main()
