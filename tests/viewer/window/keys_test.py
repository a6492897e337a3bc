"""Real keys and a real mouse, which X sends: each key is down for 5 ms, much shorter than a frame."""

import json
import shutil
import subprocess
import time

from harness import BACKEND, GUN, PROGRAM, ViewerTest, driven, environment, needs

TAP = 10  # milliseconds per key: half of them down


class Live:
    """A viewer that shows frames until it is asked for its state, as `xdotool` drives it."""

    def __init__(self, test, *start, options=("--ui-scale", 1, "--window", "900x600")):
        self.test, self.steps = test, 0
        self.lines = []
        script = test.folder / "live"
        # As many states as a test may want; a viewer that is left ends before.
        script.write_text("wait\nstate\n" + "".join(f"until-file {test.folder}/go{i}\nwait\nstate\n" for i in range(40)))
        # Without a pattern or a rule it would show the gallery.
        words = [PROGRAM, *(start or ("--rule", "B3/S23")), "--backend", BACKEND, *options, "--script", script]
        self.process = subprocess.Popen([str(word) for word in words], cwd=test.folder, stdout=subprocess.PIPE, text=True,
                                        env=environment(test.folder))
        test.addCleanup(self.end)
        self.read()
        self.window = self.xdotool("search", "--onlyvisible", "--pid", self.process.pid).split()[0]
        self.xdotool("windowfocus", "--sync", self.window)

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], check=True, capture_output=True, text=True, timeout=30).stdout

    def read(self):
        state = json.loads(self.process.stdout.readline())
        driven.update(state["performed"])
        return state

    def state(self):
        """What the viewer says of itself after all that it was sent."""
        time.sleep(0.15)  # X hands events over in its own time
        (self.test.folder / f"go{self.steps}").touch()
        self.steps += 1
        return self.read()

    def keys(self, *names):
        self.xdotool("key", "--delay", TAP, *names)

    def type(self, text):
        self.xdotool("type", "--delay", TAP, text)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@needs("xdotool")
class Keys(ViewerTest):
    def test_the_gallery_is_gone_through_by_arrows(self):
        live = Live(self, "--pictures", "auto")
        self.assertEqual(live.state()["dialog"], 8)
        live.keys("Right", "Down", "Up", "Return")
        opened = live.state()
        self.assertEqual((opened["dialog"], opened["population"], opened["title"]), (0, 36, "gosper-gun.rle - Tessera"))
        live.keys("ctrl+b", "Escape")
        self.assertEqual(live.state()["dialog"], 0)

    def test_a_dialog_is_filled_in_by_keys_after_an_error_too(self):
        live = Live(self)
        live.keys("ctrl+shift+n")
        live.type("abc")
        live.keys("Return")
        wrong = live.state()
        self.assertEqual((wrong["dialog"], wrong["population"]), (4, 0))
        # The keyboard is where it was, and the text is selected.
        live.type("B3/S23:T40,30")
        live.keys("Tab")
        live.type("1")
        # From the last field by way of the buttons to the first one and on, then back to the seed.
        live.keys("Tab", "Tab", "Tab", "Tab", "Tab", "Tab")
        live.type("7")
        live.keys("Return")
        made = live.state()
        self.assertEqual((made["dialog"], made["rule"], made["population"]), (0, "B3/S23:T40,30", 1200))

    def test_escape_closes_every_dialog(self):
        live = Live(self, GUN)
        for keys, dialog in (("ctrl+o", 1), ("ctrl+shift+s", 2), ("ctrl+n", 3), ("ctrl+shift+n", 4), ("ctrl+g", 5), ("ctrl+u", 6),
                             ("ctrl+F12", 7), ("ctrl+b", 8), ("F1", 9)):
            live.keys(keys)
            opened = live.state()
            live.keys("Escape")
            closed = live.state()
            self.assertEqual((opened["dialog"], closed["dialog"]), (dialog, 0), keys)

    def test_every_question_is_answered_by_arrows_and_enter(self):
        live = Live(self)
        live.xdotool("mousemove", "--window", live.window, 200, 200, "click", 1)
        drawn = live.state()
        self.assertTrue(drawn["modified"])
        live.keys("ctrl+q")
        asked = live.state()
        live.keys("Right", "Right", "Return")
        kept = live.state()
        self.assertEqual((asked["dialog"], kept["dialog"], kept["modified"]), (10, 0, True))
        live.keys("ctrl+q", "Tab", "Return")
        self.assertEqual(live.process.wait(timeout=30), 0)

    def test_a_file_is_chosen_in_the_list_by_arrows(self):
        shutil.copy(GUN, self.folder / "gun.rle")
        live = Live(self)
        live.keys("ctrl+o", "ctrl+a")
        live.type(f"{self.folder}/")
        live.keys("Down", "Down", "Down", "Return")
        self.assertEqual(live.state()["population"], 36)

    def test_menus_are_walked_by_arrows_and_left_by_escape(self):
        live = Live(self, GUN)
        seen = live.state()["seen"]
        live.xdotool("mousemove", "--window", live.window, 25, 10, "click", 1)
        self.assertTrue(live.state()["menu"])
        live.keys("Down", "Down", "Return")
        chosen = live.state()
        self.assertEqual((chosen["menu"], chosen["seen"]), (False, seen))
        self.assertNotEqual(chosen["dialog"], 0)
        live.keys("Escape")
        live.xdotool("mousemove", "--window", live.window, 25, 10, "click", 1)
        live.keys("Escape")
        left = live.state()
        self.assertEqual((left["dialog"], left["menu"]), (0, False))

    def test_speed_and_step_size_have_keys_that_a_keyboard_has(self):
        live = Live(self)
        before = live.state()
        # '+' is typed with Shift on the keyboard that X has here.
        live.keys("plus", "equal", "minus", "shift+period", "shift+period", "shift+comma", "shift+plus")
        after = live.state()
        self.assertEqual((before["step"], after["step"], after["speed"] - before["speed"]), (1, 100, 1))
        live.keys("KP_Subtract", "KP_Subtract", "KP_Add")
        self.assertEqual(live.state()["step"], 10)

    def test_the_rules_are_searched_and_chosen_by_keys(self):
        live = Live(self, "--rule", "B3/S23:T60,50")
        live.keys("ctrl+u")
        live.type("B36/S2x")
        live.keys("Return")
        self.assertIn("not known", live.state()["dialog_error"])
        live.type("B3/S23:T40,30")
        # On to the search, where Enter takes the first rule into the field, and another confirms it.
        live.keys("Tab")
        live.type("corridors")
        live.keys("Return")
        self.assertEqual(live.state()["dialog"], 6)
        live.keys("Return")
        maze = live.state()
        self.assertEqual((maze["dialog"], maze["rule"]), (0, "B3/S12345:T40,30"))
        # From the search down into the list, where Enter takes what it is on.
        live.keys("ctrl+u", "Tab")
        live.type("maze")
        live.keys("Down", "Down", "Return")
        self.assertEqual(live.state()["rule"], "B3/S1234:T40,30")
        # The field, the search, Apply, Cancel, and round again; and back.
        live.keys("ctrl+u", "Tab", "Tab", "Tab", "Tab", "ctrl+a")
        live.type("B36/S23")
        live.keys("Tab", "Tab", "shift+Tab")
        live.type("day")
        live.keys("Return", "Return")
        self.assertEqual(live.state()["rule"], "B3678/S34678")
        live.keys("ctrl+u", "Tab", "Tab", "Tab", "Return")
        left = live.state()
        self.assertEqual((left["dialog"], left["rule"]), (0, "B3678/S34678"))

    @needs("ffmpeg")
    def test_pictures_and_replacing_go_by_keys(self):
        old = self.folder / "old.png"
        old.write_text("old")
        live = Live(self, GUN)
        live.keys("shift+F12", "ctrl+a")
        live.type(f"{self.folder}/none/a.png")
        live.keys("Return")
        self.assertIn("does not exist", live.state()["dialog_error"])
        live.keys("ctrl+a")
        live.type(str(old))
        live.keys("Return", "Return")  # Keep has the keyboard
        kept = live.state()
        self.assertEqual((kept["dialog"], old.read_text()), (11, "old"))
        live.keys("Return", "Escape")
        self.assertEqual((live.state()["dialog"], old.read_text()), (0, "old"))
        # On to the scale, down to the themes, to the light one, and further down to the button.
        live.keys("shift+F12", "ctrl+a")
        live.type(str(old))
        live.keys("Tab", "ctrl+a")
        live.type("1/7")
        live.keys("Down", "Right", "Return", "Down", "Down", "Down", "Return", "Left", "Return")
        saved = live.state()
        self.assertEqual(saved["dialog"], 0)
        self.assertIn("Saved", saved["message"])
        picture = old.read_bytes()
        self.assertEqual([int.from_bytes(picture[at:at + 4], "big") for at in (16, 20)], [7 * size for size in saved["seen"][2:]])
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", old, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, timeout=60,
                             capture_output=True).stdout
        self.assertIn(bytes.fromhex("fafaf8" * 6), raw)  # dead cells of the light theme

    def test_unsaved_work_is_saved_by_keys(self):
        live = Live(self)
        live.xdotool("mousemove", "--window", live.window, 200, 200, "click", 1)
        self.assertTrue(live.state()["modified"])
        live.keys("ctrl+q", "Escape")
        self.assertEqual(live.state()["dialog"], 0)
        live.keys("ctrl+q", "Return", "ctrl+a")
        self.assertEqual(live.state()["dialog"], 2)
        live.type("/nowhere/a.rle")
        live.keys("Return")
        self.assertIn("does not exist", live.state()["dialog_error"])
        live.keys("ctrl+a")
        live.type(f"{self.folder}/mine.rle")
        live.keys("Return")
        saved = live.state()
        self.assertEqual((saved["dialog"], saved["modified"], saved["title"]), (0, False, "mine.rle - Tessera"))
        self.assertTrue((self.folder / "mine.rle").exists())
        live.keys("ctrl+q")
        self.assertEqual(live.process.wait(timeout=30), 0)
