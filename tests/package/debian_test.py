"""The packages: what is in them, and that they run where nothing is but what they name.

usage: debian_test.py BUILD SOURCE SCRATCH
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "support"), str(TESTS / "viewer/window")]
from harness import Display
from bare_system import BareSystem, needed_packages
from needs import needs, required

BUILD, SOURCE, SCRATCH = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
HAS_MPI = (BUILD / "modules/libtessera_mpi.so").exists()
HAS_VIEWER = (BUILD / "apps/viewer/tessera-viewer").exists()


def said(*words, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


@functools.cache
def packed(generator):
    """The packages that cpack makes, alone in a folder: {name: path}."""
    folder = SCRATCH / generator
    shutil.rmtree(folder, ignore_errors=True)
    said("cpack", "-G", generator, "-B", folder, cwd=BUILD)
    return {re.split("[-_][0-9]", path.name)[0]: path for path in folder.iterdir() if path.is_file() and path.suffix in (".deb", ".gz")}


def bare():
    """An environment in which nothing points to this build."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(SCRATCH)}


class PackageTest(unittest.TestCase):
    def runs(self, prefix, inside=()):
        """The main job: a pattern of the package's own, stepped to its known end. `inside` begins commands of another system."""
        done = said(*inside, prefix / "bin/tessera", "run", prefix / "share/tessera/patterns/acorn.rle", "-g", "5206", "--backend",
                    "cpu", env=bare())
        self.assertIn("generation 5,206, population 633,", done)

    def shows(self, prefix, inside=(), system=pathlib.Path("/")):
        """The window: it opens the same pattern, stepped as far. `system` is the root of the other system."""
        if not HAS_VIEWER:
            return
        if not shutil.which("Xvfb") and not required("viewer"):
            self.skipTest("all but the window was tested: Xvfb is not installed")
        folder = pathlib.Path("/tmp") if inside else SCRATCH
        (system / folder.relative_to("/")).mkdir(exist_ok=True)
        (system / folder.relative_to("/") / "script").write_text("wait\nstate\n")
        settings = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "LIBGL_ALWAYS_SOFTWARE": "1",
                    "SDL_VIDEODRIVER": "x11"}
        with Display():
            done = said(*inside, prefix / "bin/tessera-viewer", prefix / "share/tessera/patterns/acorn.rle", "-g", "5206", "--backend",
                        "cpu", "--script", folder / "script", env={**bare(), **settings, "DISPLAY": os.environ["DISPLAY"]})
        state = json.loads(done.splitlines()[-1])
        self.assertEqual((state["generation"], state["population"]), (5206, 633))

    def check_files(self, prefix):
        share = prefix / "share"
        wanted = ["man/man1/tessera.1.gz", "man/man1/tessera-run.1.gz", "bash-completion/completions/tessera",
                  "zsh/site-functions/_tessera", "fish/vendor_completions.d/tessera.fish", "doc/tessera/copyright"]
        if HAS_VIEWER:
            wanted += ["man/man1/tessera-viewer.1.gz", "bash-completion/completions/tessera-viewer",
                       "zsh/site-functions/_tessera-viewer", "fish/vendor_completions.d/tessera-viewer.fish",
                       "applications/tessera-viewer.desktop", "icons/hicolor/scalable/apps/tessera.svg", "mime/packages/tessera.xml",
                       "metainfo/tessera-viewer.metainfo.xml"]
        for name in wanted:
            self.assertTrue((share / name).stat().st_size > 100, name)
        programs = {"tessera", "tessera-viewer"} if HAS_VIEWER else {"tessera"}
        self.assertEqual({path.name for path in (prefix / "bin").iterdir()}, programs)
        self.assertEqual([*prefix.rglob("*.h"), *prefix.rglob("*.a"), *prefix.rglob("*.cmake")], [])

    @needs("dpkg-deb")
    @needs("dpkg-shlibdeps")
    def test_debian_package(self):
        packages = packed("DEB")
        self.assertEqual(set(packages), {"tessera", "tessera-mpi"} if HAS_MPI else {"tessera"})
        package = packages["tessera"]
        field = lambda name: said("dpkg-deb", "-f", package, name).strip()
        self.assertEqual(field("Package"), "tessera")
        depends = field("Depends")
        self.assertRegex(depends, r"\blibc6 \(>= ")
        self.assertRegex(depends, r"\blibpng16-16 ")
        self.assertEqual("libsdl2" in depends, HAS_VIEWER)
        self.assertRegex(field("Maintainer"), r"^[^<>]+ <[^@ ]+@[^@ ]+\.[a-z]+>$")
        self.assertNotIn("invalid", field("Maintainer"))
        self.assertNotRegex(depends, "vulkan|cuda|nvidia|nvrtc|mpi")
        self.assertIn("libvulkan1", field("Recommends"))

        # A system of its own, with nothing in it but dpkg's lists.
        root = SCRATCH / "root"
        shutil.rmtree(root, ignore_errors=True)
        for folder in ("updates", "info"):
            (root / "var/lib/dpkg" / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        fake = ["fakeroot"] if os.geteuid() != 0 and shutil.which("fakeroot") else []
        if os.geteuid() == 0 or fake:
            # dpkg looks for programs of the system's, which users need not have in their path.
            paths = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
            said(*fake, "dpkg", f"--root={root}", "--force-depends", "--install", package, env=paths)
            self.assertIn("Status: install ok installed", (root / "var/lib/dpkg/status").read_text())
        else:
            said("dpkg-deb", "-x", package, root)
        self.check_files(root / "usr")

        # What the linker is told to load comes from packages that this one names.
        names = {re.match(r"[^ (:]+", each.strip())[0] for each in depends.split(",")}
        for other, (program, library) in needed_packages(root / "usr").items():
            self.assertIn(other, names, f"{program} needs {library} of {other}, which is not in Depends: {depends}")
        # So does what is loaded while the programs run.
        system = BareSystem(root)
        self.addCleanup(shutil.rmtree, root)
        if system.refused:
            self.runs(root / "usr")
            self.shows(root / "usr")
            self.skipTest(f"run beside all libraries of this machine, not in a system of its own: {system.refused}")
        system.fill(names)
        self.runs(pathlib.Path("/usr"), system.inside)
        self.shows(pathlib.Path("/usr"), system.inside, root)

    @needs("dpkg-deb")
    @unittest.skipUnless(HAS_MPI, "the module for MPI is not built")
    def test_module_for_mpi_is_found_where_its_package_puts_it(self):
        packages = packed("DEB")
        root = SCRATCH / "root-mpi"
        shutil.rmtree(root, ignore_errors=True)
        self.addCleanup(shutil.rmtree, root)
        for package in packages.values():
            said("dpkg-deb", "-x", package, root)
        depends = said("dpkg-deb", "-f", packages["tessera-mpi"], "Depends")
        version = said("dpkg-deb", "-f", packages["tessera"], "Version").strip()
        self.assertIn(f"tessera (= {version})", depends)
        self.assertRegex(depends, "libopenmpi|libmpich")
        self.assertIn("mpi: several processes may step one grid", said(root / "usr/bin/tessera", "devices", env=bare()))
        (root / "usr/lib/tessera/libtessera_mpi.so").unlink()
        self.assertIn("libtessera_mpi.so", said(root / "usr/bin/tessera", "devices", env=bare()))

    @needs("dpkg-deb")
    @needs("lintian")
    def test_packages_follow_debians_policy(self):
        # CPack has the second one call ldconfig for any library below /usr/lib, which lintian warns of.
        said("lintian", "--fail-on", "error", *(["--allow-root"] if os.geteuid() == 0 else []), *packed("DEB").values())

    def test_archive_runs_without_the_libraries_of_others(self):
        (archive,) = packed("TGZ").values()
        folder = SCRATCH / "unpacked"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        said("tar", "-xzf", archive, "-C", folder, "--strip-components=1")
        self.check_files(folder)
        self.runs(folder)
        # What it needs of others comes from the archive itself.
        found = dict(re.findall(r"(\S+) => (\S+)", said("ldd", folder / "bin/tessera", env=bare())))
        usual = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0"}
        for name in set(found) - usual:
            self.assertTrue(pathlib.Path(found[name]).is_relative_to(folder), f"{name} is {found[name]}")
        self.assertIn("libpng16.so.16", found)
        if HAS_VIEWER:
            # So do the libraries that those need.
            needed = said("ldd", folder / "bin/tessera-viewer", env=bare())
            brought = [path.name for path in (folder / "lib/tessera").iterdir()]
            for name, path in re.findall(r"(\S+) => (\S+)", needed):
                if name in brought:
                    self.assertTrue(pathlib.Path(path).is_relative_to(folder), f"{name} is {path}")
        self.shows(folder)


class DesktopTest(unittest.TestCase):
    DESKTOP = SOURCE / "apps/desktop"

    @needs("desktop-file-validate")
    def test_desktop_entry(self):
        self.assertEqual(said("desktop-file-validate", self.DESKTOP / "tessera-viewer.desktop"), "")

    @needs("appstreamcli")
    @unittest.skipUnless(HAS_VIEWER, "the viewer is not built")
    def test_metadata(self):
        said("appstreamcli", "validate", "--pedantic", "--no-net", BUILD / "tessera-viewer.metainfo.xml")

    def test_types_are_those_of_the_entry(self):
        types = set(re.findall(r'mime-type type="([^"]+)"', (self.DESKTOP / "tessera.xml").read_text()))
        entry = re.search(r"^MimeType=(.*);$", (self.DESKTOP / "tessera-viewer.desktop").read_text(), re.M)[1]
        self.assertEqual(set(entry.split(";")), types)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
