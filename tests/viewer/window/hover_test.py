"""What the window says of itself: tooltips, separators, labels, the graph's axes, recent files."""

import json
import shutil

from harness import ACTIONS, BACKEND, GUN, PATTERNS, R_PENTOMINO, ViewerTest, entered, environment, key, pushed, resized

BLUE = 0x2f81f7  # the dark theme's curve
SHADES = 24      # by which the edges of a line may differ


class Hover(ViewerTest):
    def layout_of(self, out):
        return {place["title"]: place for place in reversed(next(each for each in out if "places" in each)["places"])}

    def test_buttons_and_items_tell_what_they_do(self):
        buttons = {"toolbar Run": "run", "toolbar Step": "step", "toolbar Back": "step-back", "toolbar Draw": "draw-tool",
                   "toolbar Undo": "undo", "toolbar Zoom": "fit-selection", "panel Reset": "reset", "panel Fill": "fill"}
        steps = [each for title in buttons for each in (f"point {title}", "wait", "state")]
        out = self.play(resized(900, 1200), "move 300 275", "wait", "state", *steps, start=(GUN,))[1:]
        self.assertEqual(out[0]["tooltip"], "")
        said = [state["tooltip"] for state in out[1:]]
        for text, name in zip(said, buttons.values()):
            self.assertRegex(text, r"^[A-Z].*\S \(.+\)$")
            self.assertTrue(text.endswith(f" ({ACTIONS[name][2]})"), text)
        self.assertEqual(len(set(said)), len(said))
        self.assertIn("Steps as many generations as the step size says", said[1])

    def test_every_item_of_a_menu_tells_what_it_does(self):
        steps, titles = [resized(640, 480)], []
        for menu in sorted({menu for menu, _, _ in ACTIONS.values()}):
            steps += [pushed(menu), "wait"]
            for in_menu, title, _ in ACTIONS.values():
                if in_menu == menu:
                    steps += [f"point {title}", "wait", "state", "layout"]
                    titles.append(title)
            steps += [key("cancel"), "wait"]
        out = self.play(*steps, start=(GUN,))[1:]
        said = dict(zip(titles, (state["tooltip"] for state in out[0::2])))
        self.assertEqual([title for title, text in said.items() if len(text) < 6], [])
        # Only the four ways to move the view are told in the same words.
        self.assertEqual(len(set(said.values())), len(said) - 5, said)
        for layout in out[1::2]:
            for window in layout["windows"]:
                if "Tooltip" in window["name"]:
                    left, top, right, bottom = window["corners"]
                    self.assertTrue(0 <= left and 0 <= top and right <= 640 and bottom <= 480, window)

    def test_lines_set_off_groups_of_items(self):
        out = self.play(pushed("File"), "wait", "layout", start=(GUN,))
        places = self.layout_of(out)
        items = sorted((places[title]["corners"][1], places[title]["corners"][3], title) for menu, title, _ in ACTIONS.values()
                       if menu == "File")
        gaps = {lower: top - bottom for (_, bottom, _), (top, _, lower) in zip(items, items[1:])}
        plain = min(gaps.values())
        self.assertEqual([title for title, gap in gaps.items() if gap > plain + 2], ["Open...", "Save", "Screenshot", "Quit"])

    def test_the_status_line_tells_the_rest_on_hover(self):
        out = self.play("point status line", "wait", "state", key("hyperspeed"), "wait", "state", key("full-speed"), "wait", "state",
                        resized(320, 240), "point status line", "wait", "state", start=(GUN,))
        out = [each for each in out if isinstance(each, dict)]
        lines = out[0]["tooltip"].split("\n")
        self.assertRegex(lines[0], rf"^Backend: {BACKEND}, \S")
        self.assertEqual([line.split(": ")[0] for line in lines[1:]], ["Kernel", "Cells held as", "Pictures", "Frame time"])
        self.assertRegex(lines[4], r"^Frame time: \d+\.\d ms$")
        self.assertIn("hyperspeed", out[1]["status_line"])
        self.assertIn("hyperspeed: no effect at full speed", out[2]["status_line"])
        # In a small window, what has no room is there, too.
        self.assertIn("B3/S23", out[3]["tooltip"].split("\n"))
        self.assertNotIn("B3/S23", lines)

    def test_labels_are_the_fields_own_words(self):
        out = self.play("layout", key("new"), "wait", "layout", key("cancel"), key("browse"), "browsed", "layout", start=(GUN,))
        panel, new, browser = ({place["title"] for place in each["places"]} for each in out)
        self.assertLessEqual({"Step size", "Fill density", "panel Age colours", "Paste mode", "Timeline"}, panel)
        self.assertIn("Create", new)
        self.assertIn("Filter...", browser)
        titles = {title for _, title, _ in ACTIONS.values()}
        self.assertLessEqual({"Actual size (1:1)", "Rotate clockwise", "Rotate anticlockwise", "Flip horizontally", "Flip vertically",
                              "Deselect", "Random fill", "Age colours", "Zoom to fit", "Auto-fit", "Zoom to selection"}, titles)

    def test_the_graph_has_axes_and_its_peak_where_they_say(self):
        layout = self.play("layout", start=(R_PENTOMINO,))[0]
        left, top, right, bottom = (round(x) for x in self.layout_of([layout])["population graph"]["corners"])
        menu = next(round(window["corners"][3]) for window in layout["windows"] if window["name"] == "##MainMenuBar")
        out = self.play(key("go-to"), entered(1200), "state", f"pixels {left} {top - menu} {right - left} {bottom - top}",
                        f"move {(left + right) // 2} {(top + bottom) // 2 - menu}", "wait", "state", start=(R_PENTOMINO,))
        state, rows = out[0], out[1]
        first, last, high = state["peak"]
        self.assertTrue(first <= 821 <= last and high == 319, state["peak"])
        self.assertRegex(out[2]["tooltip"], r"^Generation \d+( to \d+)?\nPopulation \d+( to \d+)?$")
        width, ground = len(rows[0]), max(set(sum(rows, [])), key=sum(rows, []).count)
        # Lines of the same colour across the graph, at 0, 100, 200, 300 and 400 cells.
        across = [y for y, row in enumerate(rows) if max((row.count(colour) for colour in set(row) - {ground}), default=0) > width / 2]
        self.assertEqual(len(across), 5, across)
        self.assertLessEqual(max(abs((b - a) - (across[-1] - across[0]) / 4) for a, b in zip(across, across[1:])), 1)
        line = max(set(rows[across[0]]) - {ground}, key=rows[across[0]].count)
        axis = rows[across[0]].index(line)
        self.assertTrue(all(row[axis] != ground for row in rows[across[0]:across[-1] + 1]))

        def is_curve(colour):
            return all(abs((colour >> shift & 255) - (BLUE >> shift & 255)) < SHADES for shift in (0, 8, 16))
        curve = [(y, x) for y, row in enumerate(rows) for x, colour in enumerate(row) if is_curve(colour)]
        y, x = min(curve)
        high, low = across[0], across[-1]
        self.assertLessEqual(abs(y - (low - (low - high) * 319 / 400)), 2)
        self.assertLessEqual(abs(x - (axis + (width - 1 - axis) * 821 / 1200)), 3)
        # Numbers: beside every line, and below the axis at 0, 500 and 1,000.
        for each in across:
            self.assertTrue(any(colour != ground for row in rows[max(0, each - 4):each + 5] for colour in row[:axis - 5]), each)
        below = [any(rows[y][x] != ground for y in range(low + 5, len(rows))) for x in range(width)]
        inked = [x for x, ink in enumerate(below) if ink]
        words = 1 + sum(b - a > 12 for a, b in zip(inked, inked[1:]))
        self.assertEqual(words, 3)

    def test_recent_files_are_in_the_menu_last_one_first(self):
        names = [f"p{i}" for i in range(10)]
        for i, name in enumerate(names):
            (self.folder / f"{name}.rle").write_text(f"x = {i + 1}, y = 1\n{i + 1}o!\n")
        paths = [str(self.folder / f"{name}.rle") for name in names]
        config = self.folder / "config" / "tessera" / "viewer.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"recent": paths}))
        (self.folder / "p7.rle").unlink()
        (self.folder / "bad.rle").write_text("x = 3, y = 3\n2q!\n")
        out = self.play(pushed("File"), "wait", "layout", pushed(paths[2]), "wait", "state", pushed("File"), "wait", pushed(paths[7]), "wait",
                        "state", f"drop {self.folder}/bad.rle", "wait", key("save-as"), entered(f"{self.folder}/new.rle"), "state",
                        start=("--keep-settings", "--rule", "B3/S23"))
        places = self.layout_of(out)
        listed = sorted((path for path in paths if path in places), key=lambda path: places[path]["corners"][1])
        self.assertEqual(listed, paths[:8])
        _, opened, missing, saved = out
        self.assertEqual((opened["population"], opened["title"]), (3, "p2.rle - Tessera"))
        self.assertEqual((missing["population"], missing["title"]), (3, "p2.rle - Tessera"))
        self.assertIn("p7.rle", missing["message"])
        # Neither the missing one nor one that could not be opened; the saved one is the last.
        left = [str(self.folder / "new.rle"), *(paths[i] for i in (2, 0, 1, 3, 4, 5, 6))]
        self.assertEqual(json.loads(config.read_text())["recent"], left)

    def test_escape_closes_the_lists_of_the_panel(self):
        steps = []
        for name in ("kernels", "backends"):
            steps += [pushed(name), "wait", "state", key("cancel"), "wait", "state"]
        out = self.play(resized(900, 1200), key("select-all"), "wait", "state", *steps, start=(GUN,))[1:]
        self.assertEqual([state["list_open"] for state in out], [False, True, False, True, False])
        # It closes the list alone.
        self.assertEqual({str((state["selection"], state["kernel"], state["backend"])) for state in out},
                         {str((out[0]["selection"], out[0]["kernel"], out[0]["backend"]))})

    def test_gollys_patterns_are_found_where_programs_share_data(self):
        golly = self.folder / "data" / "golly" / "Patterns"
        (golly / "Life" / "Guns").mkdir(parents=True)
        shutil.copy(GUN, golly / "Life" / "Guns" / "gun.rle")
        (golly / "one.rle").write_text("x = 1, y = 1\no!\n")
        env = {**environment(self.folder), "XDG_DATA_DIRS": f"{self.folder}/data:/usr/share"}
        out = self.play("browsed", "point acorn.rle", "wait", "state", pushed("Golly"), "browsed", "state", pushed("Life/Guns"), "browsed", "state", "key Return", "wait",
                        "state", start=(), env=env)
        self.assertRegex(out[0]["tooltip"], r"^Acorn: 7 x 3, 7 live")
        self.assertIn("1 live", out[1]["card"])
        self.assertIn("Gosper", out[2]["card"])
        self.assertEqual((out[3]["dialog"], out[3]["population"], out[3]["title"]), (0, 36, "gun.rle - Tessera"))
