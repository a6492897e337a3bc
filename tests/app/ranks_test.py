"""One grid over several processes, from the command line: mpirun -n N tessera ..."""

import json
import os
import re
import signal
import subprocess
import unittest

from program import ACORN, GUN, PROGRAM, ProgramTest, needs, usual_signals
from mpirun import AS_WE_ARE, TELLING

SOUP = ["--soup", "0.4", "--seed", "7", "--size", "500x90", "--gens", "130"]
LONG = ["--soup", 0.4, "--size", "600x400", "--space", "grid"]  # as tiles it would be done when it has settled
# More tiles than one rank steps alone, and than come by at once for a hash, which they do not divide evenly.
TILES = ["--soup", 0.4, "--seed", 7, "--size", "4944x4944", "--space", "tiles"]
# Ranks 0 and 1 on one host, 2 and 3 on another.
ON_TWO_HOSTS = ["unshare", "--uts", "sh", "-c", 'hostname host$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / 2)); exec "$@"', "sh"]


@needs("mpirun")
class RanksTest(ProgramTest):
    def start_on(self, ranks, *words, telling=(), env=None):
        process = subprocess.Popen(["mpirun", "-n", str(ranks), *telling, PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=usual_signals,
                                   env={**os.environ, **AS_WE_ARE, **(env or {})})
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.returncode is None else None)
        return process

    def on(self, ranks, *words, code=0, **options):
        """Runs to the end; returns (stdout, our lines on stderr)."""
        process = self.start_on(ranks, *words, **options)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, out + err)
        return out, [line for line in err.splitlines() if line.startswith("tessera: ")]

    def report_on(self, ranks, *words):
        return json.loads(self.on(ranks, "run", *words, "--json")[0])

    def test_ranks_step_the_grid_of_one_process(self):
        one = self.report(*SOUP, "--backend", "cpu")
        self.assertEqual((one["ranks"], one["hosts"]), (1, 1))
        three = self.report_on(3, *SOUP, "--backend", "cpu", "--halo", 7)
        self.same(three, one)
        self.assertEqual([three[key] for key in ("backend", "parts", "halo", "link", "ranks", "hosts")],
                         ["cpu*3", 3, 7, "mpi", 3, 1])

    def test_other_ranks_are_sent_the_rule_file(self):
        (self.folder / "Odd.rule").write_text(
            "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:permute\nvar a={0,1,2}\nvar b={a}\nvar c={a}\nvar d={a}\nvar e={a}\n"
            "var f={a}\n0,1,1,a,b,c,d,e,f,2\n2,a,b,c,d,e,f,1,0,1\n1,0,0,0,a,b,c,d,e,0\n@COLORS\n1 9 9 9\n")
        words = ["--rule", "./Odd.rule", "--size", "90x70", "--soup", 0.4, "--soup-states", "all", "--gens", 40, "--out", "a.png"]
        one = self.report(*words, "--backend", "cpu")
        picture = (self.folder / "a.png").read_bytes()
        three = self.report_on(3, *words, "--backend", "cpu")
        self.same(three, one)
        self.assertEqual((three["kernel"], three["ranks"]), ("table", 3))
        self.assertEqual((self.folder / "a.png").read_bytes(), picture)
        several = ["--rule", "345/2/4", "--size", "90x70", "--soup", 0.4, "--gens", 40]
        self.same(self.report_on(3, *several, "--backend", "cpu"), self.report(*several, "--backend", "cpu"))

    def test_other_ranks_are_told_of_longer_ranges_and_of_the_second_rule(self):
        (self.folder / "Left.rule").write_text("@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:none\n0010\n2001\n")
        (self.folder / "Down.rule").write_text("@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:permute\n100002\n")
        for rule, universe in (("R5,C2,S34..58,B34..45,NM", ":T300,210"), ("R3,C4,M1,S8..12,B7..9,NN", ":P200,150"),
                               ("B3/S23|B36/S23", ":T300,70"), ("./Left.rule|./Down.rule", ":P90,70"),
                               ("./Down.rule", ":K90,70*+1"), ("B3/S23", ":T300,70-13"), ("B2-a/S12", ":S90")):
            words = ["--rule", rule + universe, "--soup", 0.4, "--gens", 41]
            one = self.report(*words, "--backend", "cpu")
            self.assertGreater(one["population"], 0)
            self.same(self.report_on(3, *words, "--backend", "cpu"), one)
            if rule.startswith("R"):
                self.same(self.report_on(3, *words, "--backend", "cpu", "--space", "tiles"), one)

    def test_files_on_the_way_and_fewer_rows_than_ranks(self):
        for words in ([GUN, "--gens", "300", "--space", "grid"], [GUN, "--gens", "300"], ["--soup", "0.5", "--size", "70x3", "--gens", "40"]):
            words += ["--backend", "cpu", "--stats", "a.csv", "--every", 10, "--out", "a.rle", "--out", "a.png"]
            one = self.report(*words)
            wanted = {name: (self.folder / name).read_bytes() for name in ("a.csv", "a.rle", "a.png")}
            self.same(self.report_on(5, *words), one)
            for name, content in wanted.items():
                self.assertEqual((self.folder / name).read_bytes(), content, name)

    def test_a_run_is_resumed_on_another_number_of_ranks(self):
        one = self.report(*SOUP, "--backend", "cpu")
        self.on(8, "run", *SOUP[:-1], 20, "--backend", "cpu", "--checkpoint", "a.tsr", "-q")
        # A file for each rank, and one that names them.
        self.assertEqual(len(list(self.folder.glob("a.tsr*"))), 9)
        self.on(3, "run", "--resume", "a.tsr", "--gens", 60, "--backend", "cpu", "--checkpoint", "a.tsr", "-q")
        self.assertEqual(len(list(self.folder.glob("a.tsr*"))), 9 + 4)  # the predecessor stays
        self.same(self.report("--resume", "a.tsr", "--gens", 130, "--backend", "cpu", "--checkpoint", "b.tsr"), one)
        self.assertEqual(len(list(self.folder.glob("b.tsr*"))), 1)
        self.assertEqual(json.loads(self.tessera("info", "a.tsr", "--json").stdout)["generation"], 60)
        self.tessera("convert", "a.tsr", "whole.tsr")
        self.tessera("convert", "a.tsr", "whole.rle")
        shards = sorted(self.folder.glob("a.tsr.shard-*"))
        self.assertIn("one of several files of a checkpoint", self.refused("run", "--resume", shards[-1].name, "--gens", 61))
        shards[-1].unlink()
        self.assertIn(shards[-1].name, self.refused("run", "--resume", "a.tsr", "--gens", 61))
        self.same(self.report("--resume", "whole.tsr", "--gens", 130, "--backend", "cpu"), one)

    def test_the_plane_is_saved_where_it_has_grown_to(self):
        self.on(4, "run", GUN, "--gens", 700, "--space", "grid", "--backend", "cpu", "--checkpoint", "g.tsr", "-q")
        self.same(self.report("--resume", "g.tsr", "--gens", 900, "--backend", "cpu"),
                  self.report(GUN, "--gens", 900, "--backend", "cpu"))

    def test_ranks_share_the_tiles_of_one_process(self):
        # What moves in the first two is too little to be shared.
        for words in ([GUN, "--gens", 900], [ACORN, "--gens", 5206, "--space", "tiles"], [*TILES, "--gens", 60]):
            one, three = self.report(*words, "--backend", "cpu"), self.report_on(3, *words, "--backend", "cpu")
            self.same(three, one)
            self.assertEqual([three[key] for key in ("space", "parts", "halo", "link", "ranks")], ["tiles", 3, 8, "mpi", 3])

    def test_shared_tiles_are_resumed_on_another_number_of_ranks(self):
        self.on(3, "run", *TILES, "--gens", 20, "--backend", "cpu", "--checkpoint", "a.tsr", "-q")
        self.assertEqual(len(list(self.folder.glob("a.tsr*"))), 4)
        self.same(self.report_on(2, "--resume", "a.tsr", "--gens", 60, "--space", "tiles", "--backend", "cpu", "--checkpoint", "a.tsr"),
                  self.report(*TILES, "--gens", 60, "--backend", "cpu"))
        self.same(self.report("--resume", "a.tsr", "--gens", 70, "--backend", "cpu"),
                  self.report(*TILES, "--gens", 70, "--backend", "cpu"))

    def test_a_signal_to_rank_0_ends_a_run_with_shared_tiles(self):
        process = self.start_on(3, "run", *TILES, "--gens", 10**12, "--backend", "cpu", "--checkpoint", "a.tsr", "--checkpoint-every",
                                "0.05s", "--json", telling=TELLING)
        self.wait_for(lambda: (self.folder / "a.tsr").exists(), "a checkpoint")
        os.kill(int((self.folder / "pid.0").read_text()), signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        stopped = json.loads(out)
        self.assertEqual(stopped["stopped"], "signal")
        self.same(self.report(*TILES, "--gens", stopped["generation"], "--backend", "cpu"), stopped)
        self.same(self.report("--resume", "a.tsr", "--gens", stopped["generation"] + 5, "--backend", "cpu"),
                  self.report(*TILES, "--gens", stopped["generation"] + 5, "--backend", "cpu"))

    def test_other_commands(self):
        out, _ = self.on(2, "compare", "--soup", 0.5, "--size", "200x100", "--gens", 60, "--repeat", 1, "--kernels", "default",
                         "--backends", "cpu,cpu*ranks", "--json")
        self.assertEqual(sorted((row["backend"], row["parts"]) for row in json.loads(out)["rows"]), [("cpu*2", 2), ("cpu:0", 1)])
        self.assertIn("nothing differs", self.on(2, "verify", "--backend", "cpu*ranks", "--kernel", "word", "--cases", 20)[0])

    def test_refusals_are_one_line_and_exit_code_2(self):
        run = ["run", *SOUP, "--backend", "cpu"]
        for words, parts, env in [
                (run + ["--halo", "31"], ["halo of 31 generations", "90 rows in 3 bands have 30"], {}),
                (run + ["--link", "peer"], ["link peer: cpu passes no rows to other devices"], {}),
                (["run", *SOUP, "--backend", "cpu:7"], ["rank 0", "no such device"], {}),
                (["nonsense"], ["'nonsense' is not a subcommand"], {}),
                (run, ["MPI is missing", "none.so"], {"TESSERA_MPI_MODULE": "./none.so"})]:
            with self.subTest(words=words):
                out, err = self.on(3, *words, code=2, env=env)
                self.assertEqual((out, len(err)), ("", 1), err)
                for part in parts:
                    self.assertIn(part, err[0])
        self.assertIn("needs several processes", self.refused("run", *SOUP, "--backend", "cpu*ranks"))
        _, err = self.on(3, *run, code=2, telling=["sh", "-c", 'if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ]; then export '
                                                   'TESSERA_MPI_MODULE=./none.so; fi; exec "$@"', "sh"])
        self.assertEqual(len(err), 1)
        self.assertIn("rank 1 on", err[0])
        _, err = self.on(1, *run, ":", "-n", 1, PROGRAM, *run, "--quiet", code=2)
        self.assertEqual(len(err), 1)
        self.assertIn("different arguments", err[0])

    def lose(self, victim, hosts=(), words=LONG):
        """Kills one of the ranks of a long run that has a checkpoint; returns the lines that tell of it."""
        for path in [*self.folder.glob("pid.*"), *self.folder.glob("long.tsr*")]:
            path.unlink()
        process = self.start_on(4, "run", *words, "--gens", 10**12, "--backend", "cpu", "-q",
                                "--checkpoint", "long.tsr", "--checkpoint-every", "0.05s", telling=[*hosts, *TELLING])
        self.wait_for(lambda: (self.folder / "long.tsr").exists(), "a checkpoint")
        os.kill(int((self.folder / f"pid.{victim}").read_text()), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        return [line for line in err.splitlines() if line.startswith("tessera: ")]

    def test_a_lost_rank_ends_the_run_and_leaves_a_checkpoint(self):
        self.lose_and_resume(int(os.environ.get("TESSERA_LOSSES", "10")), LONG)

    def test_a_lost_rank_ends_a_run_with_shared_tiles(self):
        self.lose_and_resume(2, TILES)

    def lose_and_resume(self, losses, words):
        for n in range(losses):
            victim = n * 7 % 4
            with self.subTest(n=n, victim=victim):
                lines = self.lose(victim, words=words)
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], rf"\Atessera: rank {victim} on \S+ was lost, and the run ends")
                at = self.resumes("long.tsr", words)
                told = re.search(r"the last checkpoint is long\.tsr at generation (\d+): --resume long\.tsr", lines[0])
                if told:
                    self.assertGreaterEqual(at, int(told[1]))

    def test_a_host_that_does_not_answer_ends_the_run(self):
        if subprocess.run(["unshare", "--uts", "true"], capture_output=True).returncode != 0:
            self.skipTest("this user may not name hosts")
        process = self.start_on(4, "run", *LONG, "--gens", 10**12, "--backend", "cpu", "-q", "--checkpoint", "c.tsr",
                                "--checkpoint-every", "0.1s", telling=[*ON_TWO_HOSTS, *TELLING])
        self.wait_for(lambda: (self.folder / "c.tsr").exists(), "a checkpoint")
        for rank in (2, 3):
            os.kill(int((self.folder / f"pid.{rank}").read_text()), signal.SIGSTOP)
        _, err = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        lines = [line for line in err.splitlines() if line.startswith("tessera: ")]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"\Atessera: host1 with ranks 2, 3 does not answer, and the run ends; the last checkpoint is c\.tsr")
        self.resumes("c.tsr", LONG)

    def test_hosts_are_told_apart_and_all_end_with_one(self):
        if subprocess.run(["unshare", "--uts", "true"], capture_output=True).returncode != 0:
            self.skipTest("this user may not name hosts")
        words = [*SOUP, "--backend", "cpu"]
        report = json.loads(self.on(4, "run", *words, "--json", telling=ON_TWO_HOSTS)[0])
        self.same(report, self.report(*words))
        self.assertEqual((report["ranks"], report["hosts"]), (4, 2))
        for victim, host in ((0, "host0"), (3, "host1")):
            lines = self.lose(victim, ON_TWO_HOSTS)
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0].startswith(f"tessera: rank {victim} on {host} was lost"), lines)


if __name__ == "__main__":
    unittest.main()
