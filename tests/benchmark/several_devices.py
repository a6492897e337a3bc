#!/usr/bin/env python3
"""Measures one grid over several GPUs beside one GPU, and writes JSON with the topology:

    several_devices.py OUT.json [--devices cuda:0,cuda:1] [--sides 65536,32768] [--halos 0,64,96] [--links peer,nccl]
                       [--kernels auto,strips] [--big SIDE] [--largest] [--ranks]

Weak scaling: SIDE x SIDE cells per device; strong scaling: SIDE x SIDE in all. Each is compared with one device that steps the
same number of cells as a part, "alone", with the same choice of the kernel. A halo of 0 is the program's own choice. Every grid is a soup whose hash after 480
generations is compared with that of one device, or of another division where one device cannot hold it (--big). --largest finds
the largest square, in steps of 16384 cells, that all devices hold together. --ranks runs the same grids as a
process per device under mpirun beside one process, and kills a rank of a run with checkpoints. Devices may be parts of one card:
cuda:0*4. Ends with 1 when a hash differs or a case fails.

One call on a machine with four or eight GPUs: several_devices.py OUT.json --sides 65536,131072 --halos 0,32,64,128
--links peer,nccl --big 1048576 --largest --ranks
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

import several_ranks

HERE = pathlib.Path(__file__).resolve().parent
STEP = 16384  # of the sides that --largest tries


def text_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def devices_of(words):
    """The devices that words such as "cuda:0,cuda:1", "cuda:0*4" or "cuda:all" name, one for each part."""
    if words == "cuda:all":
        return [f"cuda:{i}" for i in range(len(text_of("nvidia-smi", "-L").splitlines()))]
    found = []
    for word in words.replace("+", ",").split(","):
        name, _, times = word.partition("*")
        found += [name] * int(times or 1)
    return found


def grids_of(options, devices):
    """Widths and heights of all grids over several devices: weak scaling and strong scaling by turns."""
    return [grid for side in options.sides for grid in ((side, side * len(devices)), (side, side))]


def cases_of(options, devices):
    """Lines for several_devices_benchmark, those of one device first."""
    count, one = len(devices), devices[0]
    grids = grids_of(options, devices)
    lines = {}
    for rows in (count, 1):
        for w, h in grids:
            lines |= dict.fromkeys(f"{one} {w}x{h // rows} 0 - {kernel}" for kernel in options.kernels)
    several = "+".join(devices)
    for link in options.links:
        for w, h in grids:
            for halo in options.halos:
                lines |= dict.fromkeys(f"{several} {w}x{h} {halo} {link} {kernel}" for kernel in options.kernels)
    if options.big:
        lines |= dict.fromkeys(f"{several} {options.big}x{options.big} {halo} auto" for halo in (0, 32))
        lines[f"{'+'.join(devices[: max(1, count - 1)])} {options.big}x{options.big} 0 auto"] = None
    return list(lines)


def measured(options, cases):
    """The benchmark's rows for lines of cases, and its exit code."""
    run = subprocess.run([options.benchmark], input="\n".join(cases) + "\n", stdout=subprocess.PIPE, text=True, env=options.environment)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")], run.returncode


def largest(options, devices):
    """Rows of the largest square that fits, with two halos, whose hashes must agree; one row with an error where none fits."""
    memory = text_of("nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits").splitlines()
    bits = 8 * 2**20 * sum(int(line) for line in memory)
    side = int(bits**0.5) // STEP * STEP  # of one copy; a kernel keeps two
    rows, code = [{"case": "largest", "error": "no square fits"}], 1
    while side > 0 and "error" in rows[0]:
        rows, code = measured(options, [f"{'+'.join(devices)} {side}x{side} {halo} auto" for halo in (0, 32)])
        side -= STEP
    for row in rows:
        row["largest"] = True
    return rows, code


def print_row(row):
    if "error" in row:
        print(row.get("case", row.get("size")), row["error"])
        return
    print(f"{row['devices']:24} {row['size']:14} {row['kernel']:8} {row['link']:5} {row['halo']:4} {row['cells_per_second']:.4e}",
          f"{100 * row.get('of_part_alone', 0):6.2f} %", "" if row["same_hash"] else "THE HASH DIFFERS")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--devices", default="cuda:all")
    parser.add_argument("--sides", default="65536,32768,16384")
    parser.add_argument("--halos", default="0")
    parser.add_argument("--links", default="peer,nccl,host")
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--big", type=int, default=0)
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--generations", type=int, default=2048, help="of the runs under mpirun")
    parser.add_argument("--rounds", type=int, default=3, help="of runs under mpirun, and in one process")
    parser.add_argument("--benchmark", type=os.path.abspath, default=HERE / "several_devices_benchmark")
    parser.add_argument("--tessera", type=os.path.abspath, default=HERE / "tessera")
    options = parser.parse_args()
    options.sides = [int(side) for side in options.sides.split(",")]
    options.halos = [int(halo) for halo in options.halos.split(",")]
    options.links = options.links.split(",")
    options.kernels = options.kernels.split(",")
    # NCCL would use NVLink's multicast, which other users of the host's switches may need.
    options.environment = os.environ | {"NCCL_NVLS_ENABLE": "0"}
    devices = devices_of(options.devices)
    if not devices:
        print("there is no device", file=sys.stderr)
        return 2
    rows, code = measured(options, cases_of(options, devices))
    if options.largest:
        most, failed = largest(options, devices)
        rows, code = rows + most, code or failed
    alone = {(row["size"], row["wanted"]): row["cells_per_second"] for row in rows if row.get("parts") == 1}
    for row in rows:
        if "error" not in row:
            width, height = map(int, row["size"].split("x"))
            part = alone.get((f"{width}x{height // row['parts']}", row["wanted"]))
            if row["parts"] > 1 and part:
                row["of_part_alone"] = round(row["cells_per_second"] / row["parts"] / part, 4)
        print_row(row)
    document = {
        "date": datetime.date.today().isoformat(),
        "command": " ".join(["tests/benchmark/several_devices.py", *sys.argv[1:]]),
        "devices": text_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines(),
        "topology": text_of("nvidia-smi", "topo", "-m").splitlines(),
        "results": rows,
    }
    if options.ranks:
        document["ranks"] = []
        for row in several_ranks.one_process_each(options.tessera, options.environment, devices, grids_of(options, devices),
                                                  options.generations, options.halos[0], options.rounds):
            document["ranks"].append(row)
            print("mpirun", json.dumps(row), flush=True)
            code = code or int("error" in row or not row["same_hash"])
        lost = several_ranks.lose_a_rank(options.tessera, options.environment, devices, f"{options.sides[-1]}x{options.sides[-1]}")
        document["lost_rank"] = lost
        print("lost rank", json.dumps(lost))
        code = code or int("error" in lost)
    pathlib.Path(options.out).write_text(json.dumps(document, indent=1) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
