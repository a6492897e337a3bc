"""The smaller subcommands, --help, --version, and the progress bar."""

import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from program import ACORN, DEADLINE, GUN, PROGRAM, ProgramTest, usual_signals


class DevicesTest(ProgramTest):
    def test_every_backend_is_listed_with_kernels_or_a_reason(self):
        backends = json.loads(self.tessera("devices", "--json").stdout)["backends"]
        self.assertEqual({each["backend"] for each in backends}, {"cpu", "cuda", "vulkan"})
        text = self.tessera("devices").stdout
        for each in backends:
            self.assertEqual(list(each), ["backend", "devices", "kernels", "batch_kernels", "missing"])
            self.assertEqual(each["missing"] is None, bool(each["devices"]))
            if each["missing"]:
                self.assertIn(each["missing"], text)
                continue
            self.assertEqual([kernel["default"] for kernel in each["kernels"]].count(True), 1)
            for device in each["devices"]:
                self.assertEqual(list(device), ["index", "name", "memory", "software", "properties"])
                self.assertIn(f"{each['backend']}:{device['index']}  {device['name']}", text)
            for kernel in each["kernels"]:
                self.assertEqual(list(kernel), ["name", "default", "summary", "tuning"])
                self.assertRegex(text, rf"\n    {re.escape(kernel['name'])} .*{re.escape(kernel['summary'])}\n")
        cpu = next(each for each in backends if each["backend"] == "cpu")
        self.assertIn("reference", [kernel["name"] for kernel in cpu["kernels"]])
        self.assertGreater(cpu["devices"][0]["memory"], 0)


class RulesTest(ProgramTest):
    def test_named_rules_are_listed_and_found(self):
        rules = json.loads(self.tessera("rules", "--json").stdout)["rules"]
        life = rules[0]
        self.assertEqual((list(life), life["name"], life["rule"]), (["name", "rule", "names", "note"], "Life", "B3/S23"))
        self.assertIn("Conway", life["names"])
        lines = self.tessera("rules").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["name", "rule", "what", "it", "does"])
        self.assertEqual(len(lines), 1 + len(rules))
        for line, rule in zip(lines[1:], rules):
            self.assertRegex(line, rf"^  {re.escape(rule['name'])}  +{re.escape(rule['rule'])}  +{re.escape(rule['note'])}$")
        self.assertEqual([rule["name"] for rule in json.loads(self.tessera("rules", "REPLICATOR", "--json").stdout)["rules"]],
                         ["HighLife", "Replicator"])
        self.assertRegex(self.tessera("rules", "majority").stdout, r"\n  Vote +B5678/S45678 ")
        self.assertRegex(self.tessera("rules", "Nobili32").stdout, r"\A.*\n  Nobili32 +Nobili32 +32 states.*\n  Hutton32 +Hutton32 .*Nobili32.*\n\Z")

    def test_what_is_said_about_isotropic_rules_holds(self):
        (self.folder / "t.rle").write_text("x = 3, y = 2\n3o$bo!\n")
        moved = self.report("t.rle", "--rule", "tlife", "--gens", 5, "--out", "end.rle")
        self.assertEqual(moved["bounds"], [0, 1, 2, 2])
        self.assertIn("3o$bo!", (self.folder / "end.rle").read_text())
        (self.folder / "corners.rle").write_text("x = 3, y = 3\no2$2bo!\n")
        self.assertEqual(self.report("corners.rle", "--rule", "LeapLife", "--gens", 1)["bounds"], [1, 1, 1, 1])
        self.assertEqual(self.report("corners.rle", "--rule", "Life", "--gens", 1)["population"], 0)

    def test_a_word_that_nothing_has_is_refused(self):
        self.assertIn("did you mean HighLife?", self.refused("rules", "Highlyfe"))
        self.assertIn("'tessera rules' lists all", self.refused("rules", "no\x1bsuch word"))


class VerifyTest(ProgramTest):
    def test_all_is_well(self):
        kernels = [kernel for kernel in self.kernels() if kernel != "reference"]
        done = self.tessera("verify", "--backend", "cpu", "--cases", 12, "--seed", 7)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"\A12 cases, seeds 7 \.\. 18, in .*; nothing differs from the reference\Z")
        ran = {match[1]: int(match[2]) for match in re.finditer(r"cpu:0 +(\S+) +(\d+) (?:passed|skipped)", done.stdout)}
        self.assertEqual(set(ran), {*kernels, "sums", "table"})
        self.assertEqual(done.stderr, "")

    def test_one_kernel(self):
        done = self.tessera("verify", "--backend", "cpu:0", "--kernel", "gates", "--cases", 3, "--seed", 3)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn("3 passed", done.stdout)


class ConvertTest(ProgramTest):
    def test_round_trips(self):
        """Cells and position survive every way through the formats that can say them."""
        bounds = lambda path: json.loads(self.tessera("info", path, "--json").stdout)["bounds"]
        state = lambda path: self.report(path, "--gens", 0, "--rule", "Life", "--backend", "cpu")["hash"]
        formats = ["a.rle", "b.rle.gz", "c.cells", "d.cells.gz", "e.lif", "f.lif.gz", "g.l", "h.l.gz", "i.mc", "j.mc.gz"]
        self.tessera("run", ACORN, "--gens", 777, "--out", "start.rle", "--quiet", "--backend", "cpu")
        expected = (bounds("start.rle"), state("start.rle"))
        for first in formats:
            self.tessera("convert", "start.rle", first)
            self.assertEqual((bounds(first), state(first)), expected, first)
            for second in formats:
                target = f"x-{second}"
                self.tessera("convert", first, target)
                self.assertEqual((bounds(target), state(target)), expected, (first, second))

    def test_names_comments_and_rule_are_kept(self):
        self.tessera("convert", GUN, "a.rle.gz")
        before, after = (json.loads(self.tessera("info", path, "--json").stdout) for path in (GUN, "a.rle.gz"))
        self.assertEqual(before, after)
        self.assertEqual((before["name"], before["population"], before["format"]), ("Gosper glider gun", 36, "RLE"))

    def test_rule_and_size(self):
        info = lambda path: json.loads(self.tessera("info", path, "--json").stdout)
        self.tessera("convert", GUN, "a.rle", "--rule", "HighLife")
        self.assertEqual(info("a.rle")["rule"], "B36/S23")
        self.tessera("convert", GUN, "b.tsr", "--size", "200x100")
        self.assertEqual((info("b.tsr")["rule"], info("b.tsr")["universe"]), ("B3/S23:T200,100", "torus 200x100"))

    def test_cells_far_apart_take_no_memory_between_them(self):
        (self.folder / "far.lif").write_text("#Life 1.06\n0 0\n1 0\n2 0\n3000000000 0\n")
        self.tessera("convert", "far.lif", "far.tsr")
        self.assertIn("population        4", self.tessera("info", "far.tsr").stdout)
        self.assertIn("a picture of 3000000001x1", self.refused("convert", "far.lif", "far.png"))

    def test_every_universe_becomes_a_checkpoint(self):
        (self.folder / "row.rle").write_text("x = 3, y = 1\n3o!\n")
        for rule in ("B3/S23:C20,20", "B3/S23:T20+3,20", "B3/S23|B2/S", "B0/S2", "R9,C0,M0,S2..3,B3..3,NM", "Langtons-Loops"):
            with self.subTest(rule):
                self.tessera("convert", "row.rle", "row.tsr", "--rule", rule)
                self.assertIn("population        3", self.tessera("info", "row.tsr").stdout)

    def test_standard_streams(self):
        text = pathlib.Path(GUN).read_text()
        done = self.tessera("convert", "-", "-", input=text)
        self.assertIn("24bo$22bobo$", done.stdout)
        self.tessera("convert", "-", "a.png", input=text)
        self.assertEqual(self.files(), ["a.png"])


class InfoTest(ProgramTest):
    def test_everything_is_told(self):
        (self.folder / "p.rle").write_text("#N Thing\n#O Somebody\n#C First\n#C Second\n#CXRLE Pos=-5,7 Gen=42\n"
                                           "x = 6, y = 4, rule = B36/S23:T30,20\n$b3o!\n")
        info = json.loads(self.tessera("info", "p.rle", "--json").stdout)
        self.assertEqual(info, {"format": "RLE", "name": "Thing", "author": "Somebody", "rule": "B36/S23:T30,20",
                                "universe": "torus 30x20", "width": 6, "height": 4, "position": [-5, 7], "generation": 42,
                                "population": 3, "bounds": [-4, 8, -2, 8], "comments": ["First", "Second"]})
        text = self.tessera("info", "p.rle").stdout
        for line in (r"name +Thing", r"universe +torus 30x20", r"box +6 x 4 cells", r"position +-5, 7", r"comment +Second",
                     r"live cells +x -4 \.\. -2, y 8 \.\. 8"):
            self.assertRegex(text, rf"(?m)^{line}$")

    def test_formats(self):
        for name, text, told in (("a.cells", ".O\n", "plaintext"), ("b.lif", "#Life 1.05\n*\n", "Life 1.05"),
                                 ("c.lif", "#Life 1.06\n0 0\n", "Life 1.06"), ("d.mc", "[M2]\n*$\n", "macrocell")):
            (self.folder / name).write_text(text)
            self.assertIn(told, self.tessera("info", name).stdout)
        done = self.tessera("info", "-", "--json", input="#Life 1.06\n3 4\n")
        info = json.loads(done.stdout)
        self.assertEqual((info["format"], info["bounds"]), ("Life 1.06", [3, 4, 3, 4]))

    def test_several_files_are_a_table_and_a_bad_one_hides_none(self):
        (self.folder / "bad.rle").write_text("x = 1, y = 1, rule = R2,C2,S2,B3,NL\no!\n")
        (self.folder / "all.zip").write_bytes(b"PK\x03\x04")
        done = self.tessera("info", ACORN, "bad.rle", GUN, "all.zip", "none.rle", code=2)
        rows = done.stdout.splitlines()
        self.assertRegex(rows[0], r"^  file +name +format +rule +box +population +generation$")
        self.assertRegex(rows[1], r"acorn\.rle +Acorn +RLE +B3/S23 +7x3 +7 +0$")
        self.assertRegex(rows[2], r"gosper-gun\.rle +Gosper glider gun +RLE +B3/S23 +36x9 +36 +0$")
        self.assertEqual(len(rows), 3)
        errors = done.stderr.splitlines()
        self.assertEqual(len(errors), 3)
        self.assertIn("bad.rle:1:", errors[0])
        self.assertIn("a triangular rule", errors[0])
        self.assertIn("all.zip:1:1: this is a zip archive; ", errors[1])
        self.assertIn("none.rle: cannot open", errors[2])
        told = json.loads(self.tessera("info", "--json", ACORN, "bad.rle", code=2).stdout)
        self.assertEqual([each.get("population") for each in told], [7, None])
        self.assertIn("triangular", told[1]["error"])
        self.assertEqual({**told[0]}, {**json.loads(self.tessera("info", "--json", ACORN).stdout), "path": ACORN})
        self.tessera("info", ACORN, GUN)

    def test_the_format_of_standard_input_is_told(self):
        self.assertRegex(self.tessera("info", "-", input="x = 1, y = 1\no!\n").stdout, r"(?m)^format +RLE$")

    def test_control_characters_do_not_reach_the_terminal(self):
        (self.folder / "p.rle").write_text("#C \x1b[2J\nx = 1, y = 1\no!\n")
        self.assertNotIn("\x1b", self.tessera("info", "p.rle").stdout)


class InterruptTest(ProgramTest):
    """What is measured or checked until a signal comes is told, and the exit code says that there was one."""

    def interrupted(self, number, *words):
        process = self.start(*words)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        caught = lambda: int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) >> (number - 1) & 1
        self.wait_for(caught, "the signal being caught")
        process.send_signal(number)
        return self.ends(process, 128 + number)[0]

    def test_verify(self):
        out = self.interrupted(signal.SIGINT, "verify", "--backend", "cpu", "--kernel", "word", "--cases", 1000000000)
        self.assertRegex(out, r"\A(\d+ cases, seeds 1 \.\. \d+, in .*; nothing differs from the reference\n(.*\n)+)?\Z")

    def test_compare(self):
        out = json.loads(self.interrupted(signal.SIGTERM, "compare", "--soup", 0.5, "--size", "64x64", "--backends", "cpu",
                                          "--kernels", "word,reference", "--gens", 10 ** 15, "--max-time", "1h", "--json"))
        self.assertLess(out["verified"]["generation"], 10 ** 15)
        self.assertTrue(out["equal"])

    def test_bench(self):
        self.interrupted(signal.SIGTERM, "bench", "--suite", "rules", "--backends", "cpu", "--max-side", 64, "--repeat", 3,
                         "--json", "b.json", "--quiet")
        self.assertFalse(json.loads((self.folder / "b.json").read_text())["complete"])

    def test_tune(self):
        out = json.loads(self.interrupted(signal.SIGHUP, "tune", "--backends", "cpu", "--kernels", "simd", "--sides", 256,
                                          "--json"))
        self.assertTrue(all(not result["whole_search"] for result in out["results"]))


class HelpTest(ProgramTest):
    def test_help_is_complete_and_fits(self):
        top = self.tessera("--help").stdout
        for subcommand in ("run", "verify", "devices", "rules", "convert", "info"):
            self.assertRegex(top, rf"\n  {subcommand} +\S")
            text = self.tessera(subcommand, "--help").stdout
            self.assertIn(f"Usage: tessera {subcommand}", text)
            self.assertEqual([line for line in text.splitlines() if len(line) > 100], [])
            self.assertNotIn("TEXT", text)
            for option in re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE):
                self.assertRegex(text, rf"{option}[^\n]* \S|{option}[^\n]*\n +\S")
        self.assertIn("Exit codes: 0 done", top)

    def test_help_of_a_subcommand_is_its_help(self):
        self.assertEqual(self.tessera("help").stdout, self.tessera("--help").stdout)
        for subcommand in ("run", "compare", "info", "help"):
            self.assertEqual(self.tessera("help", subcommand).stdout, self.tessera(subcommand, "--help").stdout)

    def test_short_options_and_short_counts_are_the_long_ones(self):
        short = self.report(GUN, "-g", "1.2k", "-q", "-o", "a.rle", "--max-time", "300", "--backend", "cpu")
        long = self.report(GUN, "--gens", 1200, "--quiet", "--out", "b.rle", "--max-time", "300s", "--backend", "cpu")
        self.assertEqual((short["generation"], short["hash"]), (1200, long["hash"]))
        self.assertEqual(self.files(), ["a.rle", "b.rle"])

    def test_version(self):
        self.assertRegex(self.tessera("--version").stdout, r"\Atessera \d+\.\d+\.\d+\n\Z")


class ProgressTest(ProgramTest):
    def on_terminal(self, *words):
        """Runs with standard error on a terminal; returns what appeared there and on standard output."""
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal is to be had: {error}")
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=slave,
                                   preexec_fn=usual_signals)
        os.close(slave)
        shown, end = b"", time.monotonic() + DEADLINE
        while time.monotonic() < end:
            if not select.select([master], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        out = process.communicate(timeout=DEADLINE)[0].decode()
        os.close(master)
        self.assertEqual(process.returncode, 0, shown)
        return shown.decode(), out

    def test_a_terminal_shows_a_bar_that_goes_away(self):
        run = ["run", "--soup", "0.5", "--size", "300x300", "--backend", "cpu", "--space", "grid", "--gens", "1000000000", "--max-time", "1500ms"]
        for words in (run, run + ["--json"]):
            shown, out = self.on_terminal(*words)
            bars = re.findall(r"\r\[=* *\] generation [\d,]+ of 1,000,000,000, 0 %, \S+ gen/s, \S+ cells/s, [^\r]* left\x1b\[K|"
                              r"\rgeneration [\d,]+ of 1,000,000,000, 0 %[^\r]*\x1b\[K", shown)
            self.assertGreaterEqual(len(bars), 2, shown)
            self.assertTrue(all(len(bar) <= 80 + 4 for bar in bars), bars)
            # The last thing is that the line is cleared, then the words about the stop.
            self.assertRegex(shown, r"\r\x1b\[Ktessera: stopped at generation \d+ by --max-time\r\n\Z")
            self.assertIn("generation", out)

    def test_quiet_and_short_runs_show_nothing(self):
        run = ["run", "--soup", "0.5", "--size", "300x300", "--backend", "cpu", "--space", "grid", "--max-time", "1s", "--quiet"]
        self.assertEqual(self.on_terminal(*run)[0], "")
        self.assertEqual(self.on_terminal("run", GUN, "--gens", 10, "--backend", "cpu")[0], "")

    def test_without_a_terminal_there_is_none(self):
        done = self.tessera("run", "--soup", "0.5", "--size", "300x300", "--backend", "cpu", "--space", "grid", "--max-time", "1s")
        self.assertRegex(done.stderr, r"\Atessera: stopped at generation \d+ by --max-time\n\Z")


if __name__ == "__main__":
    unittest.main()
