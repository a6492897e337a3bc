"""Completions and manual pages: complete against --help, and tried in the shells that are installed."""

import os
import pathlib
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest, needs

VIEWER = os.environ.get("TESSERA_VIEWER")  # where it is built
SCRIPTS = {"bash": "bash-completion/completions/{}", "zsh": "zsh/site-functions/_{}", "fish": "fish/vendor_completions.d/{}.fish"}


class ViewerPagesTest(ProgramTest):
    """The viewer has one set of options and no subcommands."""

    def setUp(self):
        super().setUp()
        if not VIEWER:
            self.skipTest("the viewer is not built")
        subprocess.run([VIEWER, "--pages", self.folder / "share"], check=True, timeout=60)
        help_text = subprocess.run([VIEWER, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout
        names = re.findall(r"^  (-\S+)", help_text, re.M)
        self.options = {name for each in names for name in each.split(",") if name.startswith("--")}
        self.assertLessEqual({"--help", "--soup", "--bench-frames"}, self.options)
        self.assertNotIn("--pages", help_text)

    def script(self, shell):
        return self.folder / "share" / SCRIPTS[shell].format("tessera-viewer")

    def offers(self, shell, line):
        (self.folder / "gun.rle").touch()
        if shell == "bash":
            asked = (f"source {self.script('bash')}; compopt() {{ :; }}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                     "_tessera_viewer; printf '%s\\n' \"${COMPREPLY[@]}\"")
            words = ["bash", "--norc", "-uc", asked, "bash", *line.split(" ")]
        else:
            words = ["fish", "--no-config", "-c", f"source {self.script('fish')}; complete -C '{line}'"]
        out = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60, check=True,
                             env={**os.environ, "HOME": str(self.folder)}).stdout
        return {row.split("\t")[0] for row in out.splitlines()}

    def check(self, shell):
        offers = lambda line: self.offers(shell, line)
        self.assertEqual({word for word in offers("tessera-viewer --") if word.startswith("--")}, self.options)
        self.assertEqual(offers("tessera-viewer --pictures "), {"auto", "host"})
        self.assertEqual(offers("tessera-viewer --rule High"), {"HighLife"})
        self.assertEqual(offers("tessera-viewer gun.rle --space t"), {"tiles"})
        self.assertIn("gun.rle", offers("tessera-viewer gu"))
        self.assertIn("gun.rle", offers("tessera-viewer --soup 0.5 --resume gu"))

    @needs("bash")
    def test_bash_completes(self):
        self.check("bash")

    @needs("fish")
    def test_fish_completes(self):
        self.check("fish")

    @needs("zsh")
    def test_zsh_reads_its_script_and_has_every_option(self):
        asked = (f"fpath=({self.script('zsh').parent} $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[tessera-viewer]; "
                 f"source {self.script('zsh')}; print $_comps[tessera-viewer]; print -l ${{(k)functions[(I)_tessera*]}}")
        told = subprocess.run(["zsh", "-f", "-c", asked], cwd=self.folder, capture_output=True, text=True, timeout=60, check=True).stdout.split()
        self.assertEqual(told[:2], ["_tessera-viewer", "_tessera_viewer"])
        self.assertIn("_tessera_viewer", told[2:])
        self.assertEqual(set(re.findall(r"(--[a-z-]+)\[", self.script("zsh").read_text())), self.options)

    def test_manual_holds_every_option_and_names_the_other_program(self):
        page = (self.folder / "share/man/man1/tessera-viewer.1").read_text()
        self.assertEqual({word.replace("\\-", "-") for word in re.findall(r"\\fB(\\-\\-[^ ]*?)\\fR", page)}, self.options)
        self.assertEqual(re.findall(r"^\.SH (.*)$", page, re.M), ["NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "OPTIONS", "NOTES", "EXAMPLES",
                                                                "EXIT STATUS", "SEE ALSO"])
        self.assertTrue(page.endswith(".SH SEE ALSO\n\\fBtessera\\fR(1)\n"), page[-60:])

    @needs("groff")
    def test_groff_has_nothing_to_say(self):
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww", self.folder / "share/man/man1/tessera-viewer.1"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("TESSERA-VIEWER(1)", done.stdout)


class PagesTest(ProgramTest):
    def subcommands(self):
        return re.findall(r"^  ([a-z]+)\s", self.tessera("--help").stdout.split("Subcommands:")[1], re.M)

    def options(self, subcommand):
        """Long names of all options, second names too."""
        found = re.findall(r"^  (-\S+)", self.tessera(subcommand, "--help").stdout, re.M)
        return {name for names in found for name in names.split(",") if name.startswith("--")}

    def in_shell(self, shell, *words):
        return subprocess.run([shell, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=True,
                              env={**os.environ, "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}).stdout.split()

    def bash(self, line):
        """What bash offers at the end of a line."""
        words = line.split(" ")
        (self.folder / "completion").write_text(self.tessera("completions", "bash").stdout)
        script = ("source ./completion; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                  "_tessera; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return set(self.in_shell("bash", "--norc", "-uc", script, "bash", *words))

    def fish(self, line):
        (self.folder / "tessera.fish").write_text(self.tessera("completions", "fish").stdout)
        out = subprocess.run(["fish", "--no-config", "-c", f"source tessera.fish; complete -C '{line}'"], cwd=self.folder,
                             capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "HOME": str(self.folder)})
        return {row.split("\t")[0] for row in out.stdout.splitlines()}

    def check(self, offers):
        """The same questions to every shell."""
        (self.folder / "gun.rle").touch()
        (self.folder / "pictures").mkdir()
        self.assertLessEqual(set(self.subcommands()), offers("tessera "))
        self.assertEqual(offers("tessera comp"), {"compare", "completions"})
        for subcommand in self.subcommands():
            self.assertEqual({word for word in offers(f"tessera {subcommand} --") if word.startswith("--")}, self.options(subcommand))
        self.assertEqual(offers("tessera run --space "), {"auto", "grid", "tiles"})
        self.assertEqual(offers("tessera run --link "), {"auto", "peer", "nccl", "host"})
        self.assertEqual(offers("tessera run --rule High"), {"HighLife"})
        self.assertLessEqual({"auto", "cpu"}, offers("tessera run gun.rle --backend "))
        self.assertIn("gun.rle", offers("tessera run gu"))
        self.assertIn("gun.rle", offers("tessera run gun.rle --out gu"))
        self.assertIn("pictures", {word.rstrip("/") for word in offers("tessera run gun.rle --frames pi")})
        self.assertIn("info", offers("tessera help in"))
        self.assertEqual(offers("tessera rules High"), {"HighLife"})

    @needs("bash")
    def test_bash_completes(self):
        self.check(self.bash)

    @needs("fish")
    def test_fish_completes(self):
        self.check(self.fish)

    @needs("zsh")
    def test_zsh_reads_its_script_and_has_every_option(self):
        script = self.tessera("completions", "zsh").stdout
        (self.folder / "_tessera").write_text(script)
        # Defines the functions as the completion system does, which needs a terminal for more.
        told = self.in_shell("zsh", "-f", "-c", "fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u; "
                             "print $_comps[tessera]; source ./_tessera; print -l ${(k)functions[(I)_tessera*]}")
        self.assertEqual(told[0], "_tessera")
        self.assertLessEqual({f"_tessera_{name}" for name in self.subcommands()}, set(told))
        for subcommand in self.subcommands():
            body = re.search(rf"^_tessera_{subcommand}\(\) \{{\n(.*?)^\}}", script, re.M | re.S)[1]
            self.assertEqual(set(re.findall(r"(--[a-z-]+)\[", body)), self.options(subcommand))

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("accepted are bash, zsh and fish", self.refused("completions", "tcsh"))

    def manuals(self):
        self.tessera("pages", "share")
        return sorted((self.folder / "share/man/man1").iterdir())

    def test_manuals_hold_every_option(self):
        names = {path.name for path in self.manuals()}
        self.assertEqual(names, {"tessera.1", *(f"tessera-{name}.1" for name in self.subcommands())})
        for name in self.subcommands():
            page = self.tessera("man", name).stdout
            self.assertEqual(page, (self.folder / f"share/man/man1/tessera-{name}.1").read_text())
            headings = re.findall(r"^\.SH (.*)$", page, re.M)
            for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(heading, headings)
            bold = {word.replace("\\-", "-") for word in re.findall(r"\\fB(\\-\\-[^ ]*?)\\fR", page)}
            self.assertEqual(bold, self.options(name))
        for name in SCRIPTS.values():
            self.assertGreater((self.folder / "share" / name.format("tessera")).stat().st_size, 1000)

    @needs("groff")
    def test_groff_has_nothing_to_say(self):
        for path in self.manuals():
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", path], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            self.assertIn(path.stem.upper(), done.stdout)


if __name__ == "__main__":
    unittest.main()
