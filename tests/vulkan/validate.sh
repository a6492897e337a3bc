#!/usr/bin/env bash
# validate.sh PROGRAM CHECKS [PATTERN]: runs PROGRAM on lavapipe under the Khronos validation layer, with CHECKS (synchronization,
# across submissions too, or gpu: GPU-assisted) on top of the core checks. Without PATTERN it passes when the program ends well
# and the layer says nothing; with it, when the layer says something that matches, and there PROGRAM ends.
set -euo pipefail
program=$1 checks=$2 pattern=${3:-}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $checks in
  synchronization)
    enables=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    enables+=,VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT ;;
  gpu) enables=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT ;;
  *) echo "validate.sh: '$checks': synchronization and gpu are accepted" >&2; exit 2 ;;
esac
cat > "$folder/vk_layer_settings.txt" <<END
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = $folder/messages
khronos_validation.enables = $enables
END
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation XDG_CACHE_HOME=$folder TESSERA_CACHE=$folder
icd=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1 || true)
# ctest calls 77 skipped.
missing() {
  echo "skipped: $1 is not installed"
  [[ ${TESSERA_REQUIRE_VULKAN:-0} == 1 ]] && exit 1
  exit 77
}
[[ -n $icd ]] || missing "lavapipe (Debian's package mesa-vulkan-drivers)"
export VK_ICD_FILENAMES=$icd

status=0
"$program" > "$folder/output" 2>&1 &
running=$!
if [[ -n $pattern ]]; then
  while kill -0 "$running" 2>/dev/null && ! grep -qsE "$pattern" "$folder/messages"; do sleep 0.2; done
  kill "$running" 2>/dev/null || true
fi
wait "$running" || status=$?
cat "$folder/output"
[[ -e $folder/messages ]] || missing "the validation layer (Debian's package vulkan-validationlayers)"
head -c 4000 "$folder/messages"
if [[ -n $pattern ]]; then
  grep -qE "$pattern" "$folder/messages" || { echo "the layer did not find the planted fault: $pattern" >&2; exit 1; }
else
  [[ $status == 0 ]] || exit "$status"
  [[ ! -s $folder/messages ]] || exit 1
fi
