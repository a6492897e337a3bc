#!/bin/sh
# Runs what build-bundle.sh gathered on a machine with a GPU and writes REPORT (JSON): run-bundle.sh REPORT [quick].
# The benchmark of suite.txt comes first, alone; then the tests: those of CUDA, a process for every kernel and test case, the
# suite that all backends pass, a process for every program and kernel, those of tiles, and, unless "quick", compute-sanitizer's four
# tools at small sizes, a process for every kernel and tool. They run side by side on all cores, the
# longest first, and share what they compile; what has not ended after TEST_SECONDS (300) is in the report as failed.
# REFERENCE may name a program to time in the same run; its output goes into the report.
set -u
report=$(realpath -m "${1:?report file}")
quick=${2:-}
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export TESSERA_CACHE="$logs/cache" TESSERA_TEST_DATA="$PWD/vulkan"

timeout 70 ./gpu_bench <suite.txt >"$logs/bench"
echo $? >"$logs/bench.status"
reference='""'
if [ -n "${REFERENCE:-}" ]; then
  reference=$(timeout 20 "$REFERENCE" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().splitlines()))')
fi

count() { ./gpu_tests "$@" -c | grep -oE '[0-9]+$'; }  # test cases
# One job a line: its rank, a name for its log and its status, and a command. The default kernel is compiled for the most
# shapes; a million generations in lockstep take some seconds on a fast card; racecheck is the slowest tool.
{
  for n in $(seq "$(count -tse='per kernel')"); do
    echo "0 tests-rest-$n TESSERA_LONG=${TESSERA_LONG:-1000000} ./gpu_tests -tse='per kernel' --first=$n --last=$n"
  done
  # Every rule and shape of the random cases is compiled: fewer of them than without a GPU, most for the default kernel.
  suite="TESSERA_BACKENDS=cuda TESSERA_REQUIRE=cuda TESSERA_CASES=${TESSERA_CASES:-60}"
  for program in plane contract launches laws facts differential neighbourhoods; do
    for kernel in $(./gpu_bench kernels); do
      rank=1 more=
      [ "$kernel" != strips ] || rank=0
      [ "$program-$kernel" != neighbourhoods-strips ] || more=TESSERA_CASES=100
      echo "$rank tests-$program-$kernel $suite $more TESSERA_KERNELS=$kernel ./vulkan/${program}_test"
    done
  done
  echo "1 tests-drivers $suite ./vulkan/drivers_test"
  echo "1 tests-ranges $suite ./vulkan/ranges_test"
  echo "1 tests-batch $suite ./vulkan/batch_test"
  # Universes as tiles, a process for every test case.
  tiles="TESSERA_BACKENDS=cuda TESSERA_REQUIRE=cuda"
  for n in $(seq "$(./vulkan/tiles_test -c | grep -oE '[0-9]+$')"); do
    echo "1 tests-tiles-$n $tiles TESSERA_CASES=${TILE_CASES:-400} ./vulkan/tiles_test --first=$n --last=$n"
  done
  # One grid over several: on one card, and over all where there are more.
  echo "1 tests-distributed $suite ./vulkan/distributed_test"
  for program in plane contract launches laws differential; do
    for parts in cuda:0+cuda:0 cuda:all; do
      echo "1 tests-$program-$parts $suite TESSERA_KERNELS=default TESSERA_BACKENDS=$parts ./vulkan/${program}_test"
    done
  done
  # Every way between two cards.
  echo "0 tests-bands $suite TESSERA_CASES=100 ./bands_cuda_test"
  echo "1 tests-states $suite ./states_cuda_test"
  echo "1 tests-sums $suite ./sums_cuda_test"
  echo "1 tests-files $suite ./files_cuda_test"
  echo "1 tests-tables $suite TESSERA_KERNELS=table TESSERA_BACKENDS=cuda,vulkan:0 ./vulkan/tables_test"
  if [ "$(nvidia-smi -L | wc -l)" -gt 1 ]; then
    for link in peer nccl host; do
      echo "1 tests-differential-link-$link $suite TESSERA_LINK=$link TESSERA_KERNELS=default TESSERA_BACKENDS=cuda:all" \
        "./vulkan/differential_test"
    done
  fi
  [ "$quick" = quick ] ||
    echo "1 sanitizer-memcheck-bands $suite TESSERA_CASES=2 TESSERA_KERNELS=default TESSERA_BACKENDS=cuda:0+cuda:0" \
      "compute-sanitizer --tool memcheck --error-exitcode 9 ./vulkan/differential_test"
  echo "1 tests-change $suite ./vulkan/plane_test -tc='*kernel can change*'"  # wants all kernels in one process
  cases=$(count -ts='per kernel')
  for kernel in $(./gpu_bench kernels); do
    rank=2
    [ "$kernel" != strips ] || rank=0
    for n in $(seq "$cases"); do
      echo "$rank tests-$kernel-$n TESSERA_KERNELS=$kernel ./gpu_tests -ts='per kernel' --first=$n --last=$n"
    done
    [ "$quick" != quick ] || continue
    for tool in racecheck memcheck initcheck synccheck; do
      echo "1 sanitizer-$tool-$kernel TESSERA_KERNELS=$kernel TESSERA_CASES=2 compute-sanitizer --tool $tool" \
        "--error-exitcode 9 ./gpu_tests -tc='*random small grids*'"
    done
  done
  for tool in racecheck memcheck initcheck synccheck; do
    [ "$quick" != quick ] || continue
    echo "1 sanitizer-$tool-tiles $tiles TESSERA_CASES=2 compute-sanitizer --tool $tool --error-exitcode 9" \
      "./vulkan/tiles_test -tc='random lives of a plane*,random lives of tori*'"
  done
} | sort -s -n -k 1,1 | cut -d ' ' -f 2- >"$logs/jobs"
timeout "${TEST_SECONDS:-300}" xargs -a "$logs/jobs" -d '\n' -P "$(nproc)" -I '{}' sh -c '
  job=$1 name=${1%% *} begin=$(date +%s)
  timeout --foreground 440 sh -c "exec env ${job#* }" >"$0/$name" 2>&1
  echo $? $(($(date +%s) - begin)) >"$0/$name.status"
' "$logs" '{}'

python3 - "$logs" "$report" "$reference" "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)" <<'END'
import datetime, json, pathlib, re, sys

logs, report, reference, device = pathlib.Path(sys.argv[1]), *sys.argv[2:]
names = ["bench"] + [line.split()[0] for line in (logs / "jobs").read_text().splitlines()]
status, seconds, text = {}, {}, {}
for name in names:
    path, log = logs / (name + ".status"), logs / name
    # What was not done in time has no status: 124, as timeout says it.
    words = path.read_text().split() if path.exists() else []
    status[name] = int(words[0]) if words else 124
    if len(words) > 1:
        seconds[name] = int(words[1])
    text[name] = log.read_text(errors="replace") if log.exists() else ""
failed = [name for name, code in status.items() if code]

tests = {"processes": 0, "failed": 0, "assertions": 0, "random_cases": 0}
sanitizer = {}
for name, log in text.items():
    if name.startswith("tests-"):
        found = re.search(r"assertions: +(\d+)", log)
        assertions = int(found[1]) if found else 0
        # Random cases are compared in all that can be asked, and tell only what differs.
        cases = sum(map(int, re.findall(r"^\[tessera\] .*: (\d+) cases ran", log, re.M)))
        tests["processes"] += 1
        tests["failed"] += status[name] != 0 or assertions + cases == 0
        tests["assertions"] += assertions
        tests["random_cases"] += cases
        if assertions + cases == 0:  # nothing that could fail
            failed.append(name)
    elif name.startswith("sanitizer-"):
        tool, kernel = name.split("-", 2)[1:]
        # Hazards that compute-sanitizer calls warnings do not change its status; none is accepted.
        summary = re.findall(r"= ((?:RACECHECK|ERROR) SUMMARY: .*)", log)
        clean = status[name] == 0 and bool(summary) and re.search(r"SUMMARY: 0 ", summary[-1]) is not None
        of_tool = sanitizer.setdefault(tool, {"kernels": 0, "clean": 0, "found": {}})
        of_tool["kernels"] += 1
        of_tool["clean"] += clean
        if not clean:
            of_tool["found"][kernel] = f"status {status[name]}, {summary[-1] if summary else 'no summary'}"
            failed.append(name)
failed = sorted(set(failed))
for name in failed:
    print(f"{name}: status {status[name]}")
    print("\n".join(line for line in text[name].splitlines() if "ptxas" not in line)[-1500:])
print(json.dumps(tests), json.dumps(sanitizer))
longest = sorted(seconds, key=seconds.get, reverse=True)[:12]
print("longest: " + ", ".join(f"{name} {seconds[name]} s" for name in longest))
bench = [json.loads(line) for line in text["bench"].splitlines() if line.endswith("}")]
for row in bench:
    print(json.dumps(row))
# The speed of the default kernel in its own shape over the reference's best, at sides that both were timed at.
reference, ratios = json.loads(reference), {}
for line in reference:
    found = re.match(r" *(\d+)\^2 .* (\S+) cell updates/s", line)
    size = f"{found[1]}x{found[1]}" if found else None
    own = next((r for r in bench if (r.get("kernel"), r.get("size"), r.get("rule")) == ("strips", size, "B3/S23")), None)
    if own:
        ratios[size] = round(min(own["cells_per_second"] / float(found[2]), ratios.get(size, 1e9)), 4)
print("to the reference:", json.dumps(ratios))
with open(report, "w") as out:
    json.dump({"date": datetime.date.today().isoformat(), "device": device, "command": "tests/gpu/run-bundle.sh",
               "tests": tests, "compute_sanitizer": sanitizer, "failed": failed, "reference": reference,
               "ratio_to_reference": ratios, "bench": bench}, out, indent=1)
    out.write("\n")
sys.exit(1 if failed else 0)
END
