"""Compares the README's command line with what the program says: every option of `tessera run` and every subcommand is in both.

usage: readme_options.py README.md TESSERA
"""
import re
import subprocess
import sys


def told_by(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout


def differences(what, documented, real):
    for name in sorted(documented - real):
        yield f"README.md has the {what} {name}, which the program does not"
    for name in sorted(real - documented):
        yield f"the program has the {what} {name}, which README.md does not"


def main():
    readme = open(sys.argv[1], encoding="utf-8").read()
    program = sys.argv[2]
    tables = [line for line in readme.splitlines() if line.startswith("|")]
    first_cells = [re.split(r"(?<!\\)\|", line)[1] for line in tables]

    documented = {o for cell in first_cells for o in re.findall(r"--[a-z][a-z-]*", cell)}
    # Options stand at the beginning of a line of help.
    real = set(re.findall(r"^\s+(?:-\w,)?(--[a-z][a-z-]*)", told_by(program, "run"), re.M)) - {"--help"}
    problems = list(differences("option", documented, real))

    documented = {c for cell in first_cells for c in re.findall(r"`tessera ([a-z]+)", cell)}
    listing = told_by(program).split("Subcommands:")[1]
    problems += differences("subcommand", documented, set(re.findall(r"^  ([a-z]+)\s", listing, re.M)))

    if len(real) < 10:
        problems.append(f"only {len(real)} options were recognised in the help of 'tessera run'")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
