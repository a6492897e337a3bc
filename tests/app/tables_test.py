"""Rule files of Golly through the program."""

import csv
import os
import unittest

from program import ProgramTest, needs, read_colours

TABLE = """@RULE Frob
@TABLE
n_states:4
neighborhood:Moore
symmetries:rotate8
var a={0,1,2,3}
var b={0,1,2,3}
0,1,b,a,a,a,a,a,2,1
0,1,1,1,0,0,0,0,0,2
1,b,a,a,a,a,a,a,a,2
2,a,1,b,a,a,a,a,a,3
3,a,a,a,a,a,a,a,a,0
"""


class TablesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for folder in ("here", "there"):
            (self.folder / folder).mkdir()
        (self.folder / "there" / "Frob.rule").write_text(TABLE)
        self.soup = ["--rule", "there/Frob.rule", "--size", "70x50", "--soup", 0.3, "--soup-states", "all"]

    def test_kernels_agree_and_auto_takes_table(self):
        report = self.report(*self.soup, "--gens", 30)
        self.assertEqual((report["backend"], report["kernel"], report["rule"]), ("cpu", "table", "Frob:T70,50"))
        for more in (["--kernel", "reference"], ["--backend", "cpu*3"], ["--threads", 1]):
            other = self.report(*self.soup, "--gens", 30, *more)
            self.assertEqual((other["hash"], other["population"]), (report["hash"], report["population"]))
        self.assertIn("the kernel gates of cpu steps no rules of rule files",
                      self.refused("run", *self.soup, "--gens", 1, "--kernel", "gates"))
        self.assertIn("the kernel table of cpu steps only rules of rule files",
                      self.refused("run", "--soup", 0.5, "--size", "9x9", "--gens", 1, "--kernel", "table"))

    def test_where_rules_are_found(self):
        pattern = "x = 3, y = 1, rule = Frob\nABA!\n"
        (self.folder / "here" / "p.rle").write_text(pattern)
        (self.folder / "there" / "p.rle").write_text(pattern)
        beside = self.report("there/p.rle", "--gens", 20)
        self.assertEqual((beside["rule"], beside["space"]), ("Frob", "grid"))
        self.assertIn("here/p.rle:1:22: rule 'Frob' is not known; accepted are ", self.refused("run", "here/p.rle", "--gens", 1))
        os.environ["TESSERA_RULES"] = f"/nowhere:{self.folder}/there"
        try:
            self.assertEqual(self.report("here/p.rle", "--gens", 20)["hash"], beside["hash"])
            self.assertRegex(self.tessera("rules", "Frob").stdout, r"Frob +Frob +a table of 4 states and 5 transitions; a cell sees 8 ")
        finally:
            del os.environ["TESSERA_RULES"]
        self.assertIn("there is no rule file here/Frob.rule",
                      self.refused("run", "there/p.rle", "--rule", "here/Frob.rule", "--gens", 1))
        (self.folder / "there" / "Frob.rule").write_text(TABLE + "4,0,0,0,0,0,0,0,0,0\n")
        self.assertIn("there/Frob.rule:13:20: a state must be within 0 to 3", self.refused("run", "there/p.rle", "--gens", 1))

    def test_checkpoints_files_and_statistics(self):
        whole = self.report(*self.soup, "--gens", 30, "--out", "there/end.rle", "--stats", "s.csv", "--every", 30)
        with open(self.folder / "s.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertEqual(sum(int(last[f"state_{s}"]) for s in (1, 2, 3)), whole["population"])
        self.assertEqual(self.report("there/end.rle", "--gens", 0)["hash"], whole["hash"])
        self.tessera("run", *self.soup, "--gens", 10, "--checkpoint", "there/c.tsr")
        self.assertEqual(self.report("--resume", "there/c.tsr", "--gens", 30)["hash"], whole["hash"])
        (self.folder / "there" / "Frob.rule").write_text(TABLE.replace("0,0,2\n", "0,0,1\n"))
        self.assertIn("the file of the rule Frob says something else than when the checkpoint was written",
                      self.refused("run", "--resume", "there/c.tsr", "--gens", 30))
        (self.folder / "there" / "Frob.rule").unlink()
        self.assertIn("rule 'Frob' is not known", self.refused("run", "--resume", "there/c.tsr", "--gens", 30))

    def test_pictures_have_the_colours_of_the_file(self):
        (self.folder / "there" / "Looks.rule").write_text(
            TABLE + "@COLORS\n1 255 0 0\n2 0 128 0 a comment\n@NAMES\n1 red\n@ICONS\nXPM\n\"7 7 2 1\"\n\". c #000000\"\n")
        (self.folder / "there" / "p.rle").write_text("x = 4, y = 2, rule = Looks:P4,2\nABC$3.A!\n")
        dead, red, green = (48, 48, 48), (255, 0, 0), (0, 128, 0)
        for words in (["convert", "there/p.rle", "o.png"], ["run", "there/p.rle", "--gens", 0, "--out", "o.png"],
                      ["run", "there/p.rle", "--gens", 0, "--theme", "phosphor", "--out", "o.png"],
                      ["run", "there/p.rle", "--gens", 0, "--frames", "f", "--scale", 1]):
            self.tessera(*words)
            seen = read_colours(self.folder / ("f/frame-000000000.png" if "--frames" in words else "o.png"))
            self.assertEqual((seen[0][:2], seen[1]), ([red, green], [dead] * 3 + [red]))
            self.assertNotIn(seen[0][2], (dead, red, green))  # state 3 has the theme's
            self.assertEqual(seen[0][3], dead)

    @needs("ffmpeg")
    def test_an_animation_has_the_colours_of_the_file(self):
        (self.folder / "there" / "Looks.rule").write_text(TABLE + "@COLORS\n0 0 0 0\n1 255 0 0\n")
        (self.folder / "there" / "p.rle").write_text("x = 1, y = 1, rule = Looks:P20,20\nA!\n")
        self.tessera("run", "there/p.rle", "--gens", 0, "--video", "o.gif", "--view", "0,0,1x1", "--scale", "1/16")
        self.assertIn(bytes((255, 0, 0)), (self.folder / "o.gif").read_bytes()[13:13 + 768])  # its palette

    def test_an_old_table_has_the_colours_of_the_file_beside_it(self):
        (self.folder / "there" / "Old.table").write_text(TABLE.split("\n", 2)[2])
        (self.folder / "there" / "Old.colors").write_text("# of 2009\ncolor = 0 0 0 0\ncolor = 1 255 0 0\n")
        (self.folder / "there" / "p.rle").write_text("x = 1, y = 1, rule = Old:P20,20\nA!\n")
        video = ["--gens", 0, "--video", "o.gif", "--view", "0,0,1x1", "--scale", "1/16"]
        self.tessera("run", "there/p.rle", *video)
        self.assertIn(bytes((255, 0, 0)), (self.folder / "o.gif").read_bytes()[13:13 + 768])  # its palette
        (self.folder / "there" / "Old.colors").write_text("color = 1 255 0\n")
        self.assertIn("there/Old.colors:1:16: a line of colours is spelled as", self.refused("run", "there/p.rle", "--gens", 1))

    def test_files_that_try_to_break_it(self):
        head = "@TABLE\nn_states:256\nneighborhood:Moore\nsymmetries:permute\n"
        everything = ",".join(map(str, range(256)))
        variables = "".join(f"var v{i}={{{everything}}}\n" for i in range(9))
        for text, told in [
                ("", ":1:1: the rule file has neither a @TABLE nor a @TREE"),
                ("\0" * 1000, ":1:1: the rule file has neither"),
                (head + variables + "v0,v1,v2,v3,v4,v5,v6,v7,v8,v8\n" * 30, "more than 1048576 transitions"),
                (head + "var a={1000000000}\n", ":5:8: a state must be within 0 to 255"),
                (head + "".join(f"var v{i}={{0}}\n" for i in range(200_000)), ":65541:"),
                (head + "0,1,2,3,4,5,6,7,8,9\n" * 300_000, "more than 1048576 transitions"),
                ("@TREE\nnum_states=256\nnum_neighbors=8\nnum_nodes=100000000\n1" + " 0" * 256 + "\n2" + " 2" * 256,
                 ":6:3: a node of level 2 refers to nodes of level 1 above it"),
                ("#" * (1 << 25) + "#", "at most 33554432 are accepted")]:
            (self.folder / "hostile.rule").write_text(text)
            self.assertIn(told, self.refused("run", "--rule", "./hostile.rule:T9", "--soup", 0.5, "--gens", 1))


if __name__ == "__main__":
    unittest.main()
