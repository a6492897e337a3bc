"""Opening, saving, recording, leaving."""

import json
import os
import pathlib
import shutil
import subprocess
import re

from harness import DARK, GUN, R_PENTOMINO, ViewerTest, chosen, click, entered, environment, key, needs, pushed


class Files(ViewerTest):
    def test_saved_by_dialog_and_dropped_again(self):
        steps = ["state"]
        for name in ("a.rle", "a.cells", "a.tsr", "a.png"):
            steps += [key("save-as"), "key Ctrl+A", f"text {self.folder}/{name}", "wait", "key Return", "wait"]
        for name in ("a.rle", "a.cells", "a.tsr"):
            steps += [f"drop {self.folder}/{name}", "wait", "state"]
        out = self.play(*steps, start=(GUN, "--gens", 17))
        self.assertEqual({s["population"] for s in out}, {out[0]["population"]})
        self.assertEqual((out[1]["hash"], out[3]["hash"]), (out[0]["hash"],) * 2)
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_open_by_dialog_and_save_again(self):
        shutil.copy(GUN, self.folder / "gun.rle")
        out = self.play(key("open"), "key Ctrl+A", f"text {self.folder}/gun.rle", "wait", "key Return", "wait", "state",
                        key("step-one"), "wait", key("save"), "wait", f"drop {self.folder}/gun.rle", "wait", "state")
        self.assertEqual((out[0]["population"], out[1]["generation"]), (36, 1))

    def test_a_file_without_a_name_is_neither_saved_nor_opened_nor_listed(self):
        config = self.folder / "config" / "tessera"
        config.mkdir(parents=True)
        (config / "viewer.json").write_text(json.dumps({"recent": ["", GUN]}))
        unnamed = ("key Ctrl+A", "key Backspace", "wait", "key Return", "wait", "state", key("cancel"), "wait")
        out = self.play(key("save-as"), *unnamed, key("open"), *unnamed, pushed("File"), "wait", "state", start=("--keep-settings", GUN))
        self.assertEqual([s["dialog"] for s in out], [2, 1, 0])
        self.assertEqual(out[2]["message"], "")

    def test_bad_files_are_told_and_change_nothing(self):
        (self.folder / "bad.rle").write_text("x = 3, y = 3\n2q!\n")
        out = self.play("state", f"drop {self.folder}/bad.rle", "wait", "state", f"drop {self.folder}/none.rle", "wait", "state",
                        key("save-as"), "key Ctrl+A", "text /nowhere/there.rle", "wait", "key Return", "wait", "state", start=(GUN,))
        self.assertEqual(len(set(self.hashes(out))), 1)
        self.assertIn("bad.rle:2:", out[1]["message"])
        self.assertIn("none.rle", out[2]["message"])
        self.assertEqual((out[3]["dialog"], out[3]["dialog_error"]), (2, "The folder /nowhere does not exist"))

    def test_a_file_that_cannot_be_opened_is_told_in_the_dialog_which_stays(self):
        (self.folder / "bad.rle").write_text("x = 3, y = 3\n2q!\n")
        (self.folder / "good.rle").write_text("x = 3, y = 1\n3o!\n")
        out = self.play("state", key("open"), entered(f"{self.folder}/none.rle"), "state", entered(f"{self.folder}/bad.rle"), "state",
                        entered(f"{self.folder}/good.rle"), "state", start=(GUN,))
        self.assertEqual([s["dialog"] for s in out], [0, 1, 1, 0])
        self.assertEqual(out[1]["dialog_error"], f"{self.folder}/none.rle: cannot open: No such file or directory")
        self.assertIn("bad.rle:2:", out[2]["dialog_error"])
        self.assertEqual({s["message"] for s in out}, {""})
        self.assertEqual([s["population"] for s in out], [36, 36, 36, 3])
        self.assertEqual(out[3]["title"], "good.rle - Tessera")

    def test_another_file_is_replaced_only_after_a_question(self):
        (self.folder / "old.rle").write_text("old")
        asked = (key("save-as"), entered(f"{self.folder}/old.rle"), "state")
        out = self.play(*asked, "key Return", "wait", "state", key("cancel"), "wait", *asked, pushed("Keep"), "wait", "state",
                        key("cancel"), "wait", *asked, "key Left", "key Return", "wait", "state", start=(GUN,))
        self.assertEqual([s["dialog"] for s in out], [2] * 5 + [0])
        self.assertEqual(out[4]["title"], "gosper-gun.rle - Tessera")
        self.assertEqual(out[5]["title"], "old.rle - Tessera")
        self.assertTrue((self.folder / "old.rle").read_text().startswith("#CXRLE"))

    def test_a_pattern_of_the_systems_is_saved_at_home(self):
        home = {**environment(self.folder), "HOME": str(self.folder / "home")}
        (self.folder / "home").mkdir()
        system = "/usr/share/golly/Patterns/Life/Guns/Cordership-gun-p784.rle"
        if not os.path.exists(system):
            self.skipTest("Golly's patterns are not installed")
        before = pathlib.Path(system).read_bytes()
        # Save asks where, and Save as offers the same.
        for save in (key("save"), key("save-as")):
            out = self.play(click(200, 200), "wait", save, "wait", "state", "key Return", "wait", "state", start=(system,), env=home)
            self.assertEqual([s["dialog"] for s in out], [2, 0])
            self.assertEqual((out[1]["title"], out[1]["modified"]), ("Cordership-gun-p784.rle - Tessera", False))
            (self.folder / "home" / "Cordership-gun-p784.rle").unlink()
        self.assertEqual(pathlib.Path(system).read_bytes(), before)
        # A new universe after it, too: never in the folder of the last file that was opened.
        self.play(key("new"), "key Return", "wait", click(200, 200), "wait", key("save"), "wait", "key Return", "wait",
                  start=(system,), env=home)
        self.assertEqual([p.name for p in (self.folder / "home").iterdir()], ["pattern.rle"])

    def test_the_title_names_what_was_saved(self):
        out = self.play(click(200, 200), "wait", "state", key("save"), "wait", entered(f"{self.folder}/mine.rle"), "state")
        self.assertEqual([s["title"] for s in out], ["* empty universe - Tessera", "mine.rle - Tessera"])

    def test_a_recording_that_cannot_be_written_never_begins(self):
        refused = []
        for name in ("gone/a.mp4", "a.txt", ""):
            refused += [key("record"), "wait", "key Ctrl+A", "key Delete", f"text {self.folder}/{name}", "wait", "key Return", "wait", "state",
                        key("cancel"), "wait"]
        out = self.play(*refused)
        self.assertEqual([(s["dialog"], s["recording"], s["message"]) for s in out], [(7, "", "")] * 3)
        self.assertEqual(out[0]["dialog_error"], f"The folder {self.folder}/gone does not exist")
        self.assertIn("the suffix names the format", out[1]["dialog_error"])
        self.assertEqual(out[2]["dialog_error"], "The name of a file is expected")

    def test_errors_are_said_in_the_dialogs_own_words(self):
        def refused(opened, text):
            return [opened, "wait", "key Ctrl+A", "key Delete", f"text {text}", "wait", "key Return", "wait", "state", key("cancel"),
                    "wait"]
        out = self.play(*refused(key("rule"), "B36/S2x"), *refused(key("go-to"), "soon"), *refused(key("new"), "B9/S"),
                        *refused(key("soup"), "Life"), *refused(key("save-as"), "/nowhere/a.rle"),
                        *refused(key("save-as"), f"{self.folder}/a.doc"))
        errors = [s["dialog_error"] for s in out]
        for error, words in zip(errors, ("Rule 'B36/S2x' is not known", "Generation: 'soon' is not", "at most 8 neighbours",
                                         "A soup needs a bounded universe", "The folder /nowhere does not exist",
                                         "The name's ending says the format")):
            self.assertIn(words, error)
            self.assertNotRegex(error, r"--|rule:|:1:|^[a-z]")

    def test_the_title_names_the_file_and_marks_edits(self):
        out = self.play("state", click(200, 200), "wait", "state", key("undo"), "wait", "state", start=(GUN,))
        self.assertEqual([s["title"] for s in out],
                         ["gosper-gun.rle - Tessera", "* gosper-gun.rle - Tessera", "gosper-gun.rle - Tessera"])

    def test_the_browser_shows_a_folder_and_opens_a_pattern(self):
        patterns = self.folder / "more" / "patterns"
        patterns.mkdir(parents=True)
        shutil.copy(GUN, patterns / "Gun.rle")
        (patterns / "bad.rle").write_text("x = 3, y = 3\n2q!\n")
        (patterns / "notes.txt").write_text("none")
        config = self.folder / "config" / "tessera"
        config.mkdir(parents=True)
        (config / "viewer.json").write_text(json.dumps({"pattern_folder": str(self.folder / "more")}))
        dead = DARK["dead"]
        out = self.play("state", key("browse"), "browsed", pushed("patterns/bad.rle"), "state",
                        pushed("patterns/Gun.rle"), "wait", "state", "text GUN", "wait",
                        pushed("Open pattern"), "wait", "state", "pixels 0 0 600 550",
                        start=("--keep-settings", "--rule", "B3/S23"))
        empty, bad, good, opened, pixels = out
        self.assertEqual((empty["population"], opened["population"], opened["dialog"]), (0, 36, 0))
        self.assertIn("bad.rle:2:", bad["card"])
        self.assertRegex(good["card"], r"Gosper.*: 36 x 9, 36 live, B3/S23")
        self.assertTrue(any(colour != dead for row in pixels for colour in row))
        self.assertEqual(opened["title"], "Gun.rle - Tessera")

    def test_screenshots_have_a_name_of_their_own_in_the_users_last_folder(self):
        own, home = self.folder / "own", self.folder / "home"
        own.mkdir()
        home.mkdir()
        env = {**environment(self.folder), "HOME": str(home)}
        out = self.play(key("screenshot"), "wait", key("save-as"), entered(f"{own}/a.rle"), key("screenshot"), "wait",
                        key("screenshot"), "wait", "state", "drop /usr/share/golly/Patterns/none.rle", "wait", key("screenshot"), "wait",
                        start=(GUN,), env=env)
        self.assertEqual([p.name for p in home.iterdir()], ["tessera.png"])
        self.assertEqual(sorted(p.name for p in own.iterdir()), ["a.rle", "tessera-2.png", "tessera-3.png", "tessera.png"])
        self.assertEqual(out[0]["message"], f"Saved {own}/tessera-2.png")
        self.assertEqual(list(self.folder.glob("*.png")), [])  # where the program was started

    @needs("ffmpeg")
    def test_a_recording_has_a_frame_for_every_generation(self):
        self.play(key("record"), "key Ctrl+A", f"text {self.folder}/a.gif", "wait", "key Return", "wait",
                  key("go-to"), "text 9", "wait", "key Return", "wait", key("record"), "wait", start=(GUN,))
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                                "a.gif"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        self.assertEqual(int(probe.strip().strip(",")), 10)

    def colours(self, name, width):
        """Rows of 0xRRGGBB of a picture, or of all frames of a video."""
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-vsync", "0", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], cwd=self.folder,
                             capture_output=True, check=True, timeout=60).stdout
        pixels = [int.from_bytes(raw[i:i + 3], "big") for i in range(0, len(raw), 3)]
        return [pixels[i:i + width] for i in range(0, len(pixels), width)]

    @needs("ffmpeg")
    def test_a_picture_is_what_the_window_shows(self):
        out = self.play(key("zoom-one"), key("history"), "wait", key("go-to"), entered("90"), "state", "pixels 0 0 600 400",
                        key("picture"), entered(f"{self.folder}/a.png"), "state", start=(R_PENTOMINO,))
        saved = self.colours("a.png", out[0]["view"][0])
        self.assertEqual(len(saved), out[0]["view"][1])
        self.assertEqual([row[:600] for row in saved[:400]], out[1])
        self.assertGreater(len({colour for row in out[1] for colour in row}), 10)
        self.assertIn("Saved", out[2]["message"])

    @needs("ffmpeg")
    def test_a_recording_has_the_look_that_was_chosen(self):
        self.play(key("record"), "key Ctrl+A", f"text {self.folder}/a.gif", pushed("light"), pushed("Picture's grid lines"), pushed("Record"), "wait",
                  key("record"), "wait", "state", start=(GUN,))
        state = self.play("state", start=(GUN,))[0]
        (cells, pixels), seen = state["scale"], state["seen"]
        self.assertGreaterEqual(pixels, 6)
        frame = self.colours("a.gif", seen[2] * pixels)
        self.assertEqual(len(frame), seen[3] * pixels)
        # Without lines, which the window has: only live cells and dead ones.
        self.assertEqual({colour for row in frame for colour in row}, {0xfafaf8, 0x181c24})
        self.assertEqual(sum(row.count(0x181c24) for row in frame), 36 * pixels ** 2)

    @needs("ffmpeg")
    def test_a_recording_at_another_scale_repeats_for_ever(self):
        out = self.play("state", key("record"), "key Ctrl+A", f"text {self.folder}/a.gif", "wait", "key Tab", "wait", "key Ctrl+A", "text 1/3",
                        pushed("Picture's grid lines"), "wait", pushed("Record"), "wait", key("step-one"), "wait", key("record"), "wait", "state", start=(GUN,))
        width, height = (3 * size for size in out[0]["seen"][2:])
        self.assertNotEqual(out[0]["scale"], [1, 3])
        video = (self.folder / "a.gif").read_bytes()
        self.assertEqual((int.from_bytes(video[6:8], "little"), int.from_bytes(video[8:10], "little")), (width, height))
        self.assertIn(b"NETSCAPE2.0\x03\x01\x00\x00\x00", video)  # so many times, which means without end
        frames = self.colours("a.gif", width)
        self.assertEqual(len(frames), 2 * height)
        live = [sum(row.count(DARK["alive"]) for row in part) for part in (frames[:height], frames[height:])]
        self.assertEqual(live, [9 * 36, 9 * out[1]["population"]])

    def test_pictures_that_cannot_be_made_are_refused_in_the_dialog(self):
        out = self.play(key("picture"), entered(f"{self.folder}/a.jpg"), "state", entered(f"{self.folder}/a.png"), "state",
                        start=(GUN,))
        self.assertEqual([s["dialog"] for s in out], [11, 0])
        self.assertIn(".png", out[0]["dialog_error"])

    @needs("ffmpeg")
    def test_pictures_and_recordings_replace_files_only_after_a_question(self):
        for action, name, begin, left in (("picture", "old.png", b"\x89PNG", ()), ("record", "old.gif", b"GIF8", (key("record"), "wait"))):
            file = self.folder / name
            file.write_text("old")
            asked = (key(action), entered(str(file)), "state")
            out = self.play(*asked, pushed("Keep"), "wait", "state", key("cancel"), "wait", "state", start=(GUN,))
            self.assertEqual([s["dialog"] > 0 for s in out], [True, True, False])
            self.assertEqual(file.read_text(), "old")
            out = self.play(*asked, pushed("Replace"), "wait", "state", *left, start=(GUN,))
            self.assertEqual(out[1]["dialog"], 0)
            self.assertTrue(file.read_bytes().startswith(begin), name)

    def test_recording_without_ffmpeg_is_told(self):
        env = {**environment(self.folder), "PATH": str(self.folder)}
        out = self.play(key("record"), "key Ctrl+A", f"text {self.folder}/a.mp4", "wait", "key Return", "wait", "state", env=env)
        self.assertIn("ffmpeg, which is not installed", out[0]["dialog_error"])
        self.assertEqual((out[0]["dialog"], out[0]["recording"], out[0]["message"]), (7, "", ""))

    def test_leaving_with_unsaved_edits_asks(self):
        out = self.play(click(200, 200), "wait", key("quit"), "wait", "state", "point Cancel", "press left", "release left", "wait",
                        "state", key("undo"), "wait", "state", key("quit"), "wait", "state")
        self.assertEqual([s["dialog"] for s in out], [10, 0, 0])

    def test_escape_closes_a_menu(self):
        out = self.play(pushed("Edit"), "wait", "state", key("cancel"), "wait", "state")
        self.assertEqual([s["menu"] for s in out], [True, False])

    def test_the_toolbar_does_what_keys_do(self):
        def clicked(title):
            return f"{pushed(f'toolbar {title}')}\nwait"
        out = self.play(clicked("Step"), "state", clicked("Back"), "state", clicked("Select"), "state", clicked("Undo"), "state",
                        clicked("Redo"), "state", pushed("toolbar Run"), "until 5", clicked("Pause"), "state", start=(GUN,))
        self.assertEqual([s["generation"] for s in out[:2]], [1, 0])
        self.assertEqual(out[2]["tool"], 1)
        self.assertEqual([s["redo"] for s in out[3:5]], ["Generations", ""])
        self.assertFalse(out[5]["running"])
        self.assertGreaterEqual(out[5]["generation"], 5)

    def test_menus_do_what_keys_do(self):
        out = self.play("state", chosen("step-one"), "wait", "state", chosen("theme"), "wait", "state", chosen("undo"), "wait",
                        "state", start=(GUN,))
        self.assertEqual([s["generation"] for s in out], [0, 1, 1, 0])
        self.assertEqual(out[2]["theme"], "light")
