#!/usr/bin/env bash
# Emulates two nodes of Slurm on this machine and runs a program on them: on_slurm.sh SRUN-OPTIONS... PROGRAM ARGUMENTS...,
# such as on_slurm.sh -N 2 -n 4 build/release/apps/tessera/tessera run .... By hand, as root, where Debian's packages slurmctld,
# slurmd, slurm-client and munge are installed and munged runs; no part of the tests. Exit code: srun's; 77 with a reason where
# that cannot be. The nodes have names and /tmp of their own, and share all else: SLURM_NODE_FOLDER holds their logs.
set -euo pipefail

skip() {
  echo "skipped: $*" >&2
  exit 77
}

for each in slurmctld slurmd srun munge unshare; do
  command -v "$each" >/dev/null || skip "$each is not installed"
done
unshare --mount --uts true 2>/dev/null || skip "this user may not name nodes"
munge -n </dev/null | unmunge >/dev/null 2>&1 || skip "munged does not run"

# Not in /tmp, which the nodes do not share.
folder=${SLURM_NODE_FOLDER:-$(mktemp -d /var/tmp/tessera-slurm-XXXXXX)}
mkdir -p "$folder"/{state,n1,n2}
host=$(hostname)
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=emulated
SlurmctldHost=$host
SlurmctldPort=7817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/controller.pid
SlurmdPidFile=$folder/%n.pid
NodeName=n1 NodeHostname=$host Port=17001 CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host Port=17002 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END

srun --mpi=list 2>&1 | grep -q pmix || skip "this Slurm has no PMIx"

started=()
end() { ((${#started[@]})) && kill "${started[@]}" 2>/dev/null || true; }
trap end EXIT
slurmctld -D >"$folder/controller.log" 2>&1 &
started+=($!)
for node in n1 n2; do
  unshare --mount --uts sh -c "mount -t tmpfs none /tmp && hostname $node && exec slurmd -D -N $node" >"$folder/$node.log" 2>&1 &
  started+=($!)
done
for _ in $(seq 100); do
  [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]] && break
  sleep 0.1
done
# hwloc looks for graphics cards on ten displays.
HWLOC_COMPONENTS=-gl srun --mpi=pmix "$@"
