"""Pictures and videos in colours: --theme, --colours, --grid-lines and --scale beside a reference that shares no code with the
program: cells as sets, ages counted cell by cell, the themes' colours written down once more."""

import collections
import itertools
import math
import subprocess
import unittest

from program import R_PENTOMINO, ProgramTest, needs, read_colours

# Stops of each theme: densities, live cells by age, trails; each is (place, (red, green, blue)). Then the two kinds of grid lines.
THEMES = {
    "dark": ([(0, (13, 17, 23)), (0.5, (88, 166, 255)), (1, (240, 246, 252))],
             [(0, (255, 250, 224)), (0.12, (255, 214, 90)), (0.3, (247, 129, 60)), (0.5, (219, 61, 106)), (0.75, (132, 76, 190)),
              (1, (64, 84, 178))],
             [(0, (17, 22, 31)), (0.5, (24, 38, 66)), (1, (44, 74, 120))], (0x21, 0x26, 0x2d), (0x30, 0x36, 0x3d)),
    "light": ([(0, (250, 250, 248)), (1, (24, 28, 36))],
              [(0, (214, 64, 32)), (0.3, (214, 140, 20)), (0.6, (38, 139, 160)), (1, (26, 50, 110))],
              [(0, (244, 244, 240)), (1, (205, 216, 226))], (0xe4, 0xe4, 0xe0), (0xca, 0xca, 0xc4)),
    "phosphor": ([(0, (4, 12, 6)), (0.6, (40, 190, 90)), (1, (190, 255, 200))],
                 [(0, (235, 255, 235)), (0.3, (110, 255, 140)), (1, (24, 130, 60))],
                 [(0, (5, 17, 8)), (1, (12, 66, 32))], (0x0b, 0x24, 0x12), (0x14, 0x40, 0x1f)),
}
PENTOMINO = {(1, 0), (2, 0), (0, 1), (1, 1), (1, 2)}


def between(stops, at):
    for (low, a), (high, b) in itertools.pairwise(stops):
        if at <= high:
            share = (at - low) / (high - low)
            return tuple(math.floor(p + share * (q - p) + 0.5) for p, q in zip(a, b))
    return stops[-1][1]


def density_colour(theme, live, area):
    """A live cell is never darker than three tenths of the way to full."""
    stops = THEMES[theme][0]
    grey = max(1, (live * 255 + area // 2) // area)
    return between(stops, 0.3 + 0.7 * math.sqrt(grey / 255)) if live else stops[0][1]


def age_colour(theme, age):
    """Generations alive above 0, generations since the death below, 0 for no history; in steps that are even in the logarithm."""
    if age > 0:
        return between(THEMES[theme][1], math.floor(math.log2(age) / math.log2(4095) * 191 + 0.5) / 191)
    if age < 0:
        return between(THEMES[theme][2], (62 - math.floor(math.log2(-age) / 8 * 62 + 0.5)) / 62)
    return THEMES[theme][0][0][1]


def stepped(cells):
    around = collections.Counter((x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {at for at, count in around.items() if count == 3 or count == 2 and at in cells}


def ages_after(cells, generations, pixel_of=lambda at: at):
    """The cells, and how long each pixel has lived, or been dead."""
    ages = {}
    for generation in range(generations + 1):
        if generation:
            cells = stepped(cells)
        live = set(map(pixel_of, cells))
        for at in live | set(ages):
            age = ages.get(at, 0)
            ages[at] = max(age, 0) + 1 if at in live else -1 if age > 0 else age - 1 if age else 0
    return cells, ages


def expected(view, scale, colour_of, lines=None):
    """Rows of colours of a view of pixels, each `scale` wide, with lines at the left and the top of each."""
    left, top, width, height = view
    rows = []
    for y, x in itertools.product(range(height * scale), range(width * scale)):
        column, row = left + x // scale, top + y // scale
        edges = [at for at, inside in ((column, x % scale), (row, y % scale)) if inside == 0]
        colour = colour_of((column, row))
        if lines and edges:
            colour = lines[any(at % 10 == 0 for at in edges)]
        rows.append(colour)
    return [rows[y * width * scale:(y + 1) * width * scale] for y in range(height * scale)]


class PicturesTest(ProgramTest):
    def last_frame(self, *words, generation):
        self.tessera("run", R_PENTOMINO, "--gens", generation, "--frames", "f", "--every", max(generation, 1), "--quiet", *words)
        return read_colours(self.folder / f"f/frame-{generation:09}.png")

    def test_every_theme_colours_cells_and_lines(self):
        cells = PENTOMINO
        for _ in range(9):
            cells = stepped(cells)
        view = (-12, -9, 25, 20)
        for theme, (stops, _, _, line, tenth) in THEMES.items():
            seen = self.last_frame("--theme", theme, "--scale", "1/7", "--grid-lines", "--view", "-12,-9,25x20", generation=9)
            want = expected(view, 7, lambda at: stops[-1][1] if at in cells else stops[0][1], (line, tenth))
            self.assertEqual(seen, want, theme)

    def test_several_cells_a_pixel_are_as_bright_as_in_the_window(self):
        cells = PENTOMINO
        for _ in range(60):
            cells = stepped(cells)
        for theme in THEMES:
            counts = collections.Counter((x // 4, y // 4) for x, y in cells)
            seen = self.last_frame("--theme", theme, "--scale", "4", "--view", "-40,-40,80x80", generation=60)
            self.assertEqual(seen, expected((-10, -10, 20, 20), 1, lambda at: density_colour(theme, counts[at], 16)), theme)
        self.assertGreater(len(set(counts.values())), 3)

    def test_ages_and_trails_of_every_generation(self):
        cells, ages = ages_after(PENTOMINO, 120)
        self.assertGreater(max(ages.values()), 10)
        self.assertLess(min(ages.values()), -20)
        for theme, (_, _, _, line, tenth) in THEMES.items():
            words = ("--theme", theme, "--colours", "age", "--view", "-20,-20,40x40", "--scale")
            want = lambda at: age_colour(theme, ages.get(at, 0))
            self.assertEqual(self.last_frame(*words, "1/2", generation=120), expected((-20, -20, 40, 40), 2, want))
            self.assertEqual(self.last_frame(*words, "1/6", "--grid-lines", generation=120),
                             expected((-20, -20, 40, 40), 6, want, (line, tenth)))

    def test_a_pixel_of_several_cells_lives_while_one_of_them_does(self):
        _, ages = ages_after(PENTOMINO, 50, lambda at: (at[0] // 3, at[1] // 3))
        seen = self.last_frame("--colours", "age", "--scale", "3", "--view", "-30,-30,60x60", generation=50)
        self.assertEqual(seen, expected((-10, -10, 20, 20), 1, lambda at: age_colour("dark", ages.get(at, 0))))

    def test_a_picture_of_the_last_generation_is_a_frame(self):
        size = ("--view", "-9,-9,30x20", "--scale", "1/3", "--quiet")
        for words in (size, ("--scale", "8", "--quiet"), ("--colours", "age", *size)):
            self.tessera("run", R_PENTOMINO, "--gens", 25, "--out", "a.png", "--out", "a.rle", *words)
            self.tessera("run", R_PENTOMINO, "--gens", 25, "--frames", "f", "--every", 25, *words)
            self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "f/frame-000000025.png").read_bytes())
        self.assertEqual(len(read_colours(self.folder / "a.png")[0]), 90)
        self.assertIn("B3/S23", (self.folder / "a.rle").read_text())


class VideosTest(ProgramTest):
    def frames(self, name, width, height):
        """Rows of colours of every frame."""
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.folder / name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                             capture_output=True, check=True, timeout=60).stdout
        self.assertEqual(len(raw) % (3 * width * height), 0)
        pixels = [tuple(raw[i:i + 3]) for i in range(0, len(raw), 3)]
        rows = [pixels[i:i + width] for i in range(0, len(pixels), width)]
        return [rows[i:i + height] for i in range(0, len(rows), height)]

    @needs("ffmpeg")
    def test_a_gif_repeats_for_ever_in_exact_colours(self):
        self.tessera("run", R_PENTOMINO, "--gens", 12, "--video", "a.gif", "--fps", 20, "--theme", "light", "--colours", "age",
                     "--grid-lines", "--scale", "1/7", "--view", "-5,-6,13x11", "--quiet")
        data = (self.folder / "a.gif").read_bytes()
        self.assertIn(b"NETSCAPE2.0\x03\x01\x00\x00\x00", data)
        frames = self.frames("a.gif", 91, 77)
        self.assertEqual(len(frames), 13)
        for generation in (0, 7, 12):
            _, ages = ages_after(PENTOMINO, generation)
            want = expected((-5, -6, 13, 11), 7, lambda at: age_colour("light", ages.get(at, 0)), THEMES["light"][3:])
            self.assertEqual(frames[generation], want)

    @needs("ffmpeg")
    def test_videos_keep_the_colours_within_what_codecs_lose(self):
        for theme in THEMES:
            self.tessera("run", R_PENTOMINO, "--gens", 3, "--video", "a.mp4", "--theme", theme, "--scale", "1/16", "--view",
                         "-3,-3,10x9", "--quiet")
            frames = self.frames("a.mp4", 160, 144)
            cells = PENTOMINO
            for frame in frames:
                for x, y in itertools.product(range(10), range(9)):
                    stops = THEMES[theme][0]
                    want = (stops[-1] if (x - 3, y - 3) in cells else stops[0])[1]
                    seen = frame[16 * y + 8][16 * x + 8]
                    self.assertLess(max(abs(a - b) for a, b in zip(seen, want)), 12, (theme, x, y, seen, want))
                cells = stepped(cells)


if __name__ == "__main__":
    unittest.main()
