// Compiles every kernel for every architecture in use, without a GPU, and checks for register
// spills.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cuda/batch_shape.h"
#include "backends/cuda/cascade_stepper.h"
#include "backends/cuda/compiler.h"
#include "backends/cuda/cuda_tiles.h"
#include "backends/cuda/file_stepper.h"
#include "backends/cuda/kernel_list.h"
#include "backends/cuda/march_stepper.h"
#include "backends/cuda/resident_stepper.h"
#include "backends/cuda/strips_shape.h"
#include "backends/cuda/strips_stepper.h"
#include "backends/cuda/sums_stepper.h"
#include "core/base/error.h"
#include "core/rules/file_rule.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_spec.h"
#include "core/rules/rule_tables.h"
#include "tests/support/usual_rule.h"

using namespace tessera;
using namespace tessera::cuda;

namespace {

constexpr int kArchitectures[][2] = {{7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}};
constexpr BackendSpec spec_of(Boundary boundary, Rule rule, std::int64_t side = 4096) {
  return {side, side, boundary, rule, 0};
}
constexpr Rule kWorst{0x14A, 0x0B5};  // a rule with a long circuit
// And with a long program.
constexpr const char* kLongProgram =
    "MAPRCCCPP3m8cJrMPkOx90B5Ih1NKIPCw0Ew27YDnHg/XewdnDrlAvVM1+XParYYZuR/8kR9XzO1Fi7vyzgN1PJvQ";
constexpr Rule kHighLife{0x48, 0x0C}, kSixGates{0x161, 0x39};  // and with longer ones

DeviceFacts some_device() {
  DeviceFacts facts;
  facts.multiprocessors = 132;
  facts.clock_khz = 1980000;
  facts.cache = 50 << 20;
  facts.shared = 227 << 10;
  return facts;
}

// Bytes of the most registers that a kernel spills.
int spilled(const std::string& log) {
  int most = 0;
  for (std::size_t at = 0; (at = log.find(" bytes spill", at)) != std::string::npos; at++) {
    const std::size_t number = log.find_last_not_of("0123456789", at - 1) + 1;
    most = std::max(most, std::stoi(log.substr(number, at - number)));
  }
  return most;
}

struct Job {
  KernelSource source;
  int major, minor;
  std::string what;  // for messages
  std::string log, error;
  std::size_t size = 0;  // of the machine code and what comes with it, bytes
  int may_spill = 0;     // bytes
};

// Compiles them all, on as many threads as there are cores; NVRTC allows that.
void compile(std::vector<Job>& jobs) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) {
      Job& job = jobs[i];
      try {
        const CompiledKernel kernel = compile_kernel(job.source, job.major, job.minor, true);
        job.log = kernel.log;
        job.size = kernel.image.size();
        if (kernel.image.empty()) job.error = "no machine code";
      } catch (const Error& error) {
        job.error = error.what();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) thread = std::jthread(work);
}

// Compiles all, and checks that no more registers are spilled than may be.
void check_without_spills(std::vector<Job>& jobs) {
  compile(jobs);
  for (const Job& job : jobs) {
    INFO(job.what, "\n", job.log);
    CHECK(job.error == "");
    REQUIRE(job.log.find("bytes spill stores") != std::string::npos);
    CHECK(spilled(job.log) <= job.may_spill);
  }
}

std::string architecture_name(int major, int minor) { return fmt::format("sm_{}{}", major, minor); }

// 77 is what ctest calls skipped; TESSERA_REQUIRE_CUDA=1 makes a failure of it.
const bool kCompilerIsHere = [] {
  if (compiler_missing().empty()) return true;
  const char* required = std::getenv("TESSERA_REQUIRE_CUDA");
  fmt::print("skipped: {}\n", compiler_missing());
  std::exit(required && std::string(required) == "1" ? 1 : 77);
}();

}  // namespace

TEST_CASE("the default kernel's tuned shapes keep their cells in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    for (const Tuning& shape : strips_shapes()) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        for (const Rule& rule : {kLife, kWorst}) {
          // On the larger side tiles are shared and the cache learns what is read for the last
          // time.
          for (const std::int64_t side : {4096, 16384}) {
            if (major != 9 && (boundary == Boundary::plane || rule != kLife)) continue;
            if (side > 4096 && shape != strips_shapes().front()) continue;
            const StripsStepper stepper(spec_of(boundary, rule, side), shape, some_device());
            REQUIRE(stepper.tuning() == shape);
            REQUIRE((side == 4096 || stepper.pass(1).shared_tiles > 0));
            jobs.push_back({stepper.source(), major, minor,
                            fmt::format("{} {} {} {} {}", architecture_name(major, minor),
                                        to_string(shape), side, to_string(rule),
                                        boundary == Boundary::torus ? "torus" : "plane"),
                            "", ""});
          }
        }
      }
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("rules that are programs keep their cells in registers") {
  REQUIRE(kCompilerIsHere);
  setenv("TESSERA_CACHE", "/proc/no-such-folder", 1);  // no program is known from an earlier run
  std::vector<Job> jobs;
  const auto add = [&](const char* text, std::int64_t side, Boundary boundary) {
    const StripsStepper stepper(spec_of(boundary, parse_rule(text), side), {}, some_device());
    jobs.push_back({stepper.source(), 9, 0,
                    fmt::format("{} {} {}", text, to_string(stepper.tuning()), side), "", ""});
  };
  for (const char* text : {"B3-k/S23", "B3/S2-i34w", kLongProgram}) {
    // By the program that is found at once, then by the one that was searched for.
    add(text, 16384, Boundary::torus);
    const NeighbourhoodTable table = neighbourhood_table(parse_rule(text));
    REQUIRE(!known_program(table));
    found_program(table);
    add(text, 1024, Boundary::torus);
    add(text, 16384, Boundary::torus);
    add(text, 4096, Boundary::plane);
  }
  for (const char* text : {"B3/S23|B2/S", "B3-k/S23|B36/S125"}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const RuleSpec rules = parse_rule_spec(text);
      BackendSpec spec = spec_of(boundary, rules.rule, 16384);
      spec.odd_rule = rules.odd_rule;
      const StripsStepper stepper(spec, {}, some_device());
      jobs.push_back({stepper.source(), 9, 0,
                      fmt::format("{} {}", text, to_string(stepper.tuning())), "", ""});
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("the kernel march keeps its rows in registers and moves none of them") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    DeviceFacts facts = some_device();
    facts.major = major;
    for (const Rule& rule : {kLife, kWorst, kHighLife, kSixGates}) {
      if (major != 9 && rule != kLife) continue;
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        for (std::int64_t side = 16384; side < 16388; side++) {
          if (side > 16384 && (rule != kLife || major != 9 || boundary == Boundary::torus))
            continue;
          const MarchStepper stepper(spec_of(boundary, rule, side), {}, facts);
          jobs.push_back({stepper.source(), major, minor,
                          fmt::format("{} {} {} {} {}", architecture_name(major, minor),
                                      to_string(stepper.tuning()), side, to_string(rule),
                                      boundary == Boundary::torus ? "torus" : "plane"),
                          "", ""});
        }
      }
    }
  }
  check_without_spills(jobs);
  // 128 stages times words are unrolled four times over, and twice more for the ends of segments.
  for (const Job& job : jobs) {
    INFO(job.what);
    CHECK(job.size < 150'000);
  }
}

TEST_CASE("the kernel cascade keeps its rows in registers") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const char* rule :
       {"/2/3", "345/2/4", "WireWorld", "23/2/8", "345/2/20", "234/34678/24", "23/3/40"}) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const CascadeStepper stepper(spec_of(boundary, parse_rule(rule), 16384), {}, some_device());
      jobs.push_back({stepper.source(), 9, 0,
                      fmt::format("{} {} {}", rule, to_string(stepper.tuning()),
                                  boundary == Boundary::torus ? "torus" : "plane"),
                      "", ""});
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("the kernel resident keeps its region in registers, and compiles everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs, others;
  const auto add = [&](int major, int minor, const Tuning& shape, Boundary boundary, Rule rule) {
    const ResidentStepper stepper(spec_of(boundary, rule, 1500), shape, some_device());
    (major == 9 ? jobs : others)
        .push_back({stepper.source(), major, minor,
                    fmt::format("{} {} {} {}", architecture_name(major, minor),
                                to_string(stepper.tuning()), to_string(rule),
                                boundary == Boundary::torus ? "torus" : "plane"),
                    "", ""});
  };
  constexpr Tuning kUsual{0, 22, 3, 8, 0};
  const std::vector<Tuning> shapes = ResidentStepper::shapes();
  for (const Tuning& shape : shapes) {
    const bool last = shape.rows == 24 && shape.words == 2;
    if (shape.rows == 3 || shape.rows == 7 || shape.rows == 12 || last)
      add(9, 0, shape, Boundary::torus, kLife);
    // The most words.
    if (shape.words == 3 && shape.rows >= 24) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        for (const Rule& rule : {kLife, kWorst}) add(9, 0, shape, boundary, rule);
      }
    }
  }
  for (const auto& [major, minor] : kArchitectures)
    add(major, minor, kUsual, Boundary::torus, kLife);
  check_without_spills(jobs);
  compile(others);
  for (const Job& job : others) {
    INFO(job.what);
    CHECK(job.error == "");
  }
}

TEST_CASE("the kernel relay keeps its rows in registers, and compiles everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs, others;
  for (const auto& [major, minor] : kArchitectures) {
    DeviceFacts facts = some_device();
    facts.major = major;
    for (const Rule& rule : {kLife, kWorst, kSixGates, parse_rule("B12467/S018")}) {
      if (major != 9 && rule != kLife) continue;
      const MarchStepper stepper(spec_of(Boundary::torus, rule, 20480), {8, 0, 0, 8, 0}, facts);
      CHECK(stepper.relay().has_value() == (major == 9));
      (major == 9 ? jobs : others)
          .push_back({stepper.relay_source(), major, minor,
                      architecture_name(major, minor) + " relay " + to_string(rule), "", ""});
      if (major != 9) continue;
      BackendSpec band = spec_of(Boundary::torus, rule, 20480);
      band.halo_rows = 2 * 256;
      band.height += band.halo_rows;
      band.peer_bands = true;
      MarchStepper of_ring(band, {8, 0, 0, 8, 0}, facts);
      of_ring.make_band({256, 256});
      REQUIRE(of_ring.enter_ring());
      // Of five gates behind the counts some words wait in memory, which takes less time than a
      // text with fewer sums would.
      jobs.push_back({of_ring.relay_source(), major, minor, "ring " + to_string(rule), "", "", 0,
                      rule == kWorst ? 80 : 0});
    }
  }
  check_without_spills(jobs);
  compile(others);
  for (const Job& job : others) {
    INFO(job.what);
    CHECK(job.error == "");
  }
}

TEST_CASE("rules of several states keep their planes in registers") {
  REQUIRE(kCompilerIsHere);
  // Seven planes of 16 words and ten of 8 leave so few registers that some bytes wait in memory
  // during a pass; smaller tiles without any are half as fast.
  constexpr int kSevenPlanes = 200, kTenPlanes = 16;
  const std::pair<const char*, int> rules[] = {{"/2/3", 0},
                                               {"345/2/4", 0},
                                               {"345/2/20", kSevenPlanes},
                                               {"23/3/40", kSevenPlanes},
                                               {"23/3/256", kTenPlanes},
                                               {"WireWorld", 0}};
  std::vector<Job> jobs;
  for (const auto& [text, may_spill] : rules) {
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const StripsStepper stepper(spec_of(boundary, parse_rule(text), 16384), {}, some_device());
      const std::string what = fmt::format("{} {}", text, to_string(stepper.tuning()));
      jobs.push_back({stepper.source(), 9, 0, what, "", "", 0, may_spill});
      if (boundary == Boundary::torus)
        jobs.push_back({stepper.services(), 9, 0, what + "'s services", "", ""});
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("the kernel sums keeps its counts in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    for (const char* text :
         {"Bosco", "R10,C2,M1,S123..212,B123..170,NM", "R5,C12,M0,S20..40,B20..30,NN",
          "R20,C2,S24-40,B24-32,N+", "R50,C2,S1000-2000,B1000-1500,NC",
          "R500,C2,S200000-400000,B100000-200000,NM"}) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        if (major != 9 && (boundary == Boundary::plane || text != std::string("Bosco"))) continue;
        const SumsStepper stepper(spec_of(boundary, parse_rule(text), 16384), {}, some_device());
        jobs.push_back({stepper.source(), major, minor,
                        fmt::format("{} {}", architecture_name(major, minor), text), "", ""});
      }
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("the kernel table keeps the words around its own in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    for (const int states : {2, 8, 256}) {
      if (major != 9 && states != 256) continue;
      const std::string text = fmt::format(
          "@TABLE\nn_states:{}\nneighborhood:Moore\nsymmetries:none\n0,1,1,1,0,0,0,0,0,1\n",
          states);
      const Rule rule = kept_file_rule(parse_rule_file(text, fmt::format("m{}.rule", states)));
      const FileStepper stepper(spec_of(minor == 0 ? Boundary::torus : Boundary::plane, rule));
      jobs.push_back({stepper.source(), major, minor,
                      fmt::format("{} {} states", architecture_name(major, minor), states), "",
                      ""});
    }
  }
  check_without_spills(jobs);
}

TEST_CASE("every kernel and its services compile for every architecture") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    for (const KernelInfo& kernel : kernel_list()) {
      const Boundary boundary = minor == 0 ? Boundary::torus : Boundary::plane;
      const auto stepper =
          make_stepper(kernel.name, spec_of(boundary, test::usual_rule(kernel)), {}, some_device());
      const std::string what = architecture_name(major, minor) + " " + kernel.name;
      jobs.push_back({stepper->source(), major, minor, what, "", ""});
      jobs.push_back({stepper->services(), major, minor, what + "'s services", "", ""});
    }
  }
  for (const KernelInfo& kernel : kernel_list()) {
    if (!kernel.near) continue;
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const auto stepper = make_stepper(kernel.name, spec_of(boundary, kWorst), {}, some_device());
      jobs.push_back(
          {stepper->source(), 9, 0, "sm_90 " + kernel.name + " with a long circuit", "", ""});
    }
  }
  compile(jobs);
  for (const Job& job : jobs) {
    INFO(job.what);
    CHECK(job.error == "");
  }
}

TEST_CASE("the kernels of tiles keep their windows in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    const auto add = [&, major = major, minor = minor](const std::string& text) {
      const RuleSpec rules = parse_rule_spec(text);
      BackendSpec spec = spec_of(Boundary::plane, rules.rule);
      spec.odd_rule = rules.odd_rule;
      jobs.push_back({tiles_source(spec), major, minor,
                      architecture_name(major, minor) + " tiles " + text, "", ""});
    };
    add("B3/S23");
    // Programs of one bit plane, and of two, three and four.
    for (const char* text : {"B3-k/S23", "/2/3", "345/2/4", "345/2/8"}) add(text);
    if (major != 9) continue;
    for (const char* text : {kLongProgram, "W30", "WireWorld", "23/3/12", "345/2/20", "12/34/40",
                             "/2/100", "345/2/256", "B3-k/S23|B2/S34H"}) {
      add(text);
    }
    add(to_string(kWorst));
  }
  check_without_spills(jobs);
}

TEST_CASE("batches keep their universes in registers everywhere") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const auto& [major, minor] : kArchitectures) {
    for (const std::int64_t side : {64, 256, 1024}) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        for (const Rule& rule : {kLife, kWorst}) {
          if (major != 9 && (boundary == Boundary::plane || rule != kLife || side == 256)) continue;
          if (major > 9 && side == 1024) continue;  // 76 bytes are spilled there
          const BatchSpec spec{(std::int64_t{1} << 28) / side / side,
                               spec_of(boundary, rule, side)};
          const auto shape = whole_shape(spec, {}, some_device());
          REQUIRE(shape);
          jobs.push_back({batch_source(*shape, spec.each),
                          major,
                          minor,
                          fmt::format("{} {}x{} {} {}", architecture_name(major, minor), side, side,
                                      to_string(shape->tuning), to_string(rule)),
                          {},
                          {}});
        }
      }
    }
    const BatchSpec any{1000, spec_of(Boundary::plane, kLife, 100)};
    jobs.push_back({batch_source(sliced_shape(any), any.each),
                    major,
                    minor,
                    architecture_name(major, minor) + " sliced",
                    {},
                    {}});
  }
  jobs.push_back({{"batch_services.cu", {}, {}}, 9, 0, "services of batches", {}, {}});
  check_without_spills(jobs);
}

TEST_CASE("batches of rules that are programs compile") {
  REQUIRE(kCompilerIsHere);
  std::vector<Job> jobs;
  for (const std::int64_t side : {16, 256, 1024}) {
    const BatchSpec spec{1000, spec_of(Boundary::torus, parse_rule(kLongProgram), side)};
    for (const BatchShape& shape : {*whole_shape(spec, {}, some_device()), sliced_shape(spec)}) {
      jobs.push_back({batch_source(shape, spec.each),
                      9,
                      0,
                      fmt::format("{} {}", shape.kernel(), side),
                      {},
                      {}});
    }
  }
  compile(jobs);
  for (const Job& job : jobs) {
    INFO(job.what, "\n", job.log);
    CHECK(job.error == "");
  }
}
