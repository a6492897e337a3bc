#!/bin/sh
# Runs a program on so many ranks of this machine: on_ranks.sh RANKS PROGRAM [ARGUMENTS]. Exit code 77 where there is no mpirun,
# which is a failure where TESSERA_REQUIRE_MPI is 1.
set -u
if ! command -v mpirun >/dev/null; then
  echo "mpirun is not installed"
  [ "${TESSERA_REQUIRE_MPI:-}" = 1 ] && exit 1
  exit 77
fi
ranks=$1
shift
# More ranks than cores, not bound to any, and as root: what Open MPI asks about; MPICH does not.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# hwloc looks for graphics cards on ten displays: ten seconds a start where no file names localhost.
export HWLOC_COMPONENTS=-gl
exec mpirun -n "$ranks" "$@"
