#!/bin/sh
# Runs what build-bundle.sh gathered on a machine with a GPU and writes REPORT (JSON): run-bundle.sh REPORT [quick].
# The benchmark of suite.txt comes first, alone; then the tests, a process for every kernel and test case, and, unless "quick",
# compute-sanitizer's four tools at small sizes, which find the kernels of the tests compiled. They run side by side on all
# cores, nearly all they wait for is the compiler; what has not ended after TEST_SECONDS (300) is in the report as failed.
# REFERENCE may name a program to time in the same run; its output goes into the report.
set -u
report=$(realpath -m "${1:?report file}")
quick=${2:-}
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export TESSERA_CACHE="$logs/cache"

timeout 70 ./gpu_bench <suite.txt >"$logs/bench"
echo $? >"$logs/bench.status"
reference='""'
if [ -n "${REFERENCE:-}" ]; then
  reference=$(timeout 20 "$REFERENCE" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().splitlines()))')
fi

# One job a line: a name for its log and its status, and a command.
{
  # A million generations in lockstep take some seconds on a fast card.
  echo "tests-rest TESSERA_LONG=${TESSERA_LONG:-1000000} ./gpu_tests -tse='per kernel'"
  cases=$(./gpu_tests -ts='per kernel' -c | grep -oE '[0-9]+$')
  for kernel in $(./gpu_bench kernels); do
    for n in $(seq "$cases"); do
      echo "tests-$kernel-$n TESSERA_KERNEL=$kernel ./gpu_tests -ts='per kernel' --first=$n --last=$n"
    done
  done
  if [ "$quick" != quick ]; then
    for tool in memcheck racecheck initcheck synccheck; do
      echo "sanitizer-$tool TESSERA_CASES=2 compute-sanitizer --tool $tool --error-exitcode 9 ./gpu_tests" \
        "-tc='*random small grids*'"
    done
  fi
} >"$logs/jobs"
timeout "${TEST_SECONDS:-300}" xargs -a "$logs/jobs" -d '\n' -P "$(nproc)" -I '{}' sh -c '
  job=$1 name=${1%% *}
  timeout 280 sh -c "exec env ${job#* }" >"$0/$name" 2>&1
  echo $? >"$0/$name.status"
' "$logs" '{}'

python3 - "$logs" "$report" "$reference" "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)" <<'END'
import datetime, json, pathlib, re, sys

logs, report, reference, device = pathlib.Path(sys.argv[1]), *sys.argv[2:]
names = ["bench"] + sorted(line.split()[0] for line in (logs / "jobs").read_text().splitlines())
# What was not done in time has no status: 124, as timeout says it.
paths = {name: logs / (name + ".status") for name in names}
status = {name: int(path.read_text() or 124) if path.exists() else 124 for name, path in paths.items()}
text = {name: (logs / name).read_text(errors="replace") if (logs / name).exists() else "" for name in names}
failed = [name for name, code in status.items() if code]

tests = {"processes": 0, "failed": 0, "assertions": 0}
sanitizer = {}
for name, log in text.items():
    if name.startswith("tests-"):
        found = re.search(r"assertions: +(\d+)", log)
        assertions = int(found[1]) if found else 0
        tests["processes"] += 1
        tests["failed"] += status[name] != 0 or assertions == 0
        tests["assertions"] += assertions
        if assertions == 0:  # nothing that could fail
            failed.append(name)
    elif name.startswith("sanitizer-"):
        # Hazards that compute-sanitizer calls warnings do not change its status; none is accepted.
        summary = re.findall(r"= ((?:RACECHECK|ERROR) SUMMARY: .*)", log)
        sanitizer[name[len("sanitizer-"):]] = {"status": status[name], "summary": summary[-1] if summary else "none"}
        if not summary or not re.search(r"SUMMARY: 0 ", summary[-1]):
            failed.append(name)
failed = sorted(set(failed))
for name in failed:
    print(f"{name}: status {status[name]}")
    print("\n".join(line for line in text[name].splitlines() if "ptxas" not in line)[-1500:])
print(json.dumps(tests), json.dumps(sanitizer))
bench = [json.loads(line) for line in text["bench"].splitlines() if line.endswith("}")]
for row in bench:
    print(json.dumps(row))
with open(report, "w") as out:
    json.dump({"date": datetime.date.today().isoformat(), "device": device, "command": "tests/gpu/run-bundle.sh",
               "tests": tests, "compute_sanitizer": sanitizer, "failed": failed, "reference": json.loads(reference),
               "bench": bench}, out, indent=1)
    out.write("\n")
sys.exit(1 if failed else 0)
END
