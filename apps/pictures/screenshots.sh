#!/usr/bin/env bash
# screenshots.sh [FOLDER]: plays the viewer on a hidden display and leaves the pictures of it that README.md and docs/ show in FOLDER
# (where this script lies when not given). Needs build/release and Xvfb (third_party/install.sh --with viewer).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
out=$(realpath "${1:-$here}")
viewer=${TESSERA_VIEWER:-$root/build/release/apps/viewer/tessera-viewer}
export LIBGL_ALWAYS_SOFTWARE=1  # the same pixels everywhere
script=$(mktemp)
trap 'rm -f "$script"' EXIT

# picture NAME ARGUMENTS...: what the script on standard input leaves in the window.
picture() {
  local name=$1
  shift
  { echo wait; cat; echo wait; echo "screenshot $out/viewer-$name.png"; } >"$script"
  xvfb-run -a -s "-screen 0 1400x900x24" "$viewer" --backend cpu --ui-scale 1 --window 840x520 --script "$script" "$@"
}

# A gun close up, after a few gliders.
picture gun "$root/apps/patterns/gosper-gun.rle" <<'STEPS'
key Ctrl+G
text 105
wait
key Return
wait
key PageUp
key Down
key Down
move 420 60
STEPS

# A methuselah that was looked at from its first generation on: cells by age, trails of dead ones.
picture methuselah "$root/apps/patterns/r-pentomino.rle" <<'STEPS'
key A
key 1
key PageUp
key PageUp
key C
wait
key Ctrl+G
text 560
wait
key Return
wait
move 500 60
STEPS

# A soup of 268 million cells, all of it.
picture soup --soup 0.5 --seed 1 --rule B3/S23:P16384,16384 --gens 250 <<'STEPS'
key PageDown
STEPS
