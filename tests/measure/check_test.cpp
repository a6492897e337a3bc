#include "apps/measure/check.h"

#include <doctest/doctest.h>

#include "backends/drivers.h"

using namespace tessera;

TEST_CASE("a kernel is judged by the fastest other one that steps the rule") {
  const auto judge = [](const std::string& kernel, const std::string& rule) {
    const Kernel candidate = find_kernels({"cpu"}, {kernel}).at(0);
    const Check check = check_candidate(candidate, {}, parse_rule_spec(rule), {1, 32768});
    CHECK(check.difference == "");
    CHECK(check.generations > 1);
    return check.judge;
  };
  CHECK(judge("word", "B36/S23:T64,64") == "cpu:0 kernel simd");
  CHECK(judge("simd", "B36/S23:T64,64") == "cpu:0 kernel word");
  CHECK(judge("reference", "WireWorld:T64,64") == "cpu:0 kernel gates");
  CHECK(judge("gates", "WireWorld:T64,64") == "cpu:0 kernel reference");
  CHECK(judge("reference", "R2,C0,M1,S5..9,B6..8,NM:T64,64") == "cpu:0 kernel sums");
  CHECK(judge("reference", "JvN29:T40,40") == "cpu:0 kernel table");
}

TEST_CASE("where nothing but the slow judge is left, a smaller grid is compared") {
  const Kernel sums = find_kernels({"cpu"}, {"sums"}).at(0);
  const RuleSpec rule = parse_rule_spec("R2,C0,M1,S5..9,B6..8,NM:T200000,64");
  const Check check = check_candidate(sums, {}, rule, {1, 32768});
  CHECK(check.judge == "cpu:0 kernel reference");
  CHECK(check.difference == "");
}
