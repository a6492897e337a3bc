#!/usr/bin/env bash
# on_device.sh DEVICE PROGRAM [ARGUMENT]...: runs a test program over the Vulkan backend on one software device: lavapipe4,
# lavapipe8, lavapipe16 (Mesa's, by the size of its subgroups) or swiftshader (of Chromium, subgroups of 4). Its caches are
# empty at the start, but for Mesa's compiled shaders, of which programs share most, where TESSERA_MESA_CACHE names a folder.
# Exit code 77, which ctest calls skipped, where the device is not installed, unless TESSERA_REQUIRE_VULKAN is 1.
set -euo pipefail
device=$1
shift
case $device in
  lavapipe4 | lavapipe8 | lavapipe16)
    driver=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1 || true) package=mesa-vulkan-drivers
    size=${device#lavapipe}
    export LP_NATIVE_VECTOR_WIDTH=$((32 * size)) ;;
  swiftshader)
    driver=/usr/lib/chromium/vk_swiftshader_icd.json package=chromium size=4 ;;
  *) echo "on_device.sh: '$device': lavapipe4, lavapipe8, lavapipe16 and swiftshader are accepted" >&2; exit 2 ;;
esac
if [[ -z $driver || ! -e $driver ]]; then
  echo "skipped: $device is not installed (Debian's package $package)"
  [[ ${TESSERA_REQUIRE_VULKAN:-0} == 1 ]] && exit 1
  exit 77
fi
caches=$(mktemp -d)
trap 'rm -rf "$caches"' EXIT
export VK_ICD_FILENAMES=$driver TESSERA_SUBGROUPS=$size TESSERA_BACKENDS=vulkan TESSERA_REQUIRE=vulkan XDG_CACHE_HOME=$caches TESSERA_CACHE=$caches
# Mesa's compiler frees 130 MB per start: with AddressSanitizer's usual 256 MB none of it would be used twice.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=16
if [[ -n ${TESSERA_MESA_CACHE:-} ]]; then
  export MESA_SHADER_CACHE_DIR=$TESSERA_MESA_CACHE/$device
  mkdir -p "$MESA_SHADER_CACHE_DIR"
fi
"$@"
