"""Several hosts, emulated on one machine: mpirun over hosts that have a network, a name, processes and mounts of their own, which
Open MPI and Tessera take for different ones. All of it lies in namespaces of Linux and goes with the test. Skipped, with the
reason, where this user may not make them. Started by hand, with TESSERA naming the program: it takes most of a minute."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import GUN, PROGRAM, ProgramTest, needs, usual_signals
from mpirun import AS_WE_ARE

OWN_SPACES = ["--net", "--mount", "--uts"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net", "--mount", "--uts"]
INSIDE = "TESSERA_HOSTS_INSIDE"
HOSTS = 3
NETWORK = f"""set -e
mount -t tmpfs none /run
ip link set lo up
ip link add bridge type bridge
ip link set bridge up
for i in $(seq {HOSTS}); do
  ip netns add host$i
  ip link add cable$i type veth peer name eth0 netns host$i
  ip link set cable$i master bridge up
  ip -n host$i address add 10.77.0.$i/24 dev eth0
  ip -n host$i link set eth0 up
  ip -n host$i link set lo up
done
"""
# Becomes a command on a host: as_host.sh NUMBER COMMAND... What hosts other than the first do not have is hidden there.
AS_HOST = """#!/bin/sh
export NUMBER=$1
shift
exec ip netns exec host$NUMBER unshare --mount --uts --pid --fork --kill-child sh -c '
  hostname host$NUMBER
  [ $NUMBER = 1 ] || mount -t tmpfs none "$FOLDER/first"
  if [ $NUMBER = "$WITHOUT_MODULE" ]; then mount --bind /dev/null "$MODULE"; fi
  exec "$@"' sh "$@"
"""
# What Open MPI takes for ssh: agent.sh ADDRESS WORDS..., the words being a line for a shell there.
AGENT = """#!/bin/sh
number=${1##*.}
shift
exec "$FOLDER/as_host.sh" $number sh -c "$*"
"""

LONG = ["--soup", 0.4, "--size", "600x400", "--space", "grid"]  # as tiles it would be done when it has settled
TILES = ["--soup", 0.4, "--seed", 7, "--size", "4944x4944", "--space", "tiles"]


def why_not():
    """Why hosts cannot be emulated here, or nothing."""
    for program in ("mpirun", "ip", "unshare"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        return "hosts are given to Open MPI's mpirun, and this is another one"
    tried = subprocess.run(["unshare", *OWN_SPACES, "sh", "-c", NETWORK], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"this user may not emulate hosts: {tried.stderr.strip().splitlines()[-1:]}"


class HostsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, text in (("as_host.sh", AS_HOST), ("agent.sh", AGENT)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        (self.folder / "first").mkdir()
        subprocess.run(["ip", "link", "set", f"cable{HOSTS}", "up"], check=True)
        # Until both ends know, Open MPI takes the host for one without a network, and waits for ever.
        self.wait_for(lambda: all("state UP" in subprocess.run(["ip", *where, "link", "show", "eth0" if where else f"cable{HOSTS}"], capture_output=True, text=True).stdout
                                  for where in ([], ["-n", f"host{HOSTS}"])), "a cable that is plugged in")

    def start_on(self, ranks, *words, env=None):
        """Starts so many ranks on each of the hosts, from the first one."""
        hosts = ",".join(f"10.77.0.{i + 1}:{n}" for i, n in enumerate(ranks))
        module = os.path.join(os.path.dirname(PROGRAM), "..", "..", "modules", "libtessera_mpi.so")
        options = ["--host", hosts, "--mca", "plm_rsh_agent", str(self.folder / "agent.sh"), "-n", sum(ranks)]
        process = subprocess.Popen([str(self.folder / "as_host.sh"), "1", "mpirun", *map(str, options), PROGRAM, *map(str, words)],
                                   cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=usual_signals,
                                   env={**os.environ, **AS_WE_ARE, "FOLDER": str(self.folder), "MODULE": module,
                                        "WITHOUT_MODULE": "", **(env or {})})
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.returncode is None else None)
        return process

    def told(self, process):
        """Waits for the end; returns the exit code, stdout and our lines on stderr."""
        out, err = process.communicate(timeout=60)
        return process.returncode, out, [line for line in err.splitlines() if line.startswith("tessera: ")]

    def report_on(self, ranks, *words):
        code, out, lines = self.told(self.start_on(ranks, "run", *words, "--backend", "cpu", "--json"))
        self.assertEqual(code, 0, lines)
        return json.loads(out)

    def test_hosts_step_what_one_process_does(self):
        shutil.copy(GUN, self.folder / "first" / "gun.rle")  # which the other hosts do not have
        words = ["first/gun.rle", "--gens", 300, "--space", "grid", "--out", "first/out.rle"]
        several = self.report_on((2, 2, 1), *words)
        self.same(several, self.report(*words, "--backend", "cpu"))
        self.assertEqual((several["ranks"], several["hosts"]), (5, 3))
        code, out, lines = self.told(self.start_on((1, 1), "compare", *LONG, "--gens", 60, "--repeat", 1, "--kernels", "default",
                                                   "--backends", "cpu,cpu*ranks", "--json"))
        self.assertEqual((code, lines), (0, []))
        self.assertEqual(sorted(row["backend"] for row in json.loads(out)["rows"]), ["cpu*2", "cpu:0"])

    def test_a_run_is_resumed_on_other_hosts(self):
        self.report_on((1, 1, 1), *TILES, "--gens", 20, "--checkpoint", "a.tsr")
        self.assertEqual(len(list(self.folder.glob("a.tsr*"))), 4)
        self.report_on((1, 2), "--resume", "a.tsr", "--gens", 30, "--checkpoint", "a.tsr")
        self.same(self.report("--resume", "a.tsr", "--gens", 40, "--backend", "cpu"),
                  self.report(*TILES, "--gens", 40, "--backend", "cpu"))

    def test_hosts_that_do_not_share_the_folder_of_a_checkpoint(self):
        code, out, lines = self.told(self.start_on((1, 1), "run", *LONG, "--gens", 20, "--backend", "cpu", "--checkpoint", "first/a.tsr"))
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("all need the same folder", lines[0])
        self.assertEqual(list(self.folder.glob("first/a.tsr")), [])

    def test_a_host_without_the_module(self):
        process = self.start_on((1, 2), "run", *LONG, "--gens", 20, "--backend", "cpu", env={"WITHOUT_MODULE": "2"})
        code, out, lines = self.told(process)
        self.assertEqual((code, len(lines)), (2, 1), lines)
        self.assertRegex(lines[0], r"\Atessera: rank 1 on host2: several processes were started, but MPI is missing")

    def ranks_left(self):
        """Processes that run the program in this test's folder, on whatever host."""
        left = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{entry}/cwd") == str(self.folder) and os.readlink(f"/proc/{entry}/exe") == os.path.realpath(PROGRAM):
                    left.append(int(entry))
            except OSError:
                pass  # it has ended, or is nobody's
        return left

    def first_process(self):
        """Of the last host, by the number that it has for this test: with it all others there end."""
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ").read_text().split("\0")
                numbers = re.search(r"^NSpid:(.*)$", pathlib.Path(f"/proc/{entry}/status").read_text(), re.M)[1].split()
            except OSError:
                continue
            if f"NUMBER={HOSTS}" in environment and len(numbers) > 1 and numbers[-1] == "1":
                return int(entry)
        return self.fail("the last host has no processes")

    def lose(self, words, lose):
        """Loses the last of three hosts; a line names it and the checkpoint within ten seconds, and all ranks end."""
        process = self.start_on((1, 1, 2), "run", *words, "--gens", 10**12, "--backend", "cpu", "-q", "--checkpoint", "c.tsr",
                                "--checkpoint-every", "0.1s")
        self.wait_for(lambda: (self.folder / "c.tsr").exists(), "a checkpoint")
        lose()
        begun = time.monotonic()
        self.wait_for(lambda: not self.ranks_left(), "the end of all ranks")
        self.assertLess(time.monotonic() - begun, 12)  # a launcher gives them two seconds
        try:
            _, err = process.communicate(timeout=2)
        except subprocess.TimeoutExpired:  # mpirun waits for the host to come back
            process.kill()
            _, err = process.communicate()
        lines = [line for line in err.splitlines() if line.startswith("tessera: ")]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"\Atessera: host3 with ranks 2, 3 does not answer, and the run ends; the last checkpoint is c\.tsr")
        self.resumes("c.tsr", words)

    def test_a_host_whose_processes_are_killed(self):
        self.lose(TILES, lambda: os.kill(self.first_process(), signal.SIGKILL))

    def test_a_host_whose_cable_is_cut(self):
        self.lose(LONG, lambda: subprocess.run(["ip", "link", "set", f"cable{HOSTS}", "down"], check=True))


if __name__ == "__main__":
    if INSIDE in os.environ:
        subprocess.run(["sh", "-c", NETWORK], check=True)
    elif reason := why_not():
        HostsTest = unittest.skip(reason)(HostsTest)
    else:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", *OWN_SPACES, sys.executable, *sys.argv])
    unittest.main()
