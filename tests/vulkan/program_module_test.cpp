// Rules that are programs: the SPIR-V that is written for them, and what it steps.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/vulkan/params.h"
#include "backends/vulkan/program_module.h"
#include "backends/vulkan/shaders.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

using namespace tessera;

namespace {

// Each of these reads other parts of its rows.
constexpr const char* kRules[] = {"B3/S2-i34q", "B2/S34H", "B2/S013V", "W110", "B01c3/S24k"};

Rule random_map(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rule map{0, 0, RuleFamily::map, {}};
  for (std::uint64_t& word : map.table.words) word = random();
  return map;
}

// What spirv-val says about a module, or why it did not run; empty where it is valid.
std::string complaint(const std::vector<std::uint32_t>& words) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     fmt::format("tessera-program-{}.spv", std::random_device{}());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(4 * words.size()));
  const std::string command =
      fmt::format("{} --target-env vulkan1.2 {} 2>&1", TESSERA_SPIRV_VAL, path.string());
  std::string said;
  FILE* const out = popen(command.c_str(), "r");
  REQUIRE(out != nullptr);
  for (int c; (c = std::fgetc(out)) != EOF;) said += static_cast<char>(c);
  const int status = pclose(out);
  std::filesystem::remove(path);
  return status == 0 && said.empty() ? "" : fmt::format("status {}: {}", status, said);
}

// Every function of three signals, and every row of cells.
GateProgram every_gate() {
  GateProgram program{{0x96, 0xE8}, {}};
  for (int table = 0; table < 256; table++) {
    const int signals = program.first_gate() + table;
    program.gates.push_back(
        {static_cast<std::uint8_t>(table),
         {static_cast<std::uint16_t>(table % 15), static_cast<std::uint16_t>((table * 7 + 1) % 15),
          static_cast<std::uint16_t>(signals - 1)}});
  }
  return program;
}

}  // namespace

TEST_CASE("the SPIR-V of every program is valid") {
  const auto shader = vulkan::spirv("program");
  for (const char* empty : {"program", "tile_program"}) {
    CHECK(complaint(vulkan::program_module(vulkan::spirv(empty), {every_gate()})) == "");
    for (const char* rule : kRules) {
      INFO(std::string(rule));
      const NeighbourhoodTable table = neighbourhood_table(parse_rule(rule));
      CHECK(complaint(vulkan::program_module(vulkan::spirv(empty), {first_program(table)})) == "");
    }
  }
  // More functions of a row than are computed once per row.
  const StateProgram map{first_program(random_map(1).table)};
  REQUIRE(map.lives.rows.size() > TESSERA_ROW_FUNCTIONS);
  CHECK(complaint(vulkan::program_module(shader, map)) == "");
  CHECK_THROWS_AS(vulkan::program_module(vulkan::spirv("word"), map), std::logic_error);
  // Several states: planes that move, that are fed back, that are counted, and of wires.
  for (const char* text : {"/2/3", "345/2/4", "23/3/40", "345/2/256", "WireWorld"}) {
    INFO(std::string(text));
    const Rule rule = parse_rule(text);
    const StateProgram states = state_program(rule, first_program(neighbourhood_table(rule)));
    for (const char* empty : {"states", "tile_states"})
      CHECK(complaint(vulkan::program_module(vulkan::spirv(empty), states)) == "");
    CHECK_THROWS_AS(vulkan::program_module(shader, states), std::logic_error);
  }
}

TEST_CASE("the SPIR-V of rules of longer range is valid") {
  std::string odd;
  for (int count = 1; count < 80; count += 2) odd += fmt::format(",{}", count);
  const std::string looked_up = fmt::format("R5,C2,M0,S{},B20-30,NC", odd.substr(1));
  for (const std::string& text : {std::string("Bosco"), std::string("R500,C0,M1,S9..99,B1..7,NM"),
                                  std::string("R2,C9,S4-6,B5-6,N#"), looked_up}) {
    INFO(text);
    const Rule rule = parse_rule(text);
    const auto shader = vulkan::spirv(rule.states() > 2 ? "sum_states" : "sums");
    CHECK(complaint(vulkan::range_module(shader, rule)) == "");
  }
  CHECK_THROWS_AS(vulkan::range_module(vulkan::spirv("program"), parse_rule("Bosco")),
                  std::logic_error);
}

TEST_CASE("the SPIR-V of two programs in turns is valid") {
  const auto shader = vulkan::spirv("program");
  const auto first = [](const Rule& rule) { return first_program(neighbourhood_table(rule)); };
  const GateProgram life = first(parse_rule("B3/S23"));
  for (const char* rule : kRules) {
    INFO(std::string(rule));
    CHECK(complaint(vulkan::turns_module(shader, life, first(parse_rule(rule)))) == "");
  }
  const GateProgram maps[] = {first(random_map(1)), first(random_map(2))};
  for (const char* empty : {"program", "tile_program"})
    CHECK(complaint(vulkan::turns_module(vulkan::spirv(empty), maps[0], maps[1])) == "");
  const vulkan::RowReads both =
      vulkan::turns_reads({{0x96}, {{0x80, {0, 9, 4}}}}, {{0xE8, 0x96}, {{0x80, {8, 11, 12}}}});
  // Rows have the functions 0x96 and 0xE8 in this order: the second rule's signal 11 is the latter,
  // and 12 what the first rule reads, too.
  CHECK(both.above == 0b01001);
  CHECK(both.below == 0b10100);
}

TEST_CASE("two rules in turns step as the CPU says, whichever of their programs are known") {
  BackendSpec spec{200, 90, Boundary::torus, random_map(5), 0};
  spec.odd_rule = random_map(6);
  const auto check = [&] {
    const auto gpu = vulkan_driver().create(0, spec, "strips", {});
    const auto cpu = cpu_driver().create(0, spec, "reference", {});
    for (const auto& backend : {gpu.get(), cpu.get()}) {
      backend->fill({7, 32768});
      backend->step(9, true);
    }
    CHECK(gpu->download() == cpu->download());
  };
  REQUIRE(!known_program(neighbourhood_table(spec.rule)));
  check();
  found_program(neighbourhood_table(spec.rule));
  check();
  found_program(neighbourhood_table(*spec.odd_rule));
  check();
}

TEST_CASE("a program reads what its gates name of the rows above and below") {
  // Signals of function 0 are 9, 10 and 11, those of function 1 12 to 14, the first gate is 15.
  const GateProgram program{{0x96, 0xE8}, {{0x80, {0, 12, 4}}, {0x80, {8, 11, 15}}}};
  CHECK(vulkan::reads_of(program).above == 0b10001);
  CHECK(vulkan::reads_of(program).below == 0b01100);
}

TEST_CASE("rules that are programs step as the CPU says, in every shape") {
  std::uint64_t seed = 1;
  std::vector<Rule> rules = {random_map(1)};
  for (const char* rule : kRules) rules.push_back(parse_rule(rule));
  for (const Rule& rule : rules) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      // Generations, rows, words, subgroups.
      const Tuning shapes[] = {{}, {2, 2, 4, 1, 0}, {4, 3, 2, 2, 0}, {8, 4, 5, 4, 0}};
      const Tuning& shape = shapes[seed % 4];
      const BackendSpec spec{300 + static_cast<std::int64_t>(seed * 37 % 101),
                             90 + static_cast<std::int64_t>(seed * 53 % 67), boundary, rule, 0};
      INFO(to_string(rule), " ", spec.width, "x", spec.height, " ", to_string(shape));
      const auto gpu = vulkan_driver().create(0, spec, "strips", shape);
      const auto cpu = cpu_driver().create(0, spec, "reference", {});
      gpu->fill({seed, 32768});
      cpu->fill({seed++, 32768});
      for (const std::int64_t generations : {1, 9, 6}) {
        gpu->step(generations);
        cpu->step(generations);
        REQUIRE(gpu->download() == cpu->download());
      }
    }
  }
}
