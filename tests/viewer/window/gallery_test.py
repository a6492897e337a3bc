"""The pattern browser: a start without a pattern shows the gallery, with pictures, by mouse and by keys."""

import json
import pathlib
import shutil

from harness import PATTERNS, PROGRAM, ViewerTest, key, pushed

BROWSER = 8  # the dialog's number
ALIVE = 0xf0f6fc
BLOCKS = "x = 8, y = 8, rule = B3/S23\n8o$8o$8o$8o$8o$8o$8o$8o!\n"


class Gallery(ViewerTest):
    def settings(self, **values):
        folder = self.folder / "config" / "tessera"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "viewer.json").write_text(json.dumps(values))

    def patterns(self, **files):
        """A folder of patterns that the browser shows."""
        folder = self.folder / "patterns"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.rle").write_text(text)
        self.settings(pattern_folder=str(folder))

    def test_a_start_without_a_pattern_shows_the_gallery(self):
        out = self.play("browsed", "state", "point Still lifes", "point Guns", "point acorn.rle", pushed("gosper-gun.rle"), "wait", "state",
                        pushed("Open pattern"), "wait", "state", start=())
        self.assertEqual([s["dialog"] for s in out], [BROWSER, BROWSER, 0])
        self.assertEqual([s["population"] for s in out], [0, 0, 36])
        self.assertIn("Acorn", out[0]["card"])
        self.assertIn("Gosper glider gun: 36 x 9", out[1]["card"])

    def test_whoever_asks_for_something_gets_that(self):
        for start in ((PATTERNS / "acorn.rle",), ("--rule", "B36/S23"), ("--soup", 0.5, "--size", "64x64")):
            self.assertEqual(self.play("state", start=start)[0]["dialog"], 0)

    def test_keys_choose_open_and_leave(self):
        self.patterns(a="x = 1, y = 1\no!\n", b="x = 2, y = 1\n2o!\n", c="x = 3, y = 1\n3o!\n")
        out = self.play("browsed", "key Right", "state", "key Right", "state", "key Right", "state", "key Left", "state", "key Down", "state",
                        "key Up", "state", "key Right", "key Return", "wait", "state", start=("--keep-settings",))
        cards = [s["card"].split(",")[1].strip() for s in out[:6]]
        self.assertEqual(cards, ["2 live", "3 live", "3 live", "2 live", "3 live", "1 live"])
        self.assertEqual((out[6]["dialog"], out[6]["population"]), (0, 2))
        out = self.play("browsed", "key Escape", "wait", "state", start=("--keep-settings",))
        self.assertEqual((out[0]["dialog"], out[0]["population"]), (0, 0))

    def test_a_filter_finds_names_in_every_folder(self):
        out = self.play("browsed", pushed("Guns"), "text COPPER", "browsed", "state", "key Return", "wait", "state", start=())
        self.assertIn("Copperhead", out[0]["card"])
        self.assertEqual((out[1]["dialog"], out[1]["population"]), (0, 28))

    def test_arrows_leave_the_keyboard_to_the_filter(self):
        out = self.play("browsed", "text gun", "browsed", "key Down", "browsed", "key Up", "browsed", "state", "text zz", "browsed", "state",
                        "key Backspace", "key Backspace", "browsed", "key Down", "key Up", "key Return", "wait", "state", start=())
        self.assertIn("Gosper glider gun", out[0]["card"])
        self.assertNotIn("card", out[1])  # nothing is found
        self.assertEqual((out[2]["dialog"], out[2]["population"]), (0, 36))

    def test_every_pattern_has_a_picture(self):
        self.patterns(block=BLOCKS)
        # One cell is a square of ten units in a card of 96.
        out = self.play("browsed", "pixels 0 0 890 550", "key Escape", "wait", "pixels 0 0 890 550", start=("--keep-settings",))
        bright = [sum(row.count(ALIVE) for row in rows) for rows in out]
        self.assertEqual(bright, [80 * 80, 0])
        wide = [row for row in out[0] if ALIVE in row]
        self.assertEqual(len(wide), 80)

    def test_what_cannot_be_opened_is_last_with_the_reason(self):
        self.patterns(a="x = 3, y = 3\n2q!\n", b=BLOCKS, c="x = 1, y = 1, rule = B3/S23:S5,6\no!\n")
        out = self.play("browsed", "state", "key Right", "state", "key Return", "wait", "state", "key Right", "state",
                        start=("--keep-settings",))
        self.assertIn("64 live", out[0]["card"])
        self.assertTrue(out[1]["card"].startswith("a.rle:2:"), out[1]["card"])
        self.assertEqual((out[2]["dialog"], out[2]["population"]), (BROWSER, 0))
        self.assertIn("sphere", out[3]["card"])

    def test_who_does_not_want_it_at_the_start_says_so_once(self):
        out = self.play("browsed", pushed("Show at the start"), "key Escape", "wait", start=("--keep-settings",))
        self.assertEqual(out, [])
        out = self.play("state", key("browse"), "browsed", "state", start=("--keep-settings",))
        self.assertEqual([s["dialog"] for s in out], [0, BROWSER])

    def test_an_installed_program_finds_its_patterns(self):
        installed = self.folder / "usr"
        (installed / "bin").mkdir(parents=True)
        shutil.copy(PROGRAM, installed / "bin")
        (installed / "share" / "tessera" / "patterns" / "odd").mkdir(parents=True)
        (installed / "share" / "tessera" / "patterns" / "odd" / "one.rle").write_text("x = 1, y = 1\no!\n")
        out = self.play("browsed", "point Odd", "state", start=(), program=installed / "bin" / pathlib.Path(PROGRAM).name)
        self.assertIn("1 live", out[0]["card"])
