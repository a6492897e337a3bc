"""Nothing lies beyond the window: menus, panel, dialogs and their buttons, from small windows to large ones, with small fonts and
large ones."""

from harness import ACTIONS, GUN, ViewerTest, click, entered, key, pushed, resized

SIZES = ((640, 480), (1280, 800), (2560, 1440))
MENUS = ("File", "Edit", "Run", "View", "Help")
TOOLS = ("Run", "Step", "Back", "Draw", "Select", "Pan", "Undo", "Redo", "Fit", "Zoom")
PANEL = ("timeline", "population graph", "speed", "step size", "rule field", "backends", "kernels", "density",
         *(f"panel {each}" for each in ("Run", "Step", "Back", "Reset", "2^", "8^", "10^", "Draw", "Select", "Pan", "or", "xor", "replace",
                                        "Fill", "Grid", "Age colours", "Theme")))
LOOK = ("##file", "##scale", "dark", "light", "phosphor", "cells", "age", "Picture's grid lines", "Cancel")
# What each dialog has.
DIALOGS = {
    "open": ("##field", "Open", "Cancel", "Refresh"),
    "save-as": ("##field", "Save", "Cancel", "Refresh"),
    "new": ("##rule", "Create", "Cancel"),
    "soup": ("##rule", "##density", "##seed", "Create", "Cancel"),
    "go-to": ("##field", "Go", "Cancel"),
    "rule": ("##field", "search rules", "Apply", "Cancel"),
    "picture": (*LOOK, "Save"),
    "record": (*LOOK, "Record"),
    "browse": ("Filter...", "another folder", "Open", "Show at the start"),
    "help": (),
}
ROUNDING = 1  # window units


class Layout(ViewerTest):
    def views(self):
        """What is looked at: the steps to it, what must be seen, and what must be seen at least after scrolling."""
        yield ("wait",), ("status line", *MENUS), PANEL
        for name, titles in DIALOGS.items():
            steps = (key("cancel"), key(name), "browsed" if name == "browse" else "wait", "wait")
            yield (steps, titles, ()) if name == "browse" else (steps, (), titles)
        yield (key("cancel"), click(5, 5), "wait", key("quit"), "wait"), ("Save...", "Quit without saving", "Cancel"), ()
        yield (key("cancel"), key("undo"), key("save-as"), entered(f"{self.folder}/old.rle")), ("Replace", "Keep"), ()
        yield (key("cancel"), pushed("File"), "wait"), (), tuple(title for menu, title, _ in ACTIONS.values() if menu == "File")
        yield (key("cancel"), click(30, 30, "right"), "wait"), ("Paste", "Select all", "Pan"), ()

    def test_everything_is_within_reach_at_every_size(self):
        (self.folder / "old.rle").write_text("old")
        for scale in (1, 2):
            played = []
            for width, height in SIZES:
                played += [key("cancel"), resized(width, height), key("fit"), "wait"]
                for steps, _, _ in self.views():
                    played += [*steps, "layout"]
            out = self.play(*played, start=(GUN,), scale=scale)
            layouts = iter(each for each in out if isinstance(each, dict))
            for size in SIZES:
                for steps, seen, scrolled in self.views():
                    with self.subTest(scale=scale, size=size, steps=steps):
                        self.check(next(layouts), size, seen, scrolled)

    def check(self, layout, size, seen, scrolled):
        self.assertEqual(layout["size"], list(size))
        for window in layout["windows"]:
            if not window["part_of_another"]:
                self.lies_in(window["corners"], [0, 0, *size], window["name"])
            for hidden, scrolls in zip(window["hidden"], window["scrolls"]):
                self.assertTrue(hidden <= ROUNDING or scrolls or window["is_bar"], f"{window['name']} hides {window['hidden']}")
        places = {}
        for place in layout["places"]:
            places.setdefault(place["title"], place)
        for title in (*seen, *scrolled):
            self.assertIn(title, places)
            place = places[title]
            left, top, right, bottom = place["corners"]
            self.assertGreater(min(right - left, bottom - top), 8, title)
            if title in scrolled:  # to its end, then back to its top
                down = min(place["below"], max(0, bottom - place["seen"][3]))
                up = min(place["above"], max(0, place["seen"][1] - top))
                top, bottom = top - down + up, bottom - down + up
            self.lies_in([left, top, right, bottom], place["seen"], title)
        self.tools_are_there(places)

    def tools_are_there(self, places):
        """The first tools are buttons, and the others lie in a menu."""
        shown = [tool for tool in TOOLS if f"toolbar {tool}" in places]
        self.assertEqual(shown, list(TOOLS[:len(shown)]))
        self.assertEqual("toolbar More" in places, len(shown) < len(TOOLS))
        for title, place in places.items():
            if title.startswith("toolbar "):
                self.lies_in(place["corners"], place["seen"], title)

    def lies_in(self, inner, outer, what):
        inside = all(a <= b + ROUNDING for a, b in zip(outer[:2], inner[:2])) and all(a <= b + ROUNDING for a, b in zip(inner[2:], outer[2:]))
        self.assertTrue(inside, f"{what}: {inner} does not lie in {outer}")

    def test_tools_without_room_are_in_a_menu_that_does_the_same(self):
        more = pushed("toolbar More")
        out = self.play(resized(640, 480), more, "wait", "layout", "state", pushed("Zoom to fit"), "wait", "state", more, pushed("Pan"),
                        "wait", "state", start=(GUN,), scale=2)
        layout, _, fitted, pan = out[1:]
        listed = {place["title"] for place in layout["places"]}
        for name in ("run", "step", "step-back", "draw-tool", "select-tool", "pan-tool", "undo", "redo", "fit", "fit-selection"):
            self.assertIn(ACTIONS[name][1], listed)
        out = out[2:]
        self.assertEqual([s["menu"] for s in out], [True, False, False])
        self.assertIn("fit", fitted["performed"])
        self.assertEqual(pan["tool"], 2)
