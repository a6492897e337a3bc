"""Stepping, speeds, rules, backends."""

from harness import BACKEND, GUN, R_PENTOMINO, ViewerTest, entered, key, pushed


class Running(ViewerTest):
    def test_steps_runs_and_ways_back(self):
        out = self.play("state", key("step-one"), "wait", "key Tab", "wait", "state",
                        key("step-base"), key("step-more"), "key Shift+=", "key =", key("step-less"), key("step"), "wait", "state",
                        key("go-to"), "text 12", "wait", "key Return", "wait", "state",
                        key("go-to"), "text 2", "wait", "key Return", "wait", "state", key("reset"), "wait", "state",
                        key("run"), "until 30", key("run"), "wait", "state", key("undo"), "wait", "state", start=(GUN,))
        self.assertEqual([s["generation"] for s in out[:6]], [0, 2, 6, 12, 2, 0])
        self.assertEqual(out[4]["hash"], out[1]["hash"])
        self.assertEqual(out[5]["hash"], out[0]["hash"])
        self.assertGreaterEqual(out[6]["generation"], 30)
        self.assertFalse(out[6]["running"])
        self.assertEqual(out[7]["hash"], out[0]["hash"])

    def test_the_step_size_is_a_power_of_its_base(self):
        steps = ["state"]
        for name in ("step-more", "step-more", "step-base", "step-base", "step-more", "step-base", "step-less"):
            steps += [key(name), "state"]
        self.assertEqual([s["step"] for s in self.play(*steps)], [1, 10, 100, 4, 64, 512, 1000, 100])

    def test_hyperspeed_makes_steps_larger_while_it_runs(self):
        out = self.play(key("hyperspeed"), key("run"), "until 3000", key("run"), "wait", "state", start=(GUN,))
        self.assertTrue(out[0]["hyperspeed"])
        self.assertGreaterEqual(out[0]["step"], 100)

    def test_the_peak_is_in_the_graph_at_full_speed(self):
        out = self.play(key("full-speed"), key("run"), "until 1200", key("run"), "wait", "state", start=(R_PENTOMINO,))
        first, last, high = out[0]["peak"]
        self.assertEqual(high, 319)
        if out[0]["generation"] < 10 ** 6:
            self.assertTrue(first <= 821 <= last, out[0]["peak"])

    def test_one_generation_back_and_the_timeline(self):
        out = self.play(key("go-to"), entered(100), "state", key("go-to"), entered(101), key("step-back"), "wait", "state",
                        key("step-back"), "wait", key("step-one"), "wait", "state",
                        pushed("timeline"), "wait", "state", "point timeline", "press left", "move 890 200", "wait",
                        "release left", "wait", "state", key("reset"), "wait", key("step-back"), "wait", "state", start=(GUN,))
        self.assertEqual([s["generation"] for s in out[:3]], [100, 100, 100])
        self.assertEqual(len(set(self.hashes(out[:3]))), 1)
        self.assertTrue(40 < out[3]["generation"] < 60, out[3]["generation"])
        self.assertEqual([s["timeline"] for s in out], [[0, 100]] + [[0, 101]] * 5)
        self.assertEqual(out[4]["generation"], 101)
        self.assertEqual((out[5]["generation"], out[5]["message"]), (0, "Generation 0 is the first one"))

    def test_the_panel_tells_of_the_pattern_that_was_opened(self):
        (self.folder / "pulsar.rle").write_text("#N Pulsar\n#O J. Conway\n#C An oscillator.\nx = 13, y = 13, rule = B3/S23\n"
                                                "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$"
                                                "o4bobo4bo$o4bobo4bo2$2b3o3b3o!\n")
        out = self.play("state", key("go-to"), entered(20), "state", key("information"), "wait", "state",
                        key("new"), entered("B3/S23"), "state", start=("pulsar.rle",))
        self.assertEqual(out[0]["pattern"], {"name": "Pulsar", "author": "J. Conway", "comments": ["An oscillator."],
                                             "size": [13, 13], "population": 48})
        self.assertNotIn("period", out[0])
        self.assertEqual(out[1]["period"], 3)
        self.assertEqual([s["information"] for s in out[:3]], [True, True, False])
        self.assertNotIn("pattern", out[3])

    def test_speeds(self):
        out = self.play(key("full-speed"), key("slower"), key("slower"), "state", key("faster"), "state", key("full-speed"), "state")
        self.assertEqual([s["speed"] for s in out], [17, 18, 19])

    def test_other_kernels_and_backends_keep_the_hash(self):
        steps = [key("step-one"), "wait", "state"]
        for _ in range(4):
            steps += [key("next-kernel"), "wait", "state"]
        for _ in range(2):
            steps += [key("next-backend"), "wait", "state"]
        out = self.play(key("go-to"), "text 60", "wait", "key Return", "wait", *steps,
                        start=("--soup", 0.4, "--size", "128x128"))
        self.assertEqual(len(set(self.hashes(out))), 1)
        self.assertGreater(len({s["kernel"] for s in out}), 1)
        self.assertEqual(out[0]["backend"], BACKEND)
        self.assertIn("cpu", {s["backend"] for s in out})

    def test_rule_and_universe_from_a_field_with_the_parsers_error(self):
        out = self.play(key("rule"), "text B36/S2x", "wait", "key Return", "wait", "state", key("cancel"), "wait",
                        key("rule"), "text HighLife:P100,80", "wait", "key Return", "wait", "state", key("undo"), "wait", "state",
                        start=(R_PENTOMINO,))
        wrong, right, back = out
        self.assertEqual((wrong["rule"], wrong["dialog"]), ("B3/S23", 6))
        self.assertEqual((right["rule"], right["dialog"]), ("B36/S23:P100,80", 0))
        self.assertEqual(back["rule"], "B3/S23")

    def test_a_rule_that_the_kernel_does_not_step_is_refused_in_the_dialog(self):
        out = self.play(key("rule"), entered("B2-a/S12"), "state", entered("B36/S23"), "state", key("rule"), entered("B2-a/S12"), "state",
                        start=(GUN,), backend=("--backend", "cpu", "--kernel", "simd"))
        refused, right, again = out
        for state in (refused, again):
            self.assertEqual((state["dialog"], state["message"]), (6, ""))
            self.assertEqual(state["dialog_error"],
                             "The kernel simd of cpu steps only rules of two states that count all eight neighbours, as B3/S23 does")
        self.assertEqual([s["rule"] for s in out], ["B3/S23", "B36/S23", "B36/S23"])
        self.assertEqual((right["dialog"], right["population"]), (0, 36))

    def test_rules_of_every_family_are_stepped(self):
        rules = ("B2-a/S12", "B2/S34H", "B13/S13V", "W110", "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA")
        steps = [step for rule in rules for step in (key("rule"), entered(f"{rule}:T64,64"), key("step-one"), "wait", "state", key("reset"), "wait")]
        out = self.play(*steps, start=("--soup", 0.4, "--size", "64x64"), backend=("--backend", "cpu"))
        self.assertEqual([(s["rule"], s["dialog"], s["generation"]) for s in out], [(f"{rule}:T64,64", 0, 1) for rule in rules])
        self.assertEqual(len(set(self.hashes(out))), len(rules))

    def test_a_named_rule_is_found_and_chosen_and_keeps_the_universe(self):
        out = self.play(key("rule"), "wait", pushed("search rules"), "text corridors", "wait", pushed("Maze"), "wait",
                        pushed("Apply"), "wait", "state", start=("--rule", "B3/S23:T100,80"))
        self.assertEqual((out[0]["rule"], out[0]["dialog"]), ("B3/S12345:T100,80", 0))

    def test_new_soup_and_new_universe(self):
        out = self.play(key("soup"), "text B3/S23:T200,100", "wait", "key Return", "wait", "state",
                        key("new"), "text B2/S", "wait", "key Return", "wait", "state", key("undo"), "wait", "state")
        soup, empty, back = out
        self.assertEqual(soup["rule"], "B3/S23:T200,100")
        self.assertAlmostEqual(soup["population"] / 20000, 0.5, delta=0.02)
        self.assertEqual((empty["rule"], empty["population"]), ("B2/S", 0))
        self.assertEqual(back["hash"], soup["hash"])
