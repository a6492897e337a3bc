#!/bin/sh
# Runs the suites of 'tessera bench', then 'tessera tune', on a machine with a GPU and leaves FOLDER/bench.json, FOLDER/tune.json
# and FOLDER/suites.log: run-suites.sh FOLDER [GPUS [MAX_SIDE]]. GPUS are backends or devices as --backends takes them,
# "cuda,vulkan" when not given. It stands in the folder of build-bundle.sh, or TESSERA names the program.
#
# All of it ends within LIMIT seconds, 480 when not given. Every suite has a limit of its own besides; what it has measured by
# then is kept, and the next one begins. The exit code is 1 when there is no result at all.
set -u
folder=${1:?folder for the results} gpus=${2:-cuda,vulkan} max_side=${3:-65536}
mkdir -p "$folder" || exit 1
folder=$(realpath "$folder")
here=$(dirname "$(realpath "$0")")
if [ -z "${TESSERA:-}" ]; then
  TESSERA=$here/tessera
  export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
. "$here/nvidia-vulkan.sh"
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
export TESSERA_CACHE="$parts/cache"  # nothing that was tuned before
end=$(($(date +%s) + ${LIMIT:-480}))

# limited SECONDS COMMAND...: interrupts it after that time, or when all time is over; ends it 10 seconds later. Both are asked
# for gently, so that a case in progress is finished and everything until then is written.
limited() {
  limit=$1 left=$((end - $(date +%s) - 10))
  shift
  [ $left -lt "$limit" ] && limit=$left
  if [ "$limit" -lt 1 ]; then
    echo "no time is left for: $*" >&2
    return
  fi
  begin=$(date +%s)
  timeout -k 10 "$limit" "$@"
  echo "status $? after $(($(date +%s) - begin)) s: $*" >&2
}

suite() {  # suite NAME SECONDS OPTION...
  name=$1 limit=$2
  shift 2
  limited "$limit" "$TESSERA" bench --quiet --run-time 50ms --json "$parts/$name.json" "$@"
}

# Those of the named that can step anything at all; a bench that names another is refused.
able() {
  for gpu in $(echo "$1" | tr , ' '); do
    "$TESSERA" run --soup 0.5 --size 64x64 --gens 8 --backend "$gpu" --quiet && found=${found:+$found,}$gpu
  done
  echo "${found:-}"
}

{
  "$TESSERA" devices
  gpus=$(able "$gpus")
  echo "measured: ${gpus:-no GPU}"
  suite gpu-sizes 110 --suite ceiling,sizes --backends "$gpus" --max-side "$max_side"
  suite fujita 90 --suite fujita --backends "$gpus" --max-side "$max_side"
  # On the CPU sizes up to what it is checked for in seconds.
  suite cpu-sizes 20 --suite ceiling,sizes --backends cpu --max-side "$((max_side < 16384 ? max_side : 16384))"
  suite boris 70 --suite boris --backends "$gpus" --max-side "$max_side"
  suite report 30 --suite report --backends "$gpus" --max-side "$max_side"
  suite habr 75 --suite habr --backends "$gpus" --max-side "$max_side"
  suite rules 120 --suite rules --backends "$gpus" --max-side "$max_side"
  set --
  for name in gpu-sizes cpu-sizes fujita boris report habr rules; do
    [ -s "$parts/$name.json" ] && set -- "$@" --from "$parts/$name.json"
  done
  [ $# -gt 0 ] && "$TESSERA" bench "$@" --json "$folder/bench.json" >/dev/null
  limited 25 "$TESSERA" tune --quiet --backends "$gpus" --sides "$((max_side < 16384 ? max_side : 16384))" --max-time 10s \
    --json >"$parts/tune.json"
  [ -s "$parts/tune.json" ] && cp "$parts/tune.json" "$folder/tune.json"
} 2>&1 | tee "$folder/suites.log"
[ -s "$folder/bench.json" ]
