"""Checks the pages of the repository: relative links and their anchors resolve, every page in docs/ is linked from README.md, every
file that README.md and docs/ name by its path exists, and README.md has at most 200 lines.

usage: pages.py ROOT
       pages.py --self-test
"""
import pathlib
import re
import sys
import tempfile

LONGEST_README = 200
LEFT_OUT = {"build", "out", ".git"}
LINK = re.compile(r"\]\(([^()\s]+)\)")


def pages(root):
    """Every page of Markdown, relative to the root."""
    found = (path.relative_to(root) for path in root.rglob("*.md"))
    return sorted(path for path in found if not LEFT_OUT & set(path.parts))


def prose(text):
    """The text without blocks of code, fenced or indented."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(text), re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        while slug in found:
            slug += "-1"
        found.add(slug)
    return found


def broken_links(root, page):
    text = (root / page).read_text(encoding="utf-8")
    for target in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (root / page).parent / path if path else root / page
        if not place.exists():
            yield f"{page}: {target} leads nowhere"
        elif anchor and anchor not in anchors(place.read_text(encoding="utf-8")):
            yield f"{page}: {target}: there is no such heading"


def problems(root):
    for page in pages(root):
        yield from broken_links(root, page)
    readme = (root / "README.md").read_text(encoding="utf-8")
    lines = len(readme.splitlines())
    if lines > LONGEST_README:
        yield f"README.md has {lines} lines; {LONGEST_README} is the limit"
    for page in sorted((root / "docs").glob("*.md")):
        if f"](docs/{page.name}" not in readme:
            yield f"README.md has no link to docs/{page.name}"
    for page in ["README.md", *sorted(f"docs/{path.name}" for path in (root / "docs").glob("*.md"))]:
        text = (root / page).read_text(encoding="utf-8")
        for path in re.findall(r"(?<![\w/.-])((?:apps|backends|core|shaders|tests|third_party)/[\w./-]*\w)", text):
            if not (root / path).exists():
                yield f"{page}: {path} does not exist"


def self_test():
    """Every kind of problem is found, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/a.md").write_text("# A & b\n\n[up](../README.md#top) [self](#a--b)\n")
        (root / "README.md").write_text("# Top\n\n[a](docs/a.md#a--b) [far](https://example.org/x#y)\n\n    [code](none)\n")
        assert list(problems(root)) == [], list(problems(root))
        (root / "docs/b.md").write_text("[gone](c.md) [lost](a.md#c) `tests/none.py`\n")
        (root / "README.md").write_text("# Top\n[a](docs/a.md)" + "\n" * LONGEST_README)
        assert len(list(problems(root))) == 5, list(problems(root))
    return 0


def main(words):
    if words == ["--self-test"]:
        return self_test()
    found = list(problems(pathlib.Path(words[0])))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
