#!/usr/bin/env python3
"""Plants faults one at a time and requires that the test suite notices every one.

usage: plant.py --source FOLDER --build FOLDER [--jobs N] [--proven] [NAME...]

The faults are those of core_faults.py, kernel_faults.py, table_faults.py, tile_faults.py and band_faults.py. --build is a Ninja build of the
sources with the test programs built. A fault is an edited copy of one file; only the sources that
contain it are compiled again, and linked before the libraries, whose own versions are then not
taken. So nothing in the tree or the build is touched but BUILD/mutants. With NAMEs, only faults
with these words in their name are planted. With --proven, programs that a suite runs as they are
here are known to pass, and are not run without a fault first. The exit code is 0 when all were noticed; 1 when one
survived, does not apply to the sources any more, does not compile, or when a program fails without
any fault. Faults of shaders are left out, and named, where the build or the machine has no Vulkan.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import threading

from band_faults import BAND_FAULTS
from core_faults import CORE_FAULTS
from fault import FAKE_CUDA
from kernel_faults import KERNEL_FAULTS
from table_faults import TABLE_FAULTS
from tile_faults import TILE_FAULTS

FAULTS = CORE_FAULTS + KERNEL_FAULTS + TABLE_FAULTS + TILE_FAULTS + BAND_FAULTS

KERNELS = "backends/cuda/kernels"
TIMEOUT = 300  # seconds after which a program that hangs counts as failed
SHADERS = "backends/vulkan/shaders.cpp"  # where all of them are embedded
# One that is another one compiled differently.
VARIANTS = {
    "shaders/states.comp": (
        "shaders/strips.comp",
        ["-O0", "-DTESSERA_PROGRAM=1", "-DTESSERA_STATES=1"],
    ),
    "shaders/addressed_sums.comp": ("shaders/sums.comp", ["-O0", "-DTESSERA_ADDRESSED=1"]),
    "shaders/tile_program.comp": ("shaders/tiles.comp", ["-O0", "-DTESSERA_PROGRAM=1"]),
    "shaders/tile_states.comp": (
        "shaders/tiles.comp",
        ["-O0", "-DTESSERA_PROGRAM=1", "-DTESSERA_STATES=1"],
    ),
    "shaders/chained_strips.comp": ("shaders/strips.comp", ["-O", "-DTESSERA_CHAINED=1"]),
    "shaders/addressed_strips.comp": ("shaders/strips.comp", ["-O", "-DTESSERA_ADDRESSED=1"]),
}
# What a CUDA kernel is a part of where there is no GPU: a library that programs load.
FAKE_LAUNCH, FAKE_TARGET = "tests/gpu/emulation/driver/fake_launch.cpp", "tessera_fake_cuda"
EARLY_END = ("--abort-after=1", "--no-breaks")


class Failure(Exception):
    """A fault that cannot be planted, or a program that cannot be run."""


class Skipped(Exception):
    """A program that cannot run here."""


class Build:
    """What Ninja knows about compiling and linking."""

    def __init__(self, folder):
        self.folder = folder
        self.compiles = {}
        self.locks = {}  # of precompiled headers
        shutil.rmtree(folder / "mutants" / "headers", ignore_errors=True)  # perhaps of other flags
        fake = [FAKE_TARGET] if (folder / FAKE_CUDA).exists() else []
        for line in self.ninja("-t", "commands", *self.targets(), *fake).splitlines():
            words = shlex.split(line) if " -c " in line else []
            if "-c" in words:
                self.compiles[os.path.realpath(words[words.index("-c") + 1])] = words

    def ninja(self, *arguments):
        done = subprocess.run(
            ["ninja", "-C", self.folder, *arguments], capture_output=True, text=True
        )
        if done.returncode != 0:
            raise Failure("ninja " + " ".join(arguments) + ": " + done.stderr.strip())
        return done.stdout

    def targets(self):
        """All that this build has."""
        programs = {program for fault in FAULTS for program in fault.programs}
        return sorted({p.target for p in programs if (self.folder / p.needs).exists()})

    def program(self, target):
        """Path of a test program."""
        for line in self.ninja("-t", "query", target).splitlines():
            if re.fullmatch(r"    \S*/" + re.escape(target), line):
                return self.folder / line.strip()
        raise Failure(f"the build has no program {target}")

    def compile(self, source, output, overlay):
        """Compiles as the build does, but quickly, and with `overlay` before the real files."""
        if source not in self.compiles:
            raise Failure(f"the build does not compile {source}")
        words, copy = [], overlay / pathlib.Path(source).relative_to(SOURCE)
        header = None
        command = iter(self.compiles[source])
        for word in command:
            if word in ("-MT", "-MF", "-o"):
                next(command)
            elif word == "-include":
                header = next(command)
            elif word == "-c":
                next(command)
                words += ["-c", str(copy if copy.exists() else source)]
            elif word not in ("-MD", "-Winvalid-pch"):
                words.append(word)
        # Dead code and unused names are what faults make.
        compiler = next(
            i for i, word in enumerate(words) if re.search(r"(\+\+|cc|clang)[-.\d]*$", word)
        )
        # This machine would choose its widest vectors: those of others need not be compiled, and
        # loops need not be unrolled.
        vectors = ["-march=native", "-DHWY_COMPILE_ONLY_STATIC", "-DTESSERA_SMALL_CODE"]
        words += ["-O1", "-w", *vectors]
        if header:
            words += ["-include", str(self.precompiled(header, words))]
        folders = [overlay] + ([overlay / KERNELS] if (overlay / KERNELS).exists() else [])
        words[compiler + 1 : compiler + 1] = [f"-I{folder}" for folder in folders]
        run(words + ["-o", str(output)], self.folder)

    def precompiled(self, header, words):
        """A header of a target's common includes, precompiled as its mutants are: once."""
        place = self.folder / "mutants" / "headers" / pathlib.Path(header).relative_to(self.folder)
        with self.locks.setdefault(header, threading.Lock()):
            if not place.exists():
                at = words.index("-c")
                place.parent.mkdir(parents=True, exist_ok=True)
                as_header = words[:at] + words[at + 2 :] + ["-x", "c++-header", header]
                run(as_header + ["-o", str(place) + ".gch"], self.folder)
                place.write_text(f'#include "{header}"\n')
        return place

    def compile_shader(self, shader, overlay):
        """Compiles a shader as the build does, with `overlay` before the real files, for SHADERS."""
        name = pathlib.Path(shader).stem
        shader, options = VARIANTS.get(shader, (shader, ["-O"]))
        copy = overlay / shader
        if not copy.exists():
            copy.write_text((SOURCE / shader).read_text())
        includes = [f"-I{folder}" for folder in (copy.parent, SOURCE / "shaders", SOURCE)]
        spirv = overlay / f"{name}.spv"
        compiler = ["glslc", "--target-env=vulkan1.2", *options, *includes]
        run([*compiler, str(copy), "-o", str(spirv)], self.folder)
        words = struct.unpack(f"<{spirv.stat().st_size // 4}I", spirv.read_bytes())
        (overlay / f"{name}.spv.inc").write_text(",".join(map(str, words)))

    def link_driver(self, driver, folder):
        """The CUDA driver and compiler that run kernels on the CPU, under the names of the real ones.

        `driver`: the object that replaces one of theirs.
        """
        library = folder / "libcuda.so.1"
        self.link(FAKE_TARGET, [driver], library)
        (folder / "libnvrtc.so.13").unlink(missing_ok=True)
        (folder / "libnvrtc.so.13").symlink_to(library.name)

    def link(self, target, objects, output):
        """Links a program or library with `objects` before its libraries, and in place of its own."""
        line = self.ninja("-t", "commands", target).splitlines()[-1]
        match = re.match(r": && (.*?) && ", line)  # what a build does afterwards follows
        if not match:
            raise Failure(f"the build does not say how it links {target}")
        words = shlex.split(match[1])
        words[words.index("-o") + 1] = str(output)
        first = next(i for i, word in enumerate(words) if word.endswith((".o", ".a")))
        names = [str(o) for o in objects]
        rest = [
            word
            for word in words[first:]
            if not (word.endswith(".o") and any(n.endswith("-" + os.path.basename(word)) for n in names))
        ]
        run(words[:first] + names + rest, self.folder)


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure((done.stderr or done.stdout).strip())


def fails(program, path, mutant=None, libraries=False):
    """Runs a test program, perhaps of a mutant's folder or with its libraries.

    True when it notices something.
    """
    own = {name: value.replace("BUILD", str(BUILD)) for name, value in program.environment.items()}
    if mutant and (libraries or "TESSERA_CACHE" not in own):
        # What earlier programs kept would hide the fault, and what this one keeps has it.
        own["TESSERA_CACHE"] = str(mutant / "cache")
    if libraries:
        own["LD_LIBRARY_PATH"] = str(mutant)
        own["FAKE_CUDA_KERNELS"] = str(mutant / KERNELS)  # compiled while the program runs
    environment = {**os.environ, "TESSERA_BACKENDS": "cpu", **own}
    words = [str(path), *EARLY_END, *program.arguments]
    if program.runner:
        words[:0] = [str(SOURCE / program.runner[0]), *program.runner[1:]]
    try:
        done = subprocess.run(
            words,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return True
    if program.runner and done.returncode == 77:
        raise Skipped(done.stdout.strip())
    if done.returncode == 0 and "test cases: 0" in done.stdout.replace("  ", " "):
        raise Failure(f"{program.target} has no test case for {' '.join(program.arguments)}")
    return done.returncode != 0


def fails_or_skips(program, build):
    """The same without a fault; a Skipped where the program cannot run here."""
    try:
        if program.runner and os.path.realpath(SOURCE / SHADERS) not in build.compiles:
            raise Skipped("the build has no Vulkan")
        return fails(program, build.program(program.target))
    except Skipped as why:
        return why


def plant(fault, build):
    """The program that noticed the fault."""
    place = build.folder / "mutants" / re.sub(r"\W+", "-", fault.name)
    text = (SOURCE / fault.file).read_text()
    if text.count(fault.old) != 1:
        raise Failure(
            f"its text occurs {text.count(fault.old)} times in {fault.file}, once is expected"
        )
    copy = place / fault.file
    copy.parent.mkdir(parents=True, exist_ok=True)
    if fault.file.startswith(KERNELS):  # a kernel looks for its headers beside it first
        shutil.copytree(SOURCE / KERNELS, place / KERNELS, dirs_exist_ok=True)
    copy.write_text(text.replace(fault.old, fault.new))
    objects = []
    units = fault.units or (fault.file,)
    shaders = [unit for unit in units if unit.startswith("shaders/")]
    for shader in shaders:
        build.compile_shader(shader, place)
    if shaders:
        units = (SHADERS,)
    for unit in units:
        objects.append(place / (unit.replace("/", "-") + ".o"))
        build.compile(os.path.realpath(SOURCE / unit), objects[-1], place)
    if fault.units == (FAKE_LAUNCH,):
        build.link_driver(objects[0], place)
        for program in fault.programs:
            if fails(program, build.program(program.target), place, libraries=True):
                return program.target
        return None
    for program in fault.programs:
        path = place / program.target
        build.link(program.target, objects, path)
        noticed = fails(program, path, place)
        path.unlink()
        if noticed:
            return program.target
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--proven", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    global SOURCE, BUILD
    SOURCE, BUILD = options.source.resolve(), options.build.resolve()
    build = Build(BUILD)
    faults = [
        f for f in FAULTS if not options.names or any(name in f.name for name in options.names)
    ]
    cannot = [f for f in faults if any(not (BUILD / p.needs).exists() for p in f.programs)]
    for fault in cannot:
        print(f"not planted  {fault.name}: the build has no {fault.programs[0].needs}")
    faults = [f for f in faults if f not in cannot]

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(dict.fromkeys(program for fault in faults for program in fault.programs))
        if options.proven:
            programs = [p for p in programs if p.arguments or p.environment or p.runner]
        for program, failed in zip(
            programs, pool.map(lambda p: fails_or_skips(p, build), programs)
        ):
            if isinstance(failed, Skipped):
                left = [fault for fault in faults if program in fault.programs]
                for fault in left:
                    print(f"LEFT OUT  {fault.name}: {failed}", flush=True)
                faults = [fault for fault in faults if fault not in left]
            elif failed:
                print(
                    f"FAILS WITHOUT A FAULT  {program.target} {' '.join(program.arguments)}",
                    flush=True,
                )
                bad += 1
        if bad:
            return 1
        planted = {pool.submit(plant, fault, build): fault for fault in faults}
        for done in concurrent.futures.as_completed(planted):
            fault = planted[done]
            try:
                killer = done.result()
            except Failure as failure:
                print(f"ERROR     {fault.name}: {failure}", flush=True)
                bad += 1
                continue
            if killer is None:
                names = ", ".join(program.target for program in fault.programs)
                print(f"SURVIVED  {fault.name} ({fault.file}): {names} noticed nothing", flush=True)
                bad += 1
            else:
                print(f"noticed   {fault.name} by {killer}", flush=True)
    print(f"{len(faults)} faults planted, {bad} not noticed")
    return 1 if bad or not faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"plant.py: {failure}")
