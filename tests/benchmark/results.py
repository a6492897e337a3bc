"""Writes the measured section of docs/speed.md from the results beside this file.

usage: results.py write [TESSERA]       the section and its pictures, drawn by TESSERA (build/release/apps/tessera/tessera)
       results.py check                 exit code 1 unless the section and its pictures are what 'write' makes of the results
       results.py add NAME FILE [TUNED] keeps what 'tessera bench --json FILE' wrote as results/NAME.json; several files of one
                                        machine are put together first by 'tessera bench --from FILE --from FILE --json'.
                                        TUNED, of 'tessera tune --json', becomes built in: backends/tuning/tunings/NAME.json

results/ holds one file per machine; peers.json holds the speeds of others. Nothing in the section is typed by hand.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/speed.md"
PICTURES = {"sizes": ROOT / "apps/pictures/speed-by-size.svg", "fujita": ROOT / "apps/pictures/speed-by-kernel.svg"}
BEGIN, END = "<!-- measured: written by tests/benchmark/results.py -->", "<!-- end of what was measured -->"
ORDER = ["cuda", "vulkan", "cpu"]
LARGEST_PICTURE = 100_000


def link(path):
    """As the page, which lies in a folder of the root, refers to a file."""
    return f"../{path.relative_to(ROOT)}"


class Machine:
    """One file of results: what a machine measured."""

    def __init__(self, path):
        self.name = path.stem
        self.document = json.loads(path.read_text(encoding="utf-8"))
        self.devices = {device["backend"]: device for device in self.document["devices"]}

    def results(self, suite):
        return [r for r in self.document["results"] if r["suite"] == suite and "value" in r]

    def backends(self, suite):
        found = {r["backend"] for r in self.results(suite)}
        return sorted(found, key=lambda name: (ORDER.index(name.split(":")[0]), name))

    def is_gpu(self):
        return any(not name.startswith("cpu") for name in self.devices)

    def threads(self, backend):
        return int(self.devices[backend]["properties"].get("hardware threads", 1))

    def label(self, backend):
        device = self.devices[backend]["name"].replace("(R)", "").replace("(TM)", "")
        threads = f", {self.threads(backend)} threads" if backend.startswith("cpu") else ""
        return f"`{backend.split(':')[0]}`, {device}{threads}"


def machines():
    """All of them, those with a GPU first."""
    return sorted((Machine(path) for path in sorted((HERE / "results").glob("*.json"))), key=lambda m: not m.is_gpu())


def rate(value):
    """4.03e13"""
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def times(ratio):
    return f"{ratio:.3g}x" if ratio < 1000 else f"{ratio:.0f}x"


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(heading, rows, left=1):
    """Lines of Markdown; so many columns are aligned to the left."""
    lines = [heading, ["---"] * left + ["---:"] * (len(heading) - left), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines] + [""]


def peers():
    return json.loads((HERE / "peers.json").read_text(encoding="utf-8"))


def best_peer(kind, side):
    """The fastest that others reach at this size, or None."""
    speeds = [peer["speeds"][side] for peer in peers()[kind] if side in peer["speeds"] and not peer.get("own")]
    return max(speeds, default=None)


def sizes_table(kind, columns):
    """Speeds of backends, each with its ratio to the best peer: 'gpu', or 'cpu' per thread, since the peers there use one."""
    per_thread = " per thread" if kind == "cpu" else ""
    speeds = [{r["row"]: r["value"] for r in m.results("sizes") if r["backend"] == backend} for m, backend in columns]
    rows = []
    for side in sorted({side for speed in speeds for side in speed}, key=int):
        peer, row = best_peer(kind, side), [side]
        for (m, backend), speed in zip(columns, speeds):
            own = speed.get(side)
            row += [rate(own) if own else "", times(own / m.threads(backend) / peer) if own and peer else ""]
        rows.append(row + [rate(peer) if peer else ""])
    heading = ["cells per side"]
    for m, backend in columns:
        heading += [m.label(backend), f"to the best peer{per_thread}"]
    return table(heading + ["best peer, one thread" if kind == "cpu" else "best peer"], rows)


def sizes_section(all_machines):
    columns = [(m, backend) for m in all_machines for backend in m.backends("sizes")]
    text = ["Cell updates per second by size: Life, a soup of density 0.5 on a torus, each backend's default kernel.", ""]
    for kind in ("gpu", "cpu"):
        chosen = [column for column in columns if column[1].startswith("cpu") == (kind == "cpu")]
        if chosen:
            text += sizes_table(kind, chosen)
    for m in all_machines:
        for crossing in m.document["crossover"]:
            text += [f"In {m.name}.json {crossing['text']}.", ""]
    return text


def peers_section():
    rows = []
    for kind in ("gpu", "cpu"):
        for peer in peers()[kind]:
            side, speed = max(peer["speeds"].items(), key=lambda item: item[1])
            rows.append([peer["peer"], peer["on"], rate(speed), side if side != "0" else "", peer["source"]])
    text = [f"Other programs, at their fastest ([peers.json]({link(HERE / 'peers.json')}) has every size):", ""]
    return text + table(["peer", "on", "cell updates/s", "cells per side", "source"], rows, left=5)


def beside(result):
    """A figure in the units of its table, with how many times better than the published one it is."""
    published = result["published"]
    return number(result["value"]) + (f" ({times(published['ratio'])})" if published else "")


def paper_tables(all_machines):
    text = ["Fujita, Nishikori, Nakano and Ito (2015), both tables: seconds for 1024 generations of a torus of 16384x16384 cells. "
            "In parentheses: the paper's seconds over these.", ""]
    found = {m: [r for r in m.results("fujita") if r["width"] == 16384] for m in all_machines}
    first = {m: [r for r in results if r["table"].startswith("Table I:")] for m, results in found.items()}
    names = list(dict.fromkeys(r["column"] for results in first.values() for r in results))
    names.sort(key=lambda name: name.startswith("this"))
    paper, own = {}, []
    for m, results in first.items():
        for backend in dict.fromkeys(r["backend"] for r in results):
            line = {r["column"]: r for r in results if r["backend"] == backend}
            own.append([m.label(backend)] + [beside(line[name]) if name in line else "" for name in names])
            for name, r in line.items():
                if r["published"]:
                    paper.setdefault(r["published"]["on"], {})[name] = number(r["published"]["value"])
    rows = [[f"the paper: {on}"] + [line.get(name, "") for name in names] for on, line in paper.items()]
    text += table(["Table I: one generation per launch", *names], rows + own)

    for m, results in found.items():
        second = [r for r in results if r["table"].startswith("Table II:")]
        for backend in dict.fromkeys(r["backend"] for r in second):
            mine = [r for r in second if r["backend"] == backend]
            names = list(dict.fromkeys(r["column"] for r in mine))
            place = {(r["row"], r["column"]): r for r in mine}
            ons = sorted({r["published"]["on"] for r in mine if r["published"]})
            text += [f"{m.label(backend)}, and the paper's seconds on the {', '.join(ons)} after the slash:", ""]
            rows = []
            for steps in sorted({r["row"] for r in mine}, key=int):
                row = [steps]
                for name in names:
                    r = place.get((steps, name))
                    known = r and r["published"]
                    row.append("-" if not r else number(r["value"]) +
                               (f" / {number(known['value'])} ({times(known['ratio'])})" if known else ""))
                rows.append(row)
            text += table(["Table II: generations per launch", *names], rows)
    return text


def sparse_section(all_machines):
    text = []
    for m in all_machines:
        results = m.results("sparse")
        if not results:
            continue
        label = m.label(results[0]["backend"]).replace(f", {m.threads(results[0]['backend'])} threads", ", one thread")
        text += [f"Patterns on the infinite plane, {label}, beside `bgolly`'s QuickLife in the same run: seconds of stepping "
                 f"without loading ([{m.name}.json]({link(HERE / 'results' / m.name)}.json) has whole processes, too).", ""]
        rows = [[r["row"], number(r["generations"] / r["value"]), number(r["peer"]["seconds"]["median"]),
                 times(r["published"]["ratio"]), rate(r["value"])] for r in results]
        text += table(["pattern", "seconds", "QuickLife's", "ratio", "generations/s"], rows)
    return text


def machine_lines(all_machines):
    text = []
    for m in all_machines:
        d = m.document
        parts = []
        for backend in sorted(m.devices, key=lambda name: ORDER.index(name.split(":")[0])):
            properties = m.devices[backend]["properties"]
            driver = properties.get("driver")
            parts.append(m.label(backend) + (f" (driver {driver})" if driver else ""))
        text.append(f"- [{m.name}.json]({link(HERE / 'results' / m.name)}.json), {d['date'][:10]}: {'; '.join(parts)}; "
                    f"tessera {d['version']}, {d['compiler']}")
    return text + [""]


def section():
    all_machines = machines()
    repeats = sorted({m.document["repeat"] for m in all_machines})
    text = [f"`tessera bench` measured these: medians of {' or '.join(map(str, repeats))} runs, each case checked against another "
            "kernel first. Times are device time where the device has a clock, and wall time elsewhere.", ""]
    text += machine_lines(all_machines)
    text += sizes_section(all_machines)
    text += sparse_section(all_machines)
    drawn = picture_source()
    text += [f"![Speed by size]({link(PICTURES['sizes'])})", ""]
    text += peers_section()
    text += paper_tables(all_machines)
    text += [f"![The fastest of each kernel]({link(PICTURES['fujita'])})", ""]
    text += ["This prints every suite beside the published figures:", "", f"    tessera bench --from tests/benchmark/results/{drawn.name}.json", ""]
    return "\n".join([BEGIN, "", *text, END])


def picture_source():
    """The machine that is drawn: the first with a GPU, or the first of all."""
    return machines()[0]


def fingerprint(suite):
    """Of what a picture shows, kept in the picture."""
    m = picture_source()
    shown = json.dumps([m.results(suite), m.document["devices"], m.document["date"]])
    return f"<!-- of results {hashlib.sha256(shown.encode()).hexdigest()} -->"


def replaced(page, new):
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if len(pattern.findall(page)) != 1:
        sys.exit(f"results.py: {PAGE.name} must have the lines '{BEGIN}' and '{END}' once")
    return pattern.sub(lambda _: new, page)


def write(tessera):
    source = HERE / "results" / f"{picture_source().name}.json"
    for suite, picture in PICTURES.items():
        subprocess.run([tessera, "bench", "--from", str(source), "--suite", suite, "--plot", str(picture)], check=True)
        text = picture.read_text(encoding="utf-8").rstrip()
        picture.write_text(f"{text}\n{fingerprint(suite)}\n", encoding="utf-8")
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), section()), encoding="utf-8")


def problems():
    page = PAGE.read_text(encoding="utf-8")
    if replaced(page, section()) != page:
        yield "docs/speed.md is not what the results say"
    for suite, picture in PICTURES.items():
        text = picture.read_text(encoding="utf-8")
        if fingerprint(suite) not in text:
            yield f"{picture.relative_to(ROOT)} shows other results"
        if len(text) > LARGEST_PICTURE:
            yield f"{picture.relative_to(ROOT)} is larger than {LARGEST_PICTURE} bytes"


def keep(path, target):
    """Copies results, one per line, without the places of a machine's own files."""
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    head = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()
                     if key not in ("results", "stored_in"))
    results = ",\n".join(json.dumps(result) for result in document["results"])
    target.write_text(f'{{{head},\n"results": [\n{results}\n]}}\n', encoding="utf-8")


def add(name, path, tuned=None):
    keep(path, HERE / "results" / f"{name}.json")
    if tuned:
        keep(tuned, ROOT / "backends/tuning/tunings" / f"{name}.json")


def main(words):
    if words[:1] == ["write"] and len(words) <= 2:
        return write(words[1] if len(words) == 2 else str(ROOT / "build/release/apps/tessera/tessera"))
    if words == ["check"]:
        found = list(problems())
        for problem in found:
            print(f"results.py: {problem}; 'tests/benchmark/results.py write' makes it anew", file=sys.stderr)
        return 1 if found else 0
    if words[:1] == ["add"] and len(words) in (3, 4):
        return add(*words[1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
