"""What several_devices.py measures under mpirun: a process for each device, and what is left when one dies."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from statistics import median

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpirun import AS_WE_ARE, TELLING

ENDS_WITHIN = 60  # seconds that a run gets to end after a loss; it should need 10


def report_of(program, environment, *words):
    """The report of `tessera run WORDS --json`; {"error": ...} where it fails."""
    run = subprocess.run([*program, "run", *map(str, words), "--json"], capture_output=True, text=True,
                         env=environment | AS_WE_ARE)
    if run.returncode != 0:
        return {"error": (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]}
    return json.loads(run.stdout)


def one_process_each(tessera, environment, devices, sizes, generations, halo, rounds):
    """Rows of a process per device beside one process with all of them: medians of `rounds` runs each, by turns.

    Parts of the processor have a thread each, and are compared with one process that has as many threads.
    """
    kind = devices[0].split(":")[0]
    # With devices of their own each rank takes the one of its number; parts of one card are all on that.
    of_rank = kind if len(set(devices)) == len(devices) else devices[0]
    halos = ["--halo", halo] if halo else []
    one = [kind, "--threads", len(devices)] if kind == "cpu" else ["+".join(devices), *halos]
    several = [of_rank, *(one[1:] if kind == "cpu" else []), *halos]
    ways = {"one process": ([tessera], one), "mpirun": (["mpirun", "-n", str(len(devices)), tessera], several)}
    for width, height in sizes:
        words = ["--soup", 0.5, "--size", f"{width}x{height}", "--gens", generations]
        reports = {way: [] for way in ways}
        for _ in range(rounds):
            for way, (program, devices_of_way) in ways.items():
                reports[way].append(report_of(program, environment, *words, "--space", "grid", "--backend", *devices_of_way))
        row = {"size": f"{width}x{height}", "ranks": len(devices), "generations": generations}
        failed = [report["error"] for of_way in reports.values() for report in of_way if "error" in report]
        if failed:
            yield row | {"error": failed[0]}
            continue
        rates = {way: sorted(report["cells_per_second"] for report in of_way) for way, of_way in reports.items()}
        yield row | {
            "halo": reports["mpirun"][0]["halo"], "link": reports["mpirun"][0]["link"],
            "cells_per_second": median(rates["mpirun"]), "slowest": rates["mpirun"][0], "fastest": rates["mpirun"][-1],
            "one_process": {"cells_per_second": median(rates["one process"]), "slowest": rates["one process"][0],
                            "fastest": rates["one process"][-1]},
            "of_one_process": round(median(rates["mpirun"]) / median(rates["one process"]), 4),
            "same_hash": len({report["hash"] for of_way in reports.values() for report in of_way}) == 1}


def lose_a_rank(tessera, environment, devices, size):
    """Kills the last rank of a run that has a checkpoint: how long the others take to end, what they say, what is left."""
    of_rank = devices[0].split(":")[0] if len(set(devices)) == len(devices) else devices[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        process = subprocess.Popen(
            ["mpirun", "-n", str(len(devices)), *TELLING, tessera, "run", "--soup", "0.5", "--size", size, "--gens", str(10**12),
             "--backend", of_rank, "--space", "grid", "--quiet", "--checkpoint", "run.tsr", "--checkpoint-every", "1s"],
            cwd=folder, env=environment | AS_WE_ARE, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            start = time.monotonic()
            while not (folder / "run.tsr").exists() and process.poll() is None and time.monotonic() < start + ENDS_WITHIN:
                time.sleep(0.05)
            if not (folder / "run.tsr").exists():
                process.terminate()
                return {"size": size, "error": "no checkpoint was written: " + process.communicate()[1].strip()[-300:]}
            killed = time.monotonic()
            os.kill(int((folder / f"pid.{len(devices) - 1}").read_text()), signal.SIGKILL)
            _, errors = process.communicate(timeout=ENDS_WITHIN)
            seconds = time.monotonic() - killed
        except subprocess.TimeoutExpired:
            return {"size": size, "error": f"the run did not end within {ENDS_WITHIN} s of the loss"}
        finally:
            process.kill()
        lines = [line for line in errors.splitlines() if line.startswith("tessera: ")]
        info = subprocess.run([tessera, "info", "run.tsr", "--json"], cwd=folder, capture_output=True, text=True, env=environment)
        row = {"size": size, "ranks": len(devices), "seconds_to_the_end": round(seconds, 2),
               "lines": [re.sub(r" on \S+ was lost", " was lost", line) for line in lines]}
        if info.returncode != 0:
            return row | {"error": "the checkpoint that is left cannot be read: " + info.stderr.strip()}
        if len(lines) != 1 or seconds > 10:
            return row | {"error": "one line within ten seconds was expected"}
        return row | {"checkpoint_generation": json.loads(info.stdout)["generation"]}
