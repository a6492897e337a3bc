"""What goes wrong, and random events."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import unittest

from harness import ACTIONS, BACKEND, GUN, PATTERNS, PROGRAM, ViewerTest, click, entered, environment, key, pushed

SANITIZER = 97  # exit code of a program that a sanitizer has ended, by the preset


class Robust(ViewerTest):
    def test_bad_command_lines(self):
        for words, said in ((("--rule", "B3/S2x"), "--rule"), (("nothing.rle",), "nothing.rle"), (("--window", "0x5"), "--window"),
                            (("--script", "none"), "--script none"), (("--ui-scale", "x"), "--ui-scale"),
                            (("--resume", GUN), "checkpoint"), (("--soup", "0.5"), "--soup"), (("--backend", "abacus"), "abacus")):
            done = self.start(*words, code=2)
            self.assertRegex(done.stderr, r"\Atessera: [^\n]+\n\Z")
            self.assertIn(said, done.stderr)

    def test_the_guide_tells_every_key(self):
        guide = (PATTERNS.parents[1] / "docs/guide.md").read_text(encoding="utf-8")
        for menu in {menu for menu, _, _ in ACTIONS.values()}:
            told = re.search(rf"^\| {menu} \| (.*) \|$", guide, re.M)[1].split(", ")
            keys = [f"{title.rstrip('.').lower()} `{key.lower()}`" for in_menu, title, key in ACTIONS.values() if in_menu == menu]
            self.assertEqual([each.lower() for each in told], keys)

    def test_undoing_in_a_field_whose_text_is_another_changes_nothing(self):
        out = self.play(key("go-to"), "text 000000000012", "wait", "key Return", "wait", "state", key("go-to"), "wait",
                        *["key Ctrl+Z"] * 13, "key Return", "wait", "state")
        self.assertEqual([(s["generation"], s["dialog"]) for s in out], [(12, 0), (12, 0)])

    def test_without_a_display(self):
        env = environment(self.folder)
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        done = self.start(code=1, env=env)
        self.assertRegex(done.stderr, r"\Atessera: no window can be opened[^\n]+\n\Z")

    def test_without_a_display_nothing_runs_unseen(self):
        env = environment(self.folder)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR"):
            env.pop(name, None)
        done = self.start(code=1, env=env)
        self.assertRegex(done.stderr, r"\Atessera: no window can be opened[^\n]+\n\Z")

    def stopped(self, *steps, start=(), by=signal.SIGTERM):
        """Plays steps, then sends a signal; returns the exit code and what was said."""
        (self.folder / "endless").write_text("\n".join(("wait", *steps, "wait", "state", f"until-file {self.folder}/never")) + "\n")
        env = environment(self.folder)
        words = [PROGRAM, *start, "--backend", BACKEND, "--ui-scale", "1", "--window", "900x600", "--script", "endless"]
        with subprocess.Popen(words, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as viewer:
            self.addCleanup(viewer.kill)
            viewer.stdout.readline()
            viewer.send_signal(by)
            said = viewer.communicate(timeout=60)[1]
        return viewer.returncode, said

    def test_a_signal_ends_it_and_keeps_unsaved_work(self):
        code, said = self.stopped(click(200, 200), "wait", click(220, 200), start=(GUN,))
        kept = list((self.folder / "state/tessera").iterdir())
        self.assertEqual((code, len(kept)), (143, 1))
        self.assertRegex(said, rf"\Atessera-viewer: unsaved work is kept in {re.escape(str(kept[0]))}; [^\n]+\n\Z")
        env = environment(self.folder)
        told, opened, again = self.play("state", key("recover"), "wait", "state", key("undo"), key("recover"), "wait", "state",
                                        start=("--keep-settings",), env=env)
        self.assertIn("Recover unsaved work", told["message"])
        self.assertEqual((opened["population"], opened["modified"]), (38, True))
        self.assertEqual(again["population"], 0)  # it is offered once
        self.assertEqual([p.name for p in kept[0].parent.iterdir()], ["recovered.tsr"])

    def test_a_signal_keeps_nothing_where_nothing_is_lost(self):
        self.assertEqual(self.stopped(start=(GUN,)), (143, ""))
        self.assertEqual(self.stopped(by=signal.SIGINT), (130, ""))
        self.assertFalse((self.folder / "state").exists())

    def test_frames_are_measured(self):
        done = self.start("--soup", 0.4, "--size", "512x512", "--backend", "cpu", "--bench-frames", 40)
        report = json.loads(done.stdout)
        self.assertEqual(report["frames"], 40)
        self.assertGreater(report["with_drawing"]["generations_per_second"], 0)
        # At most 60 frames per second; half of them take the median or more, none takes longer than all.
        self.assertLessEqual(report["frames_per_second"], 60)
        milliseconds = 1000 * report["with_drawing"]["seconds"]
        for part in ("frame_ms", "show_ms"):
            self.assertGreater(report[part]["p50"], 0, part)
            self.assertLess(20 * report[part]["p50"], milliseconds, part)
            self.assertLess(report[part]["max"], milliseconds, part)
        self.assertLess(report["show_ms"]["max"], report["frame_ms"]["max"])
        self.assertGreater(report["pictures"], 0)

    def test_a_lost_device_loses_no_cell(self):
        gun = (GUN, "--backend", "faulty", "--kernel", "burning")
        out = self.play("state", click(200, 200), "wait", "state", key("step-one"), "wait", "state", key("step-one"), "wait", "state",
                        start=gun, backend=(), program=os.environ["FAULTY_VIEWER"])
        start, drawn, rescued, after = out
        self.assertEqual((start["kernel"], drawn["population"]), ("reference", 37))
        self.assertEqual(rescued["message"], "the device is on fire; the simulation is back at generation 0, on the CPU")
        self.assertEqual((rescued["hash"], rescued["running"]), (drawn["hash"], False))
        self.assertNotEqual(rescued["kernel"], "reference")
        self.assertTrue(rescued["modified"])
        self.assertEqual(after["generation"], 1)

    def test_an_edit_that_is_stepped_at_once_outlives_the_device(self):
        soup = ("--soup", 0.4, "--size", "3000x2000", "--backend")
        flipped = key("select-all") + "\n" + key("flip-x")
        edited = self.play(flipped, "wait", "state", start=(*soup, "cpu"), backend=())[0]
        kept, rescued = self.play("state", flipped, key("step-one"), "wait", "state", start=(*soup, "faulty", "--kernel", "burning"),
                                  backend=(), program=os.environ["FAULTY_VIEWER"])
        self.assertIn("back at generation 0, on the CPU", rescued["message"])
        self.assertEqual(rescued["hash"], edited["hash"])
        self.assertNotEqual(kept["hash"], edited["hash"])

    def test_pictures_that_opengl_refuses_come_by_way_of_the_host(self):
        out = self.play("state", "pixels 0 0 400 300", key("step-one"), "wait", "state", "pixels 0 0 400 300",
                        start=("--soup", 0.4, "--size", "500x400", "--backend", "faulty", "--kernel", "tiring"), backend=(),
                        program=os.environ["FAULTY_VIEWER"])
        right = self.play("pixels 0 0 400 300", key("step-one"), "wait", "pixels 0 0 400 300",
                          start=("--soup", 0.4, "--size", "500x400", "--backend", "cpu"), backend=())
        self.assertEqual([out[0]["pictures"], out[2]["pictures"]], ["host", "host"])
        self.assertTrue([out[1], out[3]] == right)

    def test_a_full_disk_is_told_and_nothing_is_lost(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        (self.folder / "old.rle").write_text("old")
        out = self.play("state", key("save-as"), entered(f"{self.folder}/old.rle"), pushed("Replace"), "wait", "state",
                        key("cancel"), "wait", key("screenshot"), "wait", "wait", "state", key("clear-all"), "wait", key("undo"), "wait", "state",
                        start=("--soup", 0.5, "--size", "500x500"), preexec_fn=small_files)
        self.assertIn("old.rle: cannot write", out[1]["dialog_error"])
        self.assertIn("tessera.png: cannot write", out[2]["message"])
        self.assertEqual({s["hash"] for s in out}, {out[0]["hash"]})
        self.assertEqual((self.folder / "old.rle").read_text(), "old")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"config", "old.rle", "script"} & set(os.listdir(self.folder)))

    def test_settings_survive_a_restart(self):
        config = self.folder / "config" / "tessera" / "viewer.json"
        config.parent.mkdir(parents=True)
        config.write_text("{ not json")
        told = self.restart(key("theme"), key("grid"), key("panel"), key("paste-mode"), key("slower"), key("step-more"))
        self.assertIn("viewer.json: this is not a settings file", told[0]["message"])
        again = self.restart()[0]
        self.assertEqual((again["theme"], again["grid"], again["panel"], again["paste_mode"], again["speed"], again["step"]),
                         ("light", False, False, "xor", 4, 10))
        self.assertEqual(again["message"], "")

    def restart(self, *steps):
        """Plays steps with the settings that the last time left; returns what `state` printed at first."""
        return self.play("state", *steps, "wait", start=("--keep-settings", GUN))


class RandomInput(ViewerTest):
    def test_random_events(self):
        """A crash, a leak or undefined behaviour ends the program with another code under the sanitizers."""
        env = environment(self.folder)
        # Random input also picks devices, and a step of a million generations by a software Vulkan takes minutes.
        if BACKEND == "cpu":
            env["VK_DRIVER_FILES"] = env["VK_ICD_FILENAMES"] = str(self.folder / "no-driver.json")
        # It also opens patterns and saves beside them: copies, which the viewer finds by where it is itself.
        program = self.folder / "bin" / "tessera-viewer"
        program.parent.mkdir()
        shutil.copy2(PROGRAM, program)
        shutil.copytree(PATTERNS, self.folder / "share" / "tessera" / "patterns")
        golly = pathlib.Path("/usr/share/golly/Patterns")
        if golly.is_dir():
            shutil.copytree(golly, self.folder / "share" / "golly" / "Patterns")
        env["XDG_DATA_HOME"] = env["XDG_DATA_DIRS"] = str(self.folder / "share")
        # And kernels that have no tiles: a generation of a box around gliders far apart would take seconds.
        self.start("--soup", 0.3, "--size", "200x150", "--backend", BACKEND, "--max-memory", "64M", "--monkey",
                   os.environ.get("TESSERA_EVENTS", "1000"), "--window", "480x360", env=env, program=program, deadline=800)

    @unittest.skipUnless("address" in os.environ.get("TESSERA_SANITIZE", ""), "this build does not look for leaks")
    def test_a_leak_of_the_program_is_found(self):
        done = self.start("--soup", 0.3, "--size", "64x64", "--backend", "faulty", "--kernel", "leaking", "--monkey", 5,
                          program=os.environ["FAULTY_VIEWER"], code=SANITIZER)
        self.assertIn("LeakSanitizer: detected memory leaks", done.stderr)
        self.assertRegex(done.stderr, r"faulty_drivers\.cpp")
