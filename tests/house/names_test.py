"""Constants and types of a library's sources have names of their own: where sources are compiled together, those of all unnamed
namespaces meet, and which sources meet changes with every file that is added."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ("core", "backends/cpu", "backends/cuda", "backends/vulkan", "backends/distributed", "apps/common",
             "apps/tessera", "apps/viewer")
ALONE = "backends/distributed/mpi"  # a library by itself


def names(text):
    """What a source names at the left margin, where namespaces do not indent: constants kName, and types."""
    found = set(re.findall(r"^(?:struct|class|enum class) (\w+)(?= [^;]*{)", text, re.M))
    for line in re.findall(r"^(?:inline |static )?const(?:expr)? [^;]*;", text, re.M):
        found.update(re.findall(r"\b(k[A-Z]\w*)(?:\[\w*\])*\s*[={]", line.split("(")[0] if "(" in line.split("=")[0] else line))
    return found


def shared(sources):
    """Names of several of these texts by file: name -> files."""
    files = collections.defaultdict(list)
    for file, text in sources.items():
        for name in names(text):
            files[name].append(file)
    return {name: sorted(of) for name, of in files.items() if len(of) > 1}


class NamesTest(unittest.TestCase):
    def test_no_two_sources_of_a_library_share_a_name(self):
        for library in LIBRARIES:
            sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
                       for path in (ROOT / library).rglob("*.cpp")
                       if not path.relative_to(ROOT).as_posix().startswith(ALONE)}
            with self.subTest(library=library):
                self.assertGreater(len(sources), 2)
                self.assertEqual(shared(sources), {})

    def test_planted_names_are_found(self):
        for one, other in (("constexpr int kLanes = 32;", "constexpr std::int64_t kLane = 1, kLanes{32};"),
                           ("const char* const kNames[] = {\"a\"};", "constexpr std::array<int, 2> kNames{1, 2};"),
                           ("struct Wait {\n  int turns = 0;\n};", "class Wait final : public Base {\n};")):
            with self.subTest(one=one):
                self.assertEqual(len(shared({"a.cpp": one, "b.cpp": other})), 1)
        for one, other in (("constexpr int kLanes = 32;", "  constexpr int kLanes = 32;"), ("class Wait;", "struct Wait {\n};"),
                           ("constexpr int kOther = kLanes;", "constexpr int kLanes = 32;")):
            with self.subTest(one=one):
                self.assertEqual(shared({"a.cpp": one, "b.cpp": other}), {})


if __name__ == "__main__":
    unittest.main()
