#!/usr/bin/env bash
# Installs the packages that the tables of README.md (beside this file) name, through apt, when they are missing.
# Quick, silent and without root when nothing is. Exit codes: 0 everything required is there; 1 something required is missing or
# could not be installed; 2 bad usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tables=$here/README.md

usage() {
  echo "usage: third_party/install.sh [--with GROUP]... [--check]   GROUP: tests, viewer, all"
}

say() { echo "install: $*" >&2; }

# The rows of the groups named by the arguments: "need package what-is-missing-without-it".
rows() {
  awk -F ' *[|] *' -v groups=" $* " '
    /^## / { wanted = index(groups, " " substr($0, 4) " ") > 0 }
    wanted && /^\| `/ { gsub("`", "", $2); print $3, $2, $7 }' "$tables"
}

groups=(build)
check_only=0
while (($#)); do
  case $1 in
    --with)
      case ${2-} in
        tests | viewer) groups+=("$2") ;;
        all) groups+=(tests viewer) ;;
        *)
          say "--with '${2-}': expected tests, viewer or all"
          exit 2
          ;;
      esac
      shift 2
      ;;
    --check) check_only=1; shift ;;
    -h | --help) usage; exit 0 ;;
    *)
      say "unknown argument '$1'"
      usage >&2
      exit 2
      ;;
  esac
done

declare -A need without
order=()
while read -r row_need package lost; do
  [[ $row_need == required || $row_need == optional ]] || { say "$tables: '$package' is '$row_need'"; exit 1; }
  order+=("$package")
  need[$package]=$row_need
  without[$package]=$lost
done < <(rows "${groups[@]}")
((${#order[@]})) || { say "$tables: no packages for ${groups[*]}"; exit 1; }

if ! command -v nvcc >/dev/null && [[ ! -x ${CUDA_PATH:-/usr/local/cuda}/bin/nvcc ]]; then
  say "no CUDA toolkit (nvcc) here: the CUDA backend will not be built"
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "no apt here; install the equivalents of these by the system's own means: ${order[*]}"
  exit 0
fi

# Prints those of its arguments that are not installed.
missing_of() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  local package
  for package in "$@"; do
    grep -qxF "$package installed" <<<"$installed" || echo "$package"
  done
}

# Says what the missing ones among its arguments cost; fails when one of them is required.
report_missing() {
  local failed=0 package
  for package in $(missing_of "$@"); do
    say "$package (${need[$package]}) is missing: ${without[$package]}"
    [[ ${need[$package]} == optional ]] || failed=1
  done
  return "$failed"
}

mapfile -t missing < <(missing_of "${order[@]}")
if ((${#missing[@]} == 0)); then exit 0; fi
if ((check_only)); then
  if report_missing "${order[@]}"; then exit 0; else exit 1; fi
fi

root=(env DEBIAN_FRONTEND=noninteractive)
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    say "not root and no sudo; as root run: apt-get install --no-install-recommends ${missing[*]}"
    if report_missing "${missing[@]}"; then exit 0; else exit 1; fi
  fi
  root=(sudo "${root[@]}")
fi
apt=("${root[@]}" apt-get -qq -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)

say "installing ${missing[*]}"
"${apt[@]}" update || { sleep 5; "${apt[@]}" update; } || say "apt-get update failed; trying with the lists at hand"

# All at once is fastest; when that fails, one at a time tells which cannot be had.
install_packages() { "${apt[@]}" install --no-install-recommends "$@"; }
if ! install_packages "${missing[@]}"; then
  for package in "${missing[@]}"; do
    install_packages "$package" || say "$package could not be installed"
  done
fi
report_missing "${missing[@]}"
