"""What is on the screen: zoom, colours, themes."""

import collections

from harness import ACORN, BACKEND, DARK, GUN, R_PENTOMINO, ViewerTest, dark, drag, key


class Seeing(ViewerTest):
    def test_the_wheel_keeps_the_cell_under_the_cursor(self):
        steps = ["move 333 222"]
        for wheel in (1, 1, -1, -3, -4, -2, 1, -5, 3, -2):
            steps += [f"wheel {wheel}", "wait", "state"]
        out = self.play(*steps, start=(GUN,))

        def under(state):
            cells, pixels = state["scale"]
            return [state["seen"][i] + ((333, 222)[i] * cells if cells > 1 else 0) for i in (0, 1)], cells

        # Zoomed in, the pixel of the drawn cell tells more: the wheel's cell is alive before and after.
        zoomed_out = [under(s) for s in out if s["scale"][0] > 1]
        self.assertGreater(len(zoomed_out), 2)
        for (a, size_a), (b, size_b) in zip(zoomed_out, zoomed_out[1:]):
            for i in (0, 1):
                self.assertTrue(a[i] < b[i] + size_b and b[i] < a[i] + size_a, (a, size_a, b, size_b))

    def test_a_drawn_cell_stays_under_the_cursor_through_all_levels(self):
        steps = [key("zoom-one"), "move 333 222", "press left", "release left", "wait"]
        for wheel in [1] * 6 + [-1] * 14:
            steps += [f"wheel {wheel}", "wait", "state", "pixels 333 222 1 1"]
        out = self.play(*steps, start=("--rule", "B3/S23:P3000,3000"))
        for state, pixel in zip(out[0::2], out[1::2]):
            self.assertNotEqual(pixel[0][0], DARK["dead"], state["scale"])

    def test_densities_are_true_at_every_level(self):
        # Three bands of 256 columns, a quarter, a half and three quarters full.
        odd, even = "ob" * 128 + "ob" * 128 + "256o", "256b" + "ob" * 128 + "ob" * 128
        (self.folder / "bands.rle").write_text(
            "#CXRLE Pos=-384,-384\nx = 768, y = 768, rule = B/S:T768,768\n" + "$".join([odd, even] * 384) + "!\n")
        levels = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
        steps = [key("centre"), key("zoom-one")]
        for cells in levels:
            steps += ["wait", "state"]
            steps += [f"pixels {300 + band // cells - 1} 274 2 2" for band in (-256, 0, 256)]
            steps += [key("zoom-out")]
        out = self.play(*steps, start=("bands.rle",))
        self.assertEqual([state["scale"][0] for state in out[0::4]], levels)
        for i, cells in enumerate(levels):
            for band, quarters in enumerate((1, 2, 3)):
                seen = {colour for row in out[4 * i + 1 + band] for colour in row}
                if cells == 1:
                    self.assertEqual(seen, {DARK["dead"], DARK["alive"]})
                elif cells == 3:  # three cells and a half period: two of the nine rows more or less
                    self.assertLessEqual(seen, {dark(round(255 * live / 9)) for live in (1, 2, 3, 4, 5, 6, 7, 8)})
                else:
                    self.assertEqual(seen, {dark(round(255 * quarters / 4))}, (cells, quarters))

    def test_copies_of_a_torus_lie_under_a_veil_and_nothing_beyond_a_plane(self):
        def veiled(colour):
            return sum(((DARK["outside"] >> shift & 255) * 144 + (colour >> shift & 255) * 111 + 127) // 255 << shift
                       for shift in (0, 8, 16))

        # 8 pixels a cell: the universe begins at pixel 44, and its copy on the left ends there.
        for rule in ("B3/S23:T64,64", "B3/S23:P64,64"):
            state, beyond, inside = self.play(key("grid"), "wait", "state", "pixels 0 200 40 30", "pixels 512 200 40 30",
                                              start=("--soup", 0.5, "--rule", rule))
            self.assertEqual((state["scale"], state["view"]), ([1, 8], [600, 550]))
            self.assertEqual({colour for row in inside for colour in row}, {DARK["dead"], DARK["alive"]})
            torus = ":T" in rule
            self.assertEqual(beyond, [[veiled(colour) if torus else DARK["outside"] for colour in row] for row in inside])

    def test_keys_move_the_view(self):
        out = self.play(key("zoom-one"), "wait", "state", key("left"), "wait", "state", key("right"), key("up"), "wait", "state",
                        key("down"), "wait", "state", key("fit"), "wait", "state", key("centre"), "wait", "state", start=(ACORN,))
        seen = [s["seen"][:2] for s in out]
        self.assertEqual(seen[1], [seen[0][0] - 64, seen[0][1]])
        self.assertEqual(seen[2], [seen[0][0], seen[0][1] - 64])
        self.assertEqual(seen[3], seen[0])
        self.assertGreater(out[4]["scale"][1], 1)

    def test_drags_with_the_middle_button_and_with_the_tool_move_the_view(self):
        out = self.play(key("zoom-one"), "wait", "state", drag(100, 100, 150, 130, "middle"), "wait", "state",
                        key("pan-tool"), drag(150, 130, 100, 100), "wait", "state", start=(ACORN,))
        seen = [s["seen"][:2] for s in out]
        self.assertEqual(seen[1], [seen[0][0] - 50, seen[0][1] - 30])
        self.assertEqual(seen[2], seen[0])

    def test_looks_change_and_survive_nothing_but_their_key(self):
        names = ["grid", "history", "theme", "panel", "graph"]
        steps = ["state"]
        for name in names:
            steps += [key(name), "wait", "state"]
        out = self.play(*steps, start=(ACORN,))
        for name, before, after in zip(names, out, out[1:]):
            self.assertNotEqual(before[name], after[name])
            if name == "panel":
                self.assertGreater(after["view"][0], before["view"][0])
        self.assertEqual(len(set(self.hashes(out))), 1)

    def test_themes_differ_and_age_colours_show_trails(self):
        shots = []
        steps = [key("grid"), key("history"), key("go-to"), "text 90", "wait", "key Return", "wait"]
        for i in range(3):
            steps += ["pixels 0 0 580 500", key("theme"), "wait"]
            shots.append(i)
        steps += [key("history"), "wait", "pixels 0 0 580 500"]
        out = self.play(*steps, start=(R_PENTOMINO,))
        colours = [{c for row in image for c in row} for image in out]
        self.assertTrue(all(len(c) > 20 for c in colours[:3]), [len(c) for c in colours])
        self.assertEqual(len({image[0][0] for image in out[:3]}), 3)
        self.assertLess(len(colours[3]), 10)

    def test_ages_outlive_another_backend(self):
        out = self.play(key("grid"), key("history"), key("go-to"), "text 40", "wait", "key Return", "wait", "pixels 0 0 580 500",
                        key("next-backend"), "wait", "pixels 0 0 580 500", key("go-to"), "text 60", "wait", "key Return", "wait",
                        "pixels 0 0 580 500", start=("--soup", 0.3, "--size", "90x70"))
        before, switched, later = out
        self.assertEqual(before, switched)
        self.assertNotEqual(before, later)
        self.assertGreater(len({c for row in later for c in row}), 40)

    def test_pictures_are_the_same_whichever_way_they_go(self):
        looked = ["wait", "pixels 0 0 580 500"]
        steps = ["state", *looked]
        for _ in range(6):  # more than there are places for pictures
            steps += [key("step-one"), *looked]
        steps += ["wheel -1", *looked, "resize 1000 700", "wait", *looked, key("history"), "wait"]
        for _ in range(3):
            steps += [key("step-one"), *looked]
        steps += ["state", key("next-backend"), *looked, key("history"), *looked]
        seen = {}
        for way in ("auto", "host"):
            out = self.play(*steps, start=("--soup", 0.3, "--size", "700x650", "--pictures", way))
            # On Mesa's devices of software OpenGL imports what Vulkan exports.
            expected = "shared" if (way, BACKEND) == ("auto", "vulkan") else "host"
            self.assertEqual([each["pictures"] for each in out if isinstance(each, dict)], [expected] * 2)
            seen[way] = [each for each in out if isinstance(each, list)]
        self.assertEqual(len(seen["host"]), 14)
        self.assertEqual(len({str(each) for each in seen["host"]}), 13)  # all but that of another backend
        for i, (auto, host) in enumerate(zip(seen["auto"], seen["host"])):
            self.assertTrue(auto == host, f"picture {i} differs")

    def test_resizing_keeps_the_middle(self):
        out = self.play(key("zoom-one"), "wait", "state", "resize 1000 700", "wait", "wait", "state", start=(ACORN,))
        before, after = out
        self.assertEqual(after["view"], [before["view"][0] + 100, before["view"][1] + 100])
        self.assertEqual(after["seen"][:2], [before["seen"][0] - 50, before["seen"][1] - 50])

    def test_auto_fit_follows_a_growing_pattern_until_the_view_is_moved(self):
        go = [key("go-to"), "text 600", "wait", "key Return", "wait", "state"]
        on = self.play("state", *go, start=(R_PENTOMINO,))
        off = self.play("state", "wheel 0", key("zoom-in"), "wait", "state", *go, key("auto-fit"), "wait", "state", start=(R_PENTOMINO,))
        self.assertEqual([s["auto_fit"] for s in on + off], [True, True, True, False, False, True])
        before, after = on
        self.assertGreater(after["bounds"][2] - after["bounds"][0], before["seen"][2])
        self.assertEqual(off[1]["seen"], off[2]["seen"])
        for state in (before, after, off[0], off[3]):
            self.assertTrue(self.sees_all(state), state)
        self.assertFalse(self.sees_all(off[2]))

    def sees_all(self, state):
        (x, y, width, height), (left, top, right, bottom) = state["seen"], state["bounds"]
        return x <= left and y <= top and right < x + width and bottom < y + height

    def test_zoom_to_selection(self):
        out = self.play(key("zoom-one"), key("select-tool"), drag(300, 200, 379, 259), "wait", key("fit-selection"), "wait", "state",
                        start=("--rule", "B3/S23:T4000,4000"))
        x, y, width, height = out[0]["selection"]
        left, top, columns, rows = out[0]["seen"]
        self.assertEqual((width, height), (80, 60))
        self.assertTrue(left <= x and top <= y and x + width <= left + columns and y + height <= top + rows, out[0])
        self.assertEqual(out[0]["scale"], [1, 6])
        self.assertIn("selection 80 x 60", out[0]["status_line"])

    def test_a_glider_among_a_million_cells_is_seen(self):
        (self.folder / "glider.rle").write_text("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n")
        steps = []
        for theme in range(3):
            for zoom in range(3):
                steps += ["wait", "state", "pixels 0 0 600 550", *[key("zoom-out")] * 9]
            steps += [*[key("zoom-in")] * 27, key("theme")]
        out = self.play(key("zoom-one"), *[key("zoom-out")] * 20, *steps, start=("glider.rle",))
        for state, image in zip(out[0::2], out[1::2]):
            self.assertGreaterEqual(state["scale"][0], 1024)
            counts = collections.Counter(colour for row in image for colour in row)
            (dead, _), (live, pixels) = counts.most_common()
            self.assertLessEqual(pixels, 4)
            apart = sum(abs((dead >> shift & 255) - (live >> shift & 255)) for shift in (0, 8, 16))
            self.assertGreater(apart, 120, (hex(dead), hex(live)))

    def test_the_status_line_tells_what_a_player_wants_and_the_rest_on_hover(self):
        out = self.play("move 300 275", "wait", "state", key("go-to"), "text 1103", "wait", "key Return", "wait", "state",
                        key("run"), "until 1150", "state", key("run"), start=(R_PENTOMINO,))
        self.assertEqual(out[0]["status_line"][:4], ["Generation 0", "population 5", "paused", "B3/S23"])
        self.assertEqual(out[1]["status_line"][:2], ["Generation 1,103", "population 116"])
        self.assertRegex(out[0]["status_line"][4], r"^scale \d+:1$")
        self.assertRegex(out[0]["status_line"][5], r"^cell \(-?\d+, -?\d+\)$")
        self.assertRegex(out[2]["status_line"][2], r"^\d+(\.\d)? gen/s$")
        details = " ".join(out[0]["status_details"])
        for word in (out[0]["backend"], out[0]["kernel"], "Cells held as: "):
            self.assertIn(word, details)
            self.assertNotIn(word, " ".join(out[0]["status_line"]))

    def test_cells_have_the_colours_of_their_rule_file(self):
        (self.folder / "Looks.rule").write_text(
            "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:none\n@COLORS\n1 255 0 0\n2 0 128 0\n@NAMES\n1 100% red\n")
        (self.folder / "p.rle").write_text("x = 2, y = 1, rule = Looks\nAB!\n")
        # The CPU alone steps rules of files.
        pixels, = self.play(key("zoom-one"), key("grid"), "wait", "pixels 200 200 180 150", start=(f"{self.folder}/p.rle",),
                            backend=("--backend", "cpu"))
        self.assertEqual({colour for row in pixels for colour in row}, {0x303030, 0xff0000, 0x008000})

    def test_help_lists_and_closes(self):
        out = self.play(key("help"), "wait", "state", key("cancel"), "wait", "state", key("full-screen"), "wait", "state")
        self.assertEqual([s["dialog"] for s in out[:2]], [9, 0])
        self.assertTrue(out[2]["full_screen"])
