"""Compares a page with what the programs say: every option of every subcommand, and every subcommand, is in both.

usage: options.py PAGE TESSERA [TESSERA-VIEWER]
"""
import re
import subprocess
import sys

SHARED = {"--help", "--version"}  # of every program


def help_of(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout


def options_of(program, *arguments):
    """Options stand at the beginning of a line of help; a second name of an option does not count."""
    return set(re.findall(r"^\s+(?:-\w,)?(--[a-z][a-z-]*)", help_of(program, *arguments), re.M)) - SHARED


def subcommands_of(program):
    return set(re.findall(r"^  ([a-z]+)\s", help_of(program).split("Subcommands:")[1], re.M))


def first_cells(page):
    return [re.split(r"(?<!\\)\|", line)[1] for line in page.splitlines() if line.startswith("|")]


def options_in(page):
    """The options in the first cells of tables, by program: those from 'option of `NAME`' to the next such table or the next
    chapter."""
    found, name = {}, None
    for line in page.splitlines():
        if line.startswith("## "):
            name = None
        if not line.startswith("|"):
            continue
        cell = first_cells(line)[0]
        if heading := re.search(r"option of `([a-z -]+)`", cell):
            name = heading[1]
            found[name] = set()
        elif name:
            found[name].update(re.findall(r"--[a-z][a-z-]*", cell))
    return found


def differences(what, documented, real):
    for name in sorted(documented - real):
        yield f"the page has the {what} {name}, which the program does not"
    for name in sorted(real - documented):
        yield f"the program has the {what} {name}, which the page does not"


def main(path, tessera, viewer=None):
    page = open(path, encoding="utf-8").read()
    subcommands = subcommands_of(tessera)
    real = {f"tessera {name}": options_of(tessera, name) for name in subcommands}
    if viewer:
        real["tessera-viewer"] = options_of(viewer)
    documented = options_in(page)
    if not viewer:
        documented.pop("tessera-viewer", None)  # not built here

    problems = list(differences("table of options of", set(documented), set(real)))
    for name in sorted(set(documented) & set(real)):
        problems += differences(f"option of '{name}'", documented[name], real[name])
    if sum(map(len, real.values())) < 60:
        problems.append("hardly any options were recognised in the help")
    listed = {c for cell in first_cells(page) for c in re.findall(r"^ `tessera ([a-z]+)", cell)}
    problems += differences("subcommand", listed, subcommands)

    for problem in problems:
        print(f"{path}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
