"""Drawing, selections, the clipboard, undo."""

from harness import DARK, GUN, R_PENTOMINO, ViewerTest, click, drag, key, pushed, state_hash


class Editing(ViewerTest):
    def test_a_click_draws_exactly_the_cell_under_it_at_every_zoom(self):
        steps = [key("centre"), key("grid"), key("zoom-one")]
        for _ in range(11):
            steps += [key("zoom-in")]
        for _ in range(12):
            steps += ["wait", click(301, 203), "wait", "state", "pixels 236 138 130 130", click(301, 203), "wait", "state",
                      key("zoom-out")]
        out = self.play(*steps, start=("--rule", "B3/S23:P5000,5000"))
        for drawn, image, erased in zip(out[0::3], out[1::3], out[2::3]):
            pixels = drawn["scale"][1]
            self.assertEqual((drawn["population"], erased["population"]), (1, 0), drawn["scale"])
            alive = {(x, y) for y, row in enumerate(image) for x, colour in enumerate(row) if colour == DARK["alive"]}
            left, top = min(x for x, _ in alive), min(y for _, y in alive)
            self.assertEqual(alive, {(left + x, top + y) for x in range(pixels) for y in range(pixels)})
            self.assertIn((301 - 236, 203 - 138), alive)
            if pixels == 1:  # the middle of the view shows the cell (0, 0)
                self.assertEqual(drawn["hash"], state_hash([(1 + 2500, 203 - 275 + 2500)]))
        self.assertEqual([state["scale"] for state in out[0::3]], [[1, n] for n in (64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)])

    def test_where_cells_are_smaller_than_a_pixel_the_draw_tool_moves_the_view(self):
        steps = [key("draw-tool"), key("zoom-one")]
        for _ in range(4):
            steps += [key("zoom-out"), "wait", "state", click(301, 203), click(301, 203, "right"), "wait", "state", "key Escape", "wait",
                      drag(301, 203, 321, 233), "wait", "state", drag(100, 100, 110, 110, "right"), "wait", "state"]
        out = self.play(*steps, start=("--soup", 0.3, "--size", "3000x3000"))
        self.assertEqual(len(set(self.hashes(out))), 1)
        self.assertFalse(any(state["modified"] for state in out))
        for before, clicked, dragged, right in zip(*(out[i::4] for i in range(4))):
            cells = before["scale"][0]
            self.assertIn("Zoom in to draw", clicked["message"])
            self.assertEqual(clicked["seen"], before["seen"])
            self.assertEqual(dragged["seen"][:2], [before["seen"][0] - 20 * cells, before["seen"][1] - 30 * cells])
            self.assertEqual(right["seen"], dragged["seen"])

    def test_a_held_key_makes_the_left_button_move_the_view(self):
        out = self.play(key("zoom-one"), "wait", "state", "hold Space", drag(100, 100, 150, 130), "let-go Space", "wait", "state",
                        "hold Space", "wait", "state", "let-go Space", "until 3", "state", "key Space", "wait", "state", start=(GUN,))
        before, panned, held, run, paused = out
        self.assertEqual(panned["seen"][:2], [before["seen"][0] - 50, before["seen"][1] - 30])
        self.assertEqual((panned["hash"], panned["running"], panned["generation"]), (before["hash"], False, 0))
        self.assertEqual([state["running"] for state in (held, run, paused)], [False, True, False])  # the key of its action

    def test_a_selection_is_resized_at_its_edges_and_back_by_undo(self):
        # 8 pixels a cell; the selection's cells lie at pixels 44 + 8n.
        out = self.play(key("select-tool"), drag(205, 150, 421, 330), "wait", "state", drag(425, 240, 468, 240), "wait", "state",
                        drag(200, 145, 177, 169), "wait", "state", key("undo"), "wait", "state",
                        drag(300, 240, 340, 240), "wait", "state", start=("--soup", 0.4, "--seed", 3, "--size", "64x64"))
        first, wider, corner, back, moved = (state["selection"] for state in out)
        x, y, width, height = first
        self.assertEqual(wider, [x, y, width + 5, height])
        self.assertEqual(corner, [x - 3, y + 3, width + 8, height - 3])
        self.assertEqual(back, wider)
        self.assertEqual(moved, [x + 5, y, width + 5, height])
        self.assertEqual(self.hashes(out[:4]), [out[0]["hash"]] * 4)
        self.assertNotEqual(out[4]["hash"], out[0]["hash"])

    def test_strokes_draw_lines_and_the_right_button_erases(self):
        out = self.play(key("draw-tool"), drag(100, 100, 300, 250), "wait", "state",
                        drag(100, 100, 300, 250, "right"), "wait", "state", key("undo"), "wait", "state",
                        key("undo"), "wait", "state", key("redo"), "wait", "state")
        drawn, erased, again, empty, redone = out
        self.assertGreater(drawn["population"], 10)
        self.assertEqual(erased["population"], 0)
        self.assertEqual(again["hash"], drawn["hash"])
        self.assertEqual(empty["population"], 0)
        self.assertEqual(redone["hash"], drawn["hash"])
        self.assertEqual((drawn["undo"], erased["undo"], drawn["modified"]), ("Draw", "Erase", True))

    def test_every_edit_of_a_selection_and_back_by_undo(self):
        edits = ["cut", "clear-outside", "clear", "fill", "rotate-right", "rotate-left", "flip-x", "flip-y", "clear-all"]
        steps = [key("select-tool"), drag(200, 150, 420, 330), "wait", "state"]
        for edit in edits:
            steps += [key(edit), "wait", "state", key("undo"), "wait", "state"]
        out = self.play(*steps, start=("--soup", 0.4, "--seed", 3, "--size", "64x64"))
        first, rest = out[0], out[1:]
        x, y, width, height = first["selection"]
        self.assertGreater(min(width, height), 5)
        self.assertNotEqual(width, height)
        for edit, done, undone in zip(edits, rest[0::2], rest[1::2]):
            self.assertNotEqual(done["hash"], first["hash"], edit)
            self.assertEqual((undone["hash"], undone["selection"]), (first["hash"], first["selection"]), edit)
        self.assertEqual(rest[2 * edits.index("rotate-right")]["selection"][2:], [height, width])
        self.assertEqual(rest[2 * edits.index("clear-all")]["population"], 0)

    def test_dragging_inside_a_selection_moves_its_cells(self):
        out = self.play("state", key("select-all"), "wait", key("select-tool"), drag(200, 150, 420, 330), "wait", "state",
                        key("undo"), "wait", key("deselect"), "wait", "state",
                        start=("--rule", "B3/S23:T64,64", R_PENTOMINO))
        before, moved, back = out
        self.assertEqual(moved["population"], before["population"])
        self.assertNotEqual(moved["hash"], before["hash"])
        self.assertEqual(moved["undo"], "Move")
        self.assertEqual(back["hash"], before["hash"])
        self.assertNotIn("selection", back)

    def test_the_clipboard_round_trip_keeps_the_cells(self):
        out = self.play("state", key("select-all"), "wait", key("cut"), "wait", "state", key("paste"), "wait",
                        key("flip-x"), key("flip-x"), key("rotate-right"), key("rotate-left"), "move 300 200", "wait",
                        "key Return", "wait", "state", key("paste"), key("cancel"), "wait", "state", start=(GUN,))
        before, cut, pasted, same = out
        self.assertEqual((before["population"], cut["population"]), (pasted["population"], 0))
        self.assertEqual(same["hash"], pasted["hash"])

    def test_text_of_another_program_is_pasted_in_three_ways(self):
        steps = [r"clipboard x = 3, y = 1\n3o!"]
        for mode in ("or", "xor", "replace"):
            steps += [key("paste"), "move 300 200", "wait", "press left", "release left", "wait", "state"]
            steps += [key("paste"), "wait", "move 300 200", "key Return", "wait", "state", key("clear-all"), "wait", key("paste-mode")]
        out = self.play(*steps)
        self.assertEqual([(s["paste_mode"], s["population"]) for s in out],
                         [("or", 3), ("or", 3), ("xor", 3), ("xor", 0), ("replace", 3), ("replace", 3)])

    def test_a_clipboard_that_is_no_pattern_is_told(self):
        out = self.play("clipboard shopping list", key("paste"), "wait", "state")
        self.assertIn("clipboard:1:", out[0]["message"])

    def test_copy_leaves_the_cells(self):
        out = self.play("state", key("select-all"), "wait", key("copy"), "wait", "state", start=(GUN,))
        self.assertEqual(*self.hashes(out))

    def test_a_click_of_the_right_button_opens_a_menu_and_changes_nothing(self):
        clicked = (click(200, 200, "right"), "wait", "state")
        out = self.play("state", *clicked, "key Escape", "wait", "state", *clicked, pushed("Select all"), "wait", "state",
                        *clicked, pushed("Rotate clockwise"), "wait", "state", *clicked, pushed("Deselect"), "wait", "state",
                        start=(GUN,))
        before, opened, closed, _, selected, _, rotated, _, after = out
        self.assertEqual([state["menu"] for state in out], [False, True, False, True, False, True, False, True, False])
        self.assertEqual({state["hash"] for state in (opened, closed, selected)}, {before["hash"]})
        self.assertEqual(selected["selection"][2:], [36, 9])
        self.assertEqual(rotated["selection"][2:], [9, 36])
        self.assertNotIn("selection", after)
