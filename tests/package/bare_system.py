"""A Debian system that holds nothing but one package and what that says it depends on: the packages installed here are looked up and
copied, so that nothing is downloaded."""
import os
import pathlib
import re
import shutil
import subprocess


def said(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=True, timeout=300).stdout


def needed_packages(folder):
    """The packages whose libraries the programs and libraries in a folder name: {package: (file, library)}. Those that lie in the
    folder itself are not counted."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
    own = {path.name for path in folder.rglob("*.so*")}
    found = {}
    for path in files:
        named = set(re.findall(r"NEEDED +(\S+)", said("objdump", "-p", path))) - own
        for library, place in re.findall(r"(\S+) => (/\S+)", said("ldd", path)):
            if library in named:
                found.setdefault(package_of(place), (path.name, library))
                named.remove(library)
        assert all(name.startswith("ld-linux") for name in named), f"{path} needs {named}, which this machine does not have"
    return found


def package_of(place):
    """The package that a file of this machine belongs to, which may be listed without the /usr in front."""
    names = {place, os.path.realpath(place), place.removeprefix("/usr"), os.path.realpath(place).removeprefix("/usr")}
    done = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True)
    assert done.stdout, f"{place} is of no package"
    return done.stdout.split(":")[0]


class BareSystem:
    """`inside` begins a command that runs in it; `refused` says why none can."""

    def __init__(self, root):
        self.root = root
        chroot = shutil.which("chroot", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        self.inside = [chroot, root] if os.geteuid() == 0 else ["unshare", "-r", chroot, root]
        self.refused = ""
        try:
            tried = subprocess.run([*map(str, self.inside[:-1]), "/", "/bin/true"], capture_output=True, text=True)
            self.refused = tried.stderr.strip() if tried.returncode != 0 else ""
        except (OSError, TypeError) as error:
            self.refused = f"chroot or unshare is not to be had: {error}"

    def fill(self, names):
        """Copies the libraries of these packages and of all that they depend on. Where one of several will do, that is taken which is
        installed here."""
        installed = {}
        for row in said("dpkg-query", "-W", "-f", "${Package}\t${Status}\t${Pre-Depends}, ${Depends}\n").splitlines():
            name, status, depends = row.split("\t")
            if status.endswith(" installed"):
                installed[name] = depends
        chosen, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in chosen:
                assert name in installed, f"{name} is not installed here"
                chosen.add(name)
                for each in installed[name].split(","):
                    fits = [word for word in re.findall(r"(?:^|\|)\s*([a-z0-9][a-z0-9+.-]*)", each) if word in installed]
                    waiting += fits[:1]
        for name in ("lib", "lib64"):
            (self.root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (self.root / name).symlink_to(f"usr/{name}")
        for line in sorted(set(said("dpkg", "-L", *chosen).splitlines())):
            source, copy = pathlib.Path(line), self.root / line[1:]
            if re.match(r"/(usr/)?lib(64)?/", line) and (source.is_symlink() or source.is_file()) and not os.path.lexists(copy):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy, follow_symlinks=False)
