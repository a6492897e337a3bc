"""What the program refuses, and how it says so."""

import os
import resource
import signal
import subprocess
import unittest

from program import ACORN, GUN, PROGRAM, ProgramTest, usual_signals

SANITIZED = bool(os.environ.get("TESSERA_SANITIZE"))
SOUP = ["run", "--soup", "0.5", "--size", "40x30"]
RUN = ["run", GUN, "--gens", "1"]

# Command lines (after "tessera"), and what the message must hold.
BAD = [
    ([], ["a subcommand is missing", "accepted are run, "]),
    (["frobnicate"], ["'frobnicate' is not a subcommand", "accepted are"]),
    (["rnu"], ["'rnu' is not a subcommand; did you mean 'run'?"]),
    (["help", "inof"], ["'inof' is not a subcommand; did you mean 'info'?"]),
    (RUN + ["--gen", "1"], ["run: '--gen' is not an option; did you mean '--gens'?", "tessera run --help"]),
    (RUN + ["--sise=1x1"], ["run: '--sise' is not an option; did you mean '--size'?"]),
    (RUN + ["--rule", "HiLife"], ["--rule:1:", "is not known; did you mean HighLife?"]),
    (RUN + ["--rule", "B0/S/3"], ["--rule:1:", "rules of more than two states cannot have B0"]),
    (["run", GUN, "-g", "1.5"], ["--gens: '1.5' is not a whole number"]),
    (["run", GUN, "-g", "1e30"], ["--gens: '1e30'", "0 to 9223372036854775807"]),
    (["--frobnicate"], ["'--frobnicate' is not an option"]),
    (["run"], ["nothing to run", "PATTERN, --soup DENSITY or --resume FILE"]),
    (["run", GUN], ["--gens N, --max-time TIME"]),
    (["run", GUN, "more", "--gens", "1"], ["run: 'more' is not expected here"]),
    (RUN + ["--frobnicate"], ["run: '--frobnicate' is not an option", "tessera run --help"]),
    (RUN + ["--seed"], ["--seed needs a value"]),
    (RUN + ["--stats", ""], ["--stats needs a value"]),
    (["run", "", "--gens", "1"], ["PATTERN needs a value"]),
    (RUN + ["--backend", "cpu", "--backend", "cpu"], ["--backend is given more than once"]),
    (RUN + ["--json=yes"], ["json"]),
    (["run", "nosuch.rle", "--gens", "1"], ["nosuch.rle: cannot open"]),
    (["run", ".", "--gens", "1"], [".: ", "folder"]),
    (["run", GUN, "--gens", "10x"], ["--gens: '10x'", "whole number"]),
    (["run", GUN, "--gens", "+1"], ["--gens: '+1'"]),
    (["run", GUN, "--gens", " 1"], ["--gens: ' 1'"]),
    (["run", GUN, "--gens", "-1"], ["--gens: '-1'"]),
    (["run", GUN, "--gens", "0x10"], ["--gens: '0x10'"]),
    (["run", GUN, "--gens", "9223372036854775808"], ["0 to 9223372036854775807"]),
    (["run", GUN, "--max-time", "-5s"], ["--max-time: '-5s'"]),
    (["run", GUN, "--max-time", "0s"], ["above 0"]),
    (["run", GUN, "--max-time", "1fortnight"], ["--max-time"]),
    (["run", GUN, "--soup", "0.5", "--gens", "1"], ["a PATTERN and --soup"]),
    (["run", "--soup", "0.5", "--gens", "1"], ["bounded universe", "--size 4096x4096"]),
    (["run", "--soup", "1.01", "--size", "4x4", "--gens", "1"], ["--soup: '1.01'", "0 to 1"]),
    (["run", "--soup", "nan", "--size", "4x4", "--gens", "1"], ["--soup: 'nan'"]),
    (["run", "--soup", "0.5x", "--size", "4x4", "--gens", "1"], ["--soup: '0.5x'"]),
    (SOUP + ["--gens", "1", "--seed", "18446744073709551616"], ["--seed", "0 to 18446744073709551615"]),
    (SOUP + ["--gens", "1", "--seed", "-1"], ["--seed: '-1'"]),
    (SOUP + ["--gens", "1", "--rule", "B3/S23:T5"], ["both name a universe"]),
    (SOUP + ["--gens", "1", "--rule", "B3/S29"], ["--rule:6:", "8 neighbours"]),
    (RUN + ["--rule", "B0/S", "--kernel", "simd", "--backend", "cpu"], ["simd of cpu steps under one rule"]),
    (RUN + ["--rule", "B3/S23:K99", "--kernel", "simd", "--backend", "cpu"], ["simd of cpu", "neither shifted nor twisted"]),
    (RUN + ["--rule", "B3/S23:S99", "--space", "tiles"], ["neither shifted nor twisted", "--space grid"]),
    (RUN + ["--rule", "R9,C0,M0,S2..3,B3..3,NM", "--space", "tiles"], ["range 8 and less", "--space grid"]),
    (RUN + ["--rule", "B3/S23:S0"], ["--rule:9:", "side of 0"]),
    (RUN + ["--rule", "B3/S23:M5"], ["--rule:8:", ":K (Klein bottle)"]),
    (RUN + ["--rule", "B3/S23:S5,6"], ["--rule:11:", "a sphere is a square"]),
    (RUN + ["--seed", "1"], ["--seed needs --soup"]),
    (RUN + ["--out", "a.xyz"], ["--out a.xyz: the suffix names the format", ".lif, .life and .l (each also .gz)"]),
    (RUN + ["--size", "10x"], ["--size: '10x'"]),
    (RUN + ["--size", "10x10x10"], ["--size: '10x10x10'"]),
    (RUN + ["--size", "0x10"], ["--size: '0x10'"]),
    (RUN + ["--size", "20x20"], ["gosper-gun.rle: ", "(24, 0)", "(-10, -10) to (9, 9)"]),
    (RUN + ["--rule", "jvn29"], ["--rule:1: rule 'jvn29' is not known; did you mean JvN29? Accepted are B3/S23"]),
    (RUN + ["--rule", "jvn29.rule"], ["there is no rule file jvn29.rule", "; did you mean JvN29?"]),
    (RUN + ["--backend", "cpuu"], ["backend 'cpuu' is not known; did you mean cpu? Accepted are auto, "]),
    (RUN + ["--backend", "cpu", "--kernel", "gaets"], ["no kernel 'gaets'; did you mean gates? Accepted are "]),
    (["verify", "--backend", "cpu", "--kernel", "gaets"], ["; did you mean gates? Accepted are all, "]),
    (RUN + ["--backend", "gpu"], ["'gpu' is not known", "cpu"]),
    (RUN + ["--backend", "cpu:7"], ["no such device"]),
    (RUN + ["--backend", "cpu:x"], ["device number"]),
    (RUN + ["--backend", "cpu", "--kernel", "nosuch"], ["no kernel 'nosuch'", "reference"]),
    (RUN + ["--threads", "0"], ["--threads: '0'", "1 to 4096"]),
    (RUN + ["--max-memory", "5Q"], ["--max-memory: '5Q'", "512M"]),
    (RUN + ["--max-memory", "0"], ["--max-memory"]),
    (RUN + ["--max-memory", "1k", "--backend", "cpu"], ["needs ", "; 1 KiB is the limit"]),
    (RUN + ["--out", "a.bmp"], ["--out a.bmp", ".rle", ".png"]),
    (RUN + ["--out", "none/a.rle"], ["--out none/a.rle: the folder none does not exist"]),
    (SOUP + ["--gens", "1e12", "--rule", "345/2/4", "--out", "a.rle", "--out", "a.cells"], ["--out a.cells: cells of more than two states"]),
    (RUN + ["--out", "a.rle", "--out", "a.rle"], ["a.rle is named twice"]),
    (RUN + ["--out", "a.rle", "--out", "./a.rle"], ["./a.rle is named twice"]),
    (RUN + ["--checkpoint", "./a.tsr", "--stats", "a.tsr.prev"], ["a.tsr.prev is named twice"]),
    (["run", GUN, ACORN, "--batch", "2", "--size", "99x99", "--gens", "1", "--stats", ACORN], ["--stats", "this file is read"]),
    (["run", "--soup", "0.5", "--batch", "1M", "--size", "1x1", "--gens", "1", "--max-memory", "100M"],
     ["to watch 1000000 universes takes", "; 100 MiB is the limit"]),
    (RUN + ["--stats", "none/a.csv"], ["--stats none/a.csv"]),
    (RUN + ["--stats", "."], ["--stats .: this is a folder"]),
    (RUN + ["--checkpoint", "none/c.tsr"], ["--checkpoint none/c.tsr"]),
    (RUN + ["--checkpoint", __file__], ["--checkpoint", "this file is no checkpoint"]),
    (RUN + ["--stats", GUN], ["--stats", "this file is read"]),
    (RUN + ["--checkpoint", GUN], ["--checkpoint", "this file is read"]),
    (RUN + ["--rule", "B0/S1|R2,C0,M0,S2..3,B3..3,NM"], ["cannot have B0 without end, nor take turns"]),
    (["bench", "--suite", "sizes", "--only", "nosuch", "--backends", "cpu"], ["no row of sizes contains this"]),
    (RUN + ["--checkpoint-every", "5min"], ["--checkpoint-every needs --checkpoint"]),
    (RUN + ["--checkpoint", "c", "--checkpoint-every", "5"], ["'5'", "15min", "10000gens"]),
    (RUN + ["--checkpoint", "c", "--checkpoint-every", "0gens"], ["'0gens'"]),
    (RUN + ["--every", "5"], ["--every needs --stats"]),
    (RUN + ["--stats", "s", "--every", "0"], ["--every: '0'"]),
    (RUN + ["--frames", "f", "--video", "v.mp4"], ["exclude each other"]),
    (RUN + ["--frames", "/dev/null/f"], ["--frames /dev/null/f"]),
    (RUN + ["--video", "v.doc"], ["--video v.doc", ".mp4"]),
    (RUN + ["--video", "none/v.mp4"], ["--video none/v.mp4"]),
    (RUN + ["--fps", "5"], ["--fps needs --video"]),
    (RUN + ["--video", "v.mp4", "--fps", "0"], ["--fps: '0'"]),
    (RUN + ["--view", "0,0,1x1"], ["--view needs"]),
    (RUN + ["--frames", "f", "--view", "0,0"], ["--view: '0,0'", "X,Y,WxH"]),
    (RUN + ["--frames", "f", "--view", "0,0,0x1"], ["--view: '0x1'"]),
    (RUN + ["--frames", "f", "--scale", "1/0"], ["--scale: '1/0'"]),
    (RUN + ["--theme", "dark"], ["--theme needs --frames, --video or --out FILE.png"]),
    (RUN + ["--colours", "age", "--out", "a.rle"], ["--colours needs --frames"]),
    (RUN + ["--grid-lines"], ["--grid-lines needs --frames"]),
    (RUN + ["--frames", "f", "--theme", "Dark"], ["--theme: 'Dark' is not a theme; dark, light and phosphor"]),
    (RUN + ["--video", "v.gif", "--colours", "old"], ["--colours: 'old'; cells and age"]),
    (RUN + ["--frames", "f", "--grid-lines"], ["--grid-lines", "1/6"]),
    (RUN + ["--out", "a.png", "--grid-lines", "--scale", "1/5"], ["--grid-lines", "1/6"]),
    (RUN + ["--out", "a.rle", "--scale", "1/5"], ["--scale needs --frames, --video or --out FILE.png"]),
    (RUN + ["--frames", "f", "--view", "0,0,100000x1", "--scale", "1"], ["--scale 7 or more"]),
    (SOUP + ["--gens", "1", "--frames", "f", "--view", "0,0,21x1"], ["inside the universe", "-20,-15,40x30"]),
    (RUN + ["--json", "--stats", "-"], ["standard output"]),
    (RUN + ["--json", "--out", "-"], ["standard output"]),
    (["run", "--resume", "nosuch.tsr", "--gens", "1"], ["nosuch.tsr: cannot open"]),
    (["run", "--resume", GUN, "--gens", "1"], [":byte 0: this is not a checkpoint"]),
    (["run", GUN, "--resume", "c.tsr", "--gens", "1"], ["--resume takes cells"]),
    (["run", "--resume", "c.tsr", "--rule", "Life", "--gens", "1"], ["--resume takes cells"]),
    (["run", "--soup", "0.5", "--size", "10000000x10000000", "--gens", "1", "--backend", "cpu"], ["10000000x10000000", "GiB"]),
    (["run", "--soup", "0.5", "--size", "1099511627776x1099511627776", "--gens", "1", "--backend", "cpu"], ["too large"]),
    (["convert", GUN], ["convert: OUT is required"]),
    (["convert", GUN, "a.bmp"], ["OUT a.bmp"]),
    (["convert", "nosuch", "a.rle"], ["nosuch: cannot open"]),
    (["info"], ["info: PATTERN is required"]),
    (["info", "/dev/null"], ["/dev/null:1:1:"]),
    (["verify", "--cases", "0"], ["--cases: '0'"]),
    (["verify", "--seed", "x"], ["--seed: 'x'"]),
    (["verify", "--backend", "nosuch"], ["'nosuch' is not known"]),
    (["verify", "--backend", "cpu", "--kernel", "nosuch"], ["--kernel nosuch", "accepted are all"]),
    (["devices", "more"], ["'more' is not expected"]),
]


class ErrorsTest(ProgramTest):
    def test_bad_command_lines(self):
        for words, parts in BAD:
            with self.subTest(" ".join(words)):
                message = self.refused(*words)
                for part in parts:
                    self.assertIn(part, message)
                self.assertEqual(self.files(), [])

    def test_bad_patterns_are_refused_with_their_place(self):
        for name, text, place in [("a.rle", "x = 3, y = 1\n3q!\n", "a.rle:2:3:"), ("b.cells", "!Name: x\n.O.Q\n", "b.cells:2:4:"),
                                  ("c.rle", "x = 1, y = 1, rule = B9/S\no!\n", "c.rle:1:"), ("d.rle", "", "d.rle:1:1:")]:
            (self.folder / name).write_text(text)
            for words in (["run", name, "--gens", "1"], ["info", name], ["convert", name, "x.rle"]):
                self.assertIn(place, self.refused(*words))
            os.remove(self.folder / name)
        self.assertEqual(self.files(), [])

    @unittest.skipIf(SANITIZED, "sanitizers take more address space than the limit")
    def test_refusal_is_small(self):
        limit = lambda: (usual_signals(), resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)))
        self.refused("run", "--soup", "0.5", "--size", "200000x200000", "--gens", "1", "--backend", "cpu", "--max-memory", "1G",
                     preexec_fn=limit)
        (self.folder / "far.lif").write_text("#Life 1.06\n-1000000000 -1000000000\n1000000000 1000000000\n")
        self.refused("run", "far.lif", "--gens", "1", "--backend", "cpu", "--space", "grid", preexec_fn=limit)
        self.tessera("run", "far.lif", "--gens", "1", "--backend", "cpu", "--quiet", preexec_fn=limit)

    def test_a_checkpoint_is_no_pattern(self):
        self.tessera("run", GUN, "--gens", 1, "--out", "c.tsr", "--quiet")
        self.assertIn("--resume c.tsr", self.refused("run", "c.tsr", "--gens", 1))

    def test_an_instruction_set_that_the_processor_lacks(self):
        done = subprocess.run([PROGRAM, *RUN], env=os.environ | {"TESSERA_VECTORS": "AVX9"}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Atessera: TESSERA_VECTORS=AVX9: this processor's instruction sets are .*\w\n\Z")

    def test_full_devices(self):
        for words in (RUN + ["--stats", "/dev/full"], ["run", ACORN, "--gens", "9", "--checkpoint", "/dev/full"]):
            self.assertIn("/dev/full: cannot write: No space left on device", self.refused(*words, "--quiet", code=1))
        self.assertEqual(self.files(), [])

    def test_results_that_nobody_receives_are_failures(self):
        for words in (RUN + ["--json"], RUN, RUN + ["--out", "-"], RUN + ["--stats", "-"], ["devices"], ["info", GUN],
                      ["--help"], ["--version"], ["verify", "--cases", "1", "--backend", "cpu", "--kernel", "word"]):
            with self.subTest(" ".join(words)), open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"\A(.*\n)*tessera: .*No space left on device\n\Z")

    def test_closed_standard_streams(self):
        done = subprocess.run([PROGRAM, *RUN, "--json"], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.close(1), timeout=60)
        self.assertEqual((done.returncode, done.stderr), (1, "tessera: standard output: cannot write: Bad file descriptor\n"))
        # A file that is opened must not become standard output or error, and get their text.
        done = subprocess.run([PROGRAM, *RUN, "--stats", "s.csv", "--quiet"], cwd=self.folder, timeout=60,
                              preexec_fn=lambda: (os.close(0), os.close(1), os.close(2)))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len((self.folder / "s.csv").read_text().splitlines()), 3)

    def test_a_closed_pipe_is_a_failure(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([PROGRAM, *RUN, "--json"], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
        os.close(write)
        self.assertEqual((done.returncode, done.stderr), (1, "tessera: standard output: cannot write: Broken pipe\n"))

    def test_disk_full_leaves_the_old_files(self):
        def small_disk():
            usual_signals()
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        names = {"--out": ["a.rle", "a.rle.gz", "a.cells", "a.lif", "a.png", "a.tsr"], "--checkpoint": ["c.tsr"]}
        for option, paths in names.items():
            for path in paths:
                with self.subTest(path):
                    old = b"old"
                    if option == "--checkpoint":  # it takes the place of another one alone
                        self.tessera("convert", GUN, path)
                        old = (self.folder / path).read_bytes()
                    (self.folder / path).write_bytes(old)
                    message = self.refused("run", "--soup", "0.5", "--size", "1000x1000", "--gens", "1", option, path, "--quiet",
                                           "--backend", "cpu", code=1, preexec_fn=small_disk)
                    self.assertIn(path + ": cannot write: File too large", message)
                    self.assertEqual((self.folder / path).read_bytes(), old)
        message = self.refused("run", "--soup", "0.5", "--size", "99x99", "--gens", "100000", "--stats", "s.csv", "--quiet",
                               "--backend", "cpu", code=1, preexec_fn=small_disk)
        self.assertIn("s.csv: cannot write", message)
        text = (self.folder / "s.csv").read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(all(row.count(",") == 6 for row in text.splitlines()))
        self.refused("run", "--soup", "0.5", "--size", "1900x1900", "--gens", "1", "--frames", "f", "--quiet", code=1,
                     preexec_fn=small_disk)
        self.assertEqual(self.files(), sorted([*names["--out"], "c.tsr", "s.csv"]))

    @unittest.skipIf(SANITIZED, "sanitizers take more address space than the limit")
    def test_out_of_memory_is_told(self):
        def small_machine():
            usual_signals()
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

        self.assertIn("out of memory", self.refused("run", "--soup", "0.5", "--size", "65536x65536", "--gens", "1",
                                                    "--backend", "cpu", code=1, preexec_fn=small_machine))


if __name__ == "__main__":
    unittest.main()
