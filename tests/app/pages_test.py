"""Completions and manual pages: complete against --help, and tried in the shells that are installed."""

import os
import pathlib
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest, needs


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
        self.assertEqual(offers("tessera run --link "), {"auto", "peer", "host"})
        self.assertEqual(offers("tessera run --rule High"), {"HighLife"})
        self.assertLessEqual({"auto", "cpu"}, offers("tessera run gun.rle --backend "))
        self.assertIn("gun.rle", offers("tessera run gu"))
        self.assertIn("gun.rle", offers("tessera run gun.rle --out gu"))
        self.assertIn("pictures", {word.rstrip("/") for word in offers("tessera run gun.rle --frames pi")})
        self.assertIn("info", offers("tessera help in"))

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
        for name in ("bash-completion/completions/tessera", "zsh/site-functions/_tessera", "fish/vendor_completions.d/tessera.fish"):
            self.assertGreater((self.folder / "share" / name).stat().st_size, 1000)

    @needs("groff")
    def test_groff_has_nothing_to_say(self):
        for path in self.manuals():
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", path], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            self.assertIn(path.stem.upper(), done.stdout)


if __name__ == "__main__":
    unittest.main()
