"""Compares the README's command line with what the program says: every option of every subcommand that has a table of options, and
every subcommand, is in both.

usage: readme_options.py README.md TESSERA
"""
import re
import subprocess
import sys

DOCUMENTED = {"run", "compare", "bench", "tune"}


def told_by(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout


def differences(what, documented, real):
    for name in sorted(documented - real):
        yield f"README.md has the {what} {name}, which the program does not"
    for name in sorted(real - documented):
        yield f"the program has the {what} {name}, which README.md does not"


def options_in(readme):
    """The options in the first cells of tables, by subcommand: those from 'option of `tessera NAME`' to the next such table or
    the next chapter."""
    found, subcommand = {}, None
    for line in readme.splitlines():
        if line.startswith("## "):
            subcommand = None
        if not line.startswith("|"):
            continue
        cell = re.split(r"(?<!\\)\|", line)[1]
        if heading := re.search(r"option of `(?:tessera )?([a-z-]+)`", cell):
            subcommand = heading[1]
            found[subcommand] = set()
        elif subcommand:
            found[subcommand].update(re.findall(r"--[a-z][a-z-]*", cell))
    return found


def main():
    readme = open(sys.argv[1], encoding="utf-8").read()
    program = sys.argv[2]
    documented = options_in(readme)
    problems = [f"README.md has no table of the options of 'tessera {name}'" for name in sorted(DOCUMENTED - set(documented))]
    for name in sorted(DOCUMENTED & set(documented)):
        # Options stand at the beginning of a line of help; a second name of one does not count.
        real = set(re.findall(r"^\s+(?:-\w,)?(--[a-z][a-z-]*)", told_by(program, name), re.M)) - {"--help"}
        problems += differences(f"option of 'tessera {name}'", documented[name], real)
        if len(real) < 9:
            problems.append(f"only {len(real)} options were recognised in the help of 'tessera {name}'")

    first_cells = [re.split(r"(?<!\\)\|", line)[1] for line in readme.splitlines() if line.startswith("|")]
    subcommands = {c for cell in first_cells for c in re.findall(r"`tessera ([a-z]+)", cell)}
    listing = told_by(program).split("Subcommands:")[1]
    problems += differences("subcommand", subcommands, set(re.findall(r"^  ([a-z]+)\s", listing, re.M)))

    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
