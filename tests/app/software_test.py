"""compare, bench and tune on Vulkan in software, beside the CPU. tests/vulkan/on_device.sh chooses the device."""

import json
import unittest

from bench_test import SUITES, Bench

SOUP = ["--soup", "0.5", "--seed", 3, "--size", "100x70"]
BACKENDS = ["--backends", "vulkan:0,cpu"]


class SoftwareTest(Bench):
    def test_every_suite(self):
        out = self.bench("--suite", "all", *BACKENDS, "--max-side", 64)
        self.check(out, SUITES)
        measured = {r["suite"] for r in out["results"] if "value" in r and r["backend"] == "vulkan:0"}
        self.assertEqual(measured, {*SUITES})
        self.assertEqual([each["backend"] for each in out["crossover"]], ["vulkan:0"])
        device, = [each for each in out["devices"] if each["backend"] == "vulkan:0"]
        self.assertTrue(device["software"])
        self.assertTrue(device["properties"]["driver"])
        self.assertGreater(device["ceiling"]["gates_per_second"], 0)

    def test_compare(self):
        out = json.loads(self.tessera("compare", *SOUP, *BACKENDS, "--gens", 100, "--repeat", 1, "--json").stdout)
        self.assertEqual((out["equal"], out["verified"]["generation"]), (True, 100))
        self.assertEqual([each["name"] for each in out["left_out"]], ["vulkan:0 kernel sums", "vulkan:0 kernel table", "cpu:0 kernel sums", "cpu:0 kernel table"])
        kernels = {row["kernel"] for row in out["rows"] if row["backend"] == "vulkan:0"}
        self.assertLessEqual({"strips", "subgroup", "shared", "word"}, kernels)
        expected = self.report(*SOUP, "--gens", 100, "--backend", "cpu", "--kernel", "reference")
        self.assertEqual(out["verified"]["hash"], expected["hash"])

    def test_each_part_has_its_own_kernel_for_several_states(self):
        several = ["--rule", "345/2/4", *SOUP, "--soup-states", "all", "--gens", 50]
        parts = self.report(*several, "--backend", "vulkan:0+cpu")
        self.assertRegex(parts["kernel"], r"\Astrips\+(compiled|gates)\Z")
        self.assertEqual(parts["hash"], self.report(*several, "--backend", "cpu", "--kernel", "reference")["hash"])
        loops = ["--rule", "Langtons-Loops:T70", "--soup", 0.3, "--gens", 40]
        parts = self.report(*loops, "--backend", "vulkan:0+cpu")
        self.assertEqual((parts["kernel"], parts["hash"]), ("table", self.report(*loops, "--backend", "cpu")["hash"]))

    def test_batches(self):
        words = ["--soup", 0.4, "--seed", 5, "--gens", 77, "--batch", 9]
        for rule, kernel, packing in [("B3/S23:T64,64", "whole", "in registers"), ("B36/S125:P17,97", "sliced", "in every bit"),
                                      ("B2-a/S12:T16,16", "strips", "one after the other")]:
            here, cpu = (self.report("--rule", rule, *words, "--backend", backend) for backend in ("vulkan:0", "cpu"))
            self.assertEqual((here["kernel"], here["rows"]), (kernel, cpu["rows"]))
            self.assertIn(packing, here["packing"])
        refused = ["run", "--soup", 0.5, "--gens", 1, "--batch", 2, "--backend", "vulkan:0"]
        self.assertIn("not 17x97", self.refused(*refused, "--size", "17x97", "--kernel", "whole"))
        self.assertIn("count all eight neighbours", self.refused(*refused, "--rule", "B2-a/S12:T16,16", "--kernel", "sliced"))

    def test_tune(self):
        words = ["--backends", "vulkan:0", "--sides", 64, "--repeat", 1, "--run-time", "1ms", "--max-time", "4s"]
        result, = json.loads(self.tessera("tune", *words, "--json").stdout)["results"]
        self.assertEqual((result["backend"], result["kernel"]), ("vulkan:0", "strips"))
        self.assertEqual(result["candidates"][0]["outcome"], "timed")
        self.assertEqual([c for c in result["candidates"] if c["outcome"] == "refused"], [])
        ran = self.report("--soup", "0.5", "--size", "64x64", "--gens", 100, "--backend", "vulkan:0")
        self.assertEqual((ran["tuned_by"], ran["hash"]),
                         ("stored", self.report("--soup", "0.5", "--size", "64x64", "--gens", 100, "--backend", "cpu")["hash"]))


if __name__ == "__main__":
    unittest.main()
