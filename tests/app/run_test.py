"""tessera run: what it computes, reports and writes."""

import gzip
import json
import unittest

from program import ACORN, GUN, R_PENTOMINO, ProgramTest, read_png

FIELDS = {"rule": str, "width": int, "height": int, "generation": int, "population": int, "hash": str,
          "bounds": list, "backend": str, "device": str, "kernel": str, "tuning": dict, "tuned_by": str, "parts": int, "halo": int, "link": str, "ranks": int, "hosts": int, "space": str, "space_switches": int,
          "generations": int, "seconds": float, "generations_per_second": float, "cells_per_second": float, "stopped": str,
          "max_time": type(None), "source": str}
BLINKER = "x = 3, y = 1, rule = B3/S23\n3o!\n"


class RunTest(ProgramTest):
    def test_known_ends(self):
        for pattern, generations, population, bounds in [
                (R_PENTOMINO, 1103, 116, [-240, -258, 260, 266]), (ACORN, 5206, 633, [-1123, -1247, 1201, 1249]),
                (GUN, 1000, 213, None), (GUN, 0, 36, [0, 0, 35, 8])]:
            report = self.report(pattern, "--gens", generations, "--backend", "cpu")
            self.assertEqual(report["population"], population)
            if bounds:
                self.assertEqual(report["bounds"], bounds)

    def test_hash_vectors(self):
        for size, seed, density, rule, generations, population, state in [
                ("64x64", 1, 0.5, "B3/S23", 100, 374, "e9c24fbb56d0d999"),
                ("300x200", 12345, 0.3337, "B36/S23:P300,200", 17, 13529, "4aa0e9bab63e3125"),
                ("255x257", 9223372036854775819, 0.5, "B0/S7", 5, 6429, "9f217cbfe041c689")]:
            where = [] if ":" in rule else ["--size", size]
            report = self.report("--soup", density, "--seed", seed, "--rule", rule, *where, "--gens", generations,
                                 "--backend", "cpu")
            self.assertEqual((report["population"], report["hash"]), (population, state))

    def test_report_is_complete(self):
        report = self.report("--soup", 0.5, "--seed", 3, "--size", "200x100", "--gens", 50, "--backend", "cpu")
        self.assertEqual(list(report), list(FIELDS))
        for field, kind in FIELDS.items():
            self.assertIsInstance(report[field], kind, field)
        self.assertEqual((report["rule"], report["width"], report["height"]), ("B3/S23:T200,100", 200, 100))
        self.assertEqual((report["generation"], report["generations"], report["stopped"]), (50, 50, "done"))
        self.assertRegex(report["hash"], r"\A[0-9a-f]{16}\Z")
        self.assertEqual((report["backend"], report["source"]), ("cpu", "soup 0.5 seed 3"))
        self.assertGreater(report["seconds"], 0)
        self.assertAlmostEqual(report["cells_per_second"] * report["seconds"], 200 * 100 * 50, delta=1)

    def test_report_of_nothing(self):
        report = self.report("--soup", 0, "--size", "10x10", "--gens", 0)
        self.assertEqual((report["population"], report["bounds"], report["hash"]), (0, None, "0" * 16))
        self.assertEqual((report["seconds"], report["cells_per_second"]), (0, 0))
        report = self.report(GUN, "--gens", 0)
        self.assertEqual((report["width"], report["height"], report["rule"]), (0, 0, "B3/S23"))

    def test_every_kernel_and_thread_count_agree(self):
        states = {(kernel, threads): self.report("--soup", 0.4, "--size", "1000x333", "--gens", 100, "--backend", "cpu",
                                                 "--kernel", kernel, "--threads", threads)["hash"]
                  for kernel in self.kernels() for threads in (1, 2, 5)}
        self.assertEqual(len(set(states.values())), 1, states)

    def test_spaces_agree_and_are_told(self):
        told = {space: self.report(GUN, "--gens", 1501, "--backend", "cpu", "--space", space) for space in ("auto", "grid", "tiles")}
        self.assertEqual({space: report["space"] for space, report in told.items()},
                         {"auto": "tiles", "grid": "grid", "tiles": "tiles"})
        self.assertEqual(len({report["hash"] for report in told.values()}), 1)
        for size in ("T120,110", "P97,200"):
            told = {space: self.report(GUN, "--rule", f"B3/S23:{size}", "--gens", 901, "--backend", "cpu", "--space", space)
                    for space in ("grid", "tiles")}
            self.assertEqual({space: (report["space"], report["space_switches"]) for space, report in told.items()},
                             {"grid": ("grid", 0), "tiles": ("tiles", 0)})
            self.assertEqual(len({report["hash"] for report in told.values()}), 1)
        self.assertEqual(self.report("--soup", 0.5, "--size", "64x64", "--gens", 1)["space"], "grid")
        settled = self.report("--soup", 0.5, "--size", "512x500", "--gens", 300000, "--backend", "cpu", "--kernel", "simd")
        self.assertEqual((settled["space"], settled["space_switches"]), ("tiles", 1))
        self.assertEqual(self.report(GUN, "--gens", 9, "--kernel", "word", "--backend", "cpu")["space"], "grid")

    def test_tiles_where_there_are_none_are_refused(self):
        for arguments, why in (((GUN, "--kernel", "word", "--backend", "cpu"), "the kernel word of cpu has no tiles"),
                               (("--soup", 0.5, "--rule", "B0/S23:T64,64"), "not B0/S23:T64,64")):
            done = self.tessera("run", *arguments, "--gens", 1, "--space", "tiles", code=2)
            self.assertIn(why, done.stderr)
        self.assertIn("auto, grid or tiles", self.tessera("run", GUN, "--gens", 1, "--space", "tile", code=2).stderr)

    def test_rule_of_the_command_line_wins(self):
        pattern = self.folder / "p.rle"
        pattern.write_text("x = 3, y = 1, rule = B36/S23:T20,30\n3o!\n")
        rule = lambda *words: self.report("p.rle", "--gens", 1, "--backend", "cpu", *words)["rule"]
        self.assertEqual(rule(), "B36/S23:T20,30")
        self.assertEqual(rule("--size", "40x50"), "B36/S23:T40,50")
        self.assertEqual(rule("--rule", "Life"), "B3/S23")
        self.assertEqual(rule("--rule", "23/36:P9"), "B36/S23:P9,9")
        self.assertEqual(rule("--rule", "B0/S8", "--size", "8x9"), "B0/S8:T8,9")

    def test_generation_of_the_pattern_counts_on(self):
        (self.folder / "p.rle").write_text("#CXRLE Pos=5,-7 Gen=137\n" + BLINKER)
        report = self.report("p.rle", "--gens", 3, "--out", "q.rle", "--stats", "s.csv", "--every", 2)
        self.assertEqual((report["generation"], report["generations"], report["bounds"]), (140, 3, [6, -8, 6, -6]))
        self.assertIn("Gen=140", (self.folder / "q.rle").read_text())
        rows = (self.folder / "s.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["generation", "137", "139", "140"])

    def test_standard_input_and_output(self):
        done = self.tessera("run", "-", "--gens", 1, "--out", "-", "--backend", "cpu", input=BLINKER)
        self.assertEqual(done.stdout, "#CXRLE Pos=1,-1 Gen=1\nx = 1, y = 3, rule = B3/S23\no$o$o!\n")
        self.assertIn("generation 1, population 3", done.stderr)
        done = self.tessera("run", "-", "--gens", 1, "--stats", "-", "--quiet", "--backend", "cpu", input=BLINKER)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines()[0], "generation,population,xmin,ymin,xmax,ymax,hash")
        self.assertRegex(done.stdout.splitlines()[2], r"\A1,3,1,-1,1,1,[0-9a-f]{16}\Z")

    def test_summary_and_quiet(self):
        done = self.tessera("run", GUN, "--gens", 1000, "--backend", "cpu")
        self.assertIn("generation 1,000, population 213, x 0 .. 267, y 0 .. 254, hash ", done.stdout)
        self.assertEqual(done.stderr, "")
        done = self.tessera("run", GUN, "--gens", 10, "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_stats_rows(self):
        self.tessera("run", "--soup", 0.3, "--size", "90x80", "--gens", 25, "--every", 10, "--stats", "s.csv",
                     "--backend", "cpu", "--quiet")
        rows = [row.split(",") for row in (self.folder / "s.csv").read_text().splitlines()]
        self.assertEqual(rows[0], "generation,population,xmin,ymin,xmax,ymax,hash".split(","))
        self.assertEqual([row[0] for row in rows[1:]], ["0", "10", "20", "25"])
        for row in rows[1:]:
            report = self.report("--soup", 0.3, "--size", "90x80", "--gens", row[0], "--backend", "cpu")
            self.assertEqual(row[1:], [str(each) for each in [report["population"], *report["bounds"], report["hash"]]])

    def test_stats_of_nothing_have_empty_bounds(self):
        self.tessera("run", "--soup", 0, "--size", "5x5", "--gens", 1, "--stats", "s.csv", "--quiet")
        self.assertEqual((self.folder / "s.csv").read_text().splitlines()[1:],
                         [f"{generation},0,,,,,{'0' * 16}" for generation in (0, 1)])

    def test_outputs_hold_the_last_generation(self):
        names = ["a.rle", "a.rle.gz", "a.cells", "a.cells.gz", "a.lif", "a.l", "a.png", "a.tsr"]
        words = [word for name in names for word in ("--out", name)]
        report = self.report(R_PENTOMINO, "--gens", 100, "--backend", "cpu", *words)
        self.assertEqual(self.files(), sorted(names))
        for name in names:
            if name.endswith(".png"):
                continue
            info = json.loads(self.tessera("info", name, "--json").stdout)
            self.assertEqual(info["population"], report["population"], name)
            self.assertEqual(info["bounds"], report["bounds"], name)
        self.assertEqual(gzip.decompress((self.folder / "a.rle.gz").read_bytes()), (self.folder / "a.rle").read_bytes())
        width, height, rows = read_png(self.folder / "a.png")
        xmin, ymin, xmax, ymax = report["bounds"]
        self.assertEqual((width, height), (xmax - xmin + 1, ymax - ymin + 1))
        self.assertEqual(sum(row.count(0) for row in rows), report["population"])

    def test_picture_of_a_bounded_universe_is_whole(self):
        (self.folder / "p.rle").write_text("x = 3, y = 1, rule = B3/S23:T10,8\n3o!\n")
        self.tessera("run", "p.rle", "--gens", 0, "--out", "p.png", "--quiet")
        width, height, rows = read_png(self.folder / "p.png")
        self.assertEqual((width, height), (10, 8))
        black = [(x, y) for y in range(8) for x in range(10) if rows[y][x] == 0]
        self.assertEqual(black, [(4, 4), (5, 4), (6, 4)])
        self.tessera("run", "--soup", 0, "--size", "9x9", "--gens", 0, "--out", "e.png", "--quiet")
        self.assertEqual(read_png(self.folder / "e.png")[:2], (9, 9))

    def test_existing_outputs_are_replaced(self):
        (self.folder / "a.rle").write_text("old")
        self.tessera("run", GUN, "--gens", 1, "--out", "a.rle", "--quiet")
        self.assertIn("rule = B3/S23", (self.folder / "a.rle").read_text())
        self.assertEqual(self.files(), ["a.rle"])

    def test_a_full_plane_of_tiles_fails_but_keeps_everything(self):
        (self.folder / "explosion.rle").write_text("x = 1, y = 1, rule = B12345678/S012345678\no!\n")
        done = self.tessera("run", "explosion.rle", "--gens", 100000, "--max-memory", "4M", "--backend", "cpu",
                            "--checkpoint", "c.tsr", "--json", "--out", "a.rle", code=1)
        report = json.loads(done.stdout)
        self.assertEqual((report["stopped"], report["space"]), ("memory", "tiles"))
        self.assertRegex(done.stderr, r"\Atessera: generation \d+: the pattern takes [^\n]* 4 MiB is the limit\n\Z")
        info = json.loads(self.tessera("info", "c.tsr", "--json").stdout)
        side = 2 * report["generation"] + 1
        self.assertEqual((info["generation"], info["population"]), (report["generation"], side * side))

    def test_a_time_without_a_unit_is_in_seconds(self):
        for text, seconds in (("5", 5), ("0.5", 0.5), ("500ms", 0.5), ("2min", 120), ("1h", 3600)):
            report = self.report(GUN, "--gens", 3, "--max-time", text, "--backend", "cpu")
            self.assertEqual((report["max_time"], report["stopped"], report["generation"]), (seconds, "done", 3))

    def test_max_time_alone_stops_cleanly(self):
        done = self.tessera("run", "--soup", 0.5, "--size", "500x500", "--max-time", "200ms", "--out", "a.tsr", "--json",
                            "--stats", "s.csv", "--every", 1000, "--backend", "cpu")
        report = json.loads(done.stdout)
        self.assertEqual(report["stopped"], "time")
        self.assertGreater(report["generation"], 0)
        self.assertEqual(done.stderr, f"tessera: stopped at generation {report['generation']} by --max-time\n")
        info = json.loads(self.tessera("info", "a.tsr", "--json").stdout)
        self.assertEqual((info["generation"], info["population"]), (report["generation"], report["population"]))
        last = (self.folder / "s.csv").read_text().splitlines()[-1].split(",")
        self.assertEqual((int(last[0]), last[-1]), (report["generation"], report["hash"]))

    def test_growing_past_the_memory_limit_fails_but_keeps_everything(self):
        done = self.tessera("run", GUN, "--gens", 100000, "--max-memory", "200K", "--backend", "cpu", "--kernel", "word",
                            "--checkpoint", "c.tsr", "--json", "--out", "a.rle", code=1)
        report = json.loads(done.stdout)
        self.assertEqual(report["stopped"], "memory")
        self.assertRegex(done.stderr, r"\Atessera: generation \d+: the pattern covers .* cannot grow [^\n]*\n\Z")
        info = json.loads(self.tessera("info", "c.tsr", "--json").stdout)
        self.assertEqual((info["generation"], info["population"]), (report["generation"], report["population"]))
        more = self.report("--resume", "c.tsr", "--gens", 4000, "--backend", "cpu")
        self.assertEqual(more["hash"], self.report(GUN, "--gens", 4000, "--backend", "cpu")["hash"])


class FramesTest(ProgramTest):
    def test_frames_are_named_by_generation_and_show_the_cells(self):
        (self.folder / "p.rle").write_text("#CXRLE Gen=5\nx = 3, y = 1, rule = B3/S23:T8,6\n3o!\n")
        self.tessera("run", "p.rle", "--gens", 7, "--every", 3, "--frames", "sub/f", "--quiet", "--backend", "cpu")
        names = [f"sub/f/frame-{generation:09}.png" for generation in (5, 8, 11)]
        self.assertEqual(self.files(), sorted(["p.rle", *names]))
        black = lambda name: [(x, y) for y, row in enumerate(read_png(self.folder / name)[2])
                              for x, grey in enumerate(row) if grey == 0]
        self.assertEqual(black(names[0]), [(3, 3), (4, 3), (5, 3)])
        self.assertEqual(black(names[1]), [(4, 2), (4, 3), (4, 4)])

    def test_large_universes_are_reduced(self):
        self.tessera("run", "--soup", 0.5, "--size", "5000x1000", "--gens", 1, "--every", 5, "--frames", "f", "--quiet")
        self.assertEqual(read_png(self.folder / "f/frame-000000000.png")[:2], (1667, 334))

    def test_view_and_scale(self):
        view = lambda *words: (self.tessera("run", "-", "--gens", 0, "--frames", "f", "--quiet", *words, input=(
            "x = 3, y = 1, rule = B3/S23\n3o!\n")), read_png(self.folder / "f/frame-000000000.png"))[1]
        width, height, rows = view()
        self.assertEqual((width, height), (1024, 1024))
        self.assertEqual(sum(row.count(0) for row in rows), 3)
        self.assertEqual(view("--view", "1,0,4x2"), (4, 2, [[0, 0, 255, 255], [255] * 4]))
        self.assertEqual(view("--view", "-1,0,4x1", "--scale", "1/2"), (8, 2, [[255, 255, 0, 0, 0, 0, 0, 0]] * 2))
        # Pixels of 2x2 cells of which one or two live, as bright as in the window.
        self.assertEqual(view("--view", "-1,-1,4x4", "--scale", "2"),
                         (2, 2, [[255 - round(255 * (0.3 + 0.7 * (grey / 255) ** 0.5)) if grey else 255 for grey in row]
                                 for row in ((64, 128), (0, 0))]))
        # A single cell of ten thousand is seen.
        one = view("--view", "-100,-100,200x200", "--scale", "100")
        self.assertLess(min(map(min, one[2])), 180)
        self.assertEqual(view("--view", "-5000000,-5000000,10000000x10000000", "--scale", "1000000")[0], 10)

    def test_default_view_of_the_plane_stays_when_resumed(self):
        self.tessera("run", ACORN, "--gens", 500, "--every", 250, "--frames", "a", "--quiet", "--backend", "cpu")
        self.tessera("run", ACORN, "--gens", 250, "--checkpoint", "c.tsr", "--quiet", "--backend", "cpu")
        self.tessera("run", "--resume", "c.tsr", "--gens", 500, "--every", 250, "--frames", "b", "--quiet")
        for generation in (250, 500):
            name = f"frame-{generation:09}.png"
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
