// The table of drivers: names, choices, refusals and their messages.

#include "backends/drivers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/rules/file_rule.h"
#include "core/stepping/backend_spec.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/support/usual_rule.h"

using namespace tessera;
using namespace tessera::test;

namespace {

BackendSpec spec_of(std::int64_t width, std::int64_t height) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  return spec;
}

// The same under a rule that the kernel steps.
BackendSpec spec_of(const KernelInfo& kernel, std::int64_t width, std::int64_t height) {
  BackendSpec spec = spec_of(width, height);
  spec.rule = usual_rule(kernel);
  return spec;
}

// Why a kernel does not step a rule of nine cells: `reason`, unless none of these are for it.
const char* reason_of(const KernelInfo& kernel, const char* reason) {
  if (kernel.near) return reason;
  return kernel.files ? "only rules of rule files" : "only rules of longer range";
}

const Driver& cpu() { return *reference().driver; }

Kernel choose(const std::string& backend, const BackendSpec& spec,
              const std::string& kernel = "auto") {
  return KernelChooser(backend, kernel).choose(spec);
}

}  // namespace

TEST_CASE("required backends are present") {
  // kernels_here() itself throws when TESSERA_REQUIRE names one that is not.
  CHECK_FALSE(kernels_here().empty());
}

TEST_CASE("every driver lists devices or says why there is none") {
  std::set<std::string> names;
  for (const Driver* driver : drivers()) {
    INFO(std::string(driver->name()));
    CHECK(names.insert(driver->name()).second);
    const DeviceList list = driver->devices();
    CHECK(list.devices.empty() == !list.missing.empty());
    CHECK(list.missing.find('\n') == std::string::npos);
    std::set<std::string> kernels;
    for (const KernelInfo& kernel : driver->kernels()) {
      CHECK(kernels.insert(kernel.name).second);
      CHECK(kernel.name != "auto");
      CHECK_FALSE(kernel.summary.empty());
    }
    CHECK_FALSE(kernels.empty());
    int index = 0;
    for (const DeviceInfo& device : list.devices) {
      CHECK(device.index == index++);
      CHECK_FALSE(device.name.empty());
      CHECK(device.memory > 0);
    }
    if (list.devices.empty()) MESSAGE(std::string(driver->name()) << ": " << list.missing);
  }
  CHECK(std::string(drivers().back()->name()) == "cpu");
  for (const MissingDriver& missing : missing_drivers()) {
    CHECK_FALSE(names.count(missing.name));
    MESSAGE(std::string(missing.name) << ": " << std::string(missing.reason));
  }
}

TEST_CASE("a backend is chosen by name, and never replaced by another") {
  const BackendSpec spec = spec_of(64, 64);
  CHECK(choose("cpu", spec).name() == "cpu:0 kernel simd");
  CHECK(choose("cpu:0", spec, "word").name() == "cpu:0 kernel word");
  CHECK(choose("auto", spec, "reference").name() == "cpu:0 kernel reference");
  CHECK(choose("cpu", spec).preferred);
  CHECK_FALSE(choose("cpu", spec, "word").preferred);
  CHECK_FALSE(choose("auto", spec).device.software);

  const auto refusal = [&](const std::string& name) {
    return message_of<InputError>([&] { choose(name, spec); });
  };
  CHECK(has(refusal("gpu"), {"backend 'gpu' is not known", "auto", "cpu", "cpu:0"}));
  CHECK(has(refusal(""), {"backend '' is not known"}));
  CHECK(has(refusal("CPU"), {"backend 'CPU' is not known"}));
  CHECK(has(refusal("cpu:1"), {"backend 'cpu:1'", "no such device"}));
  CHECK(has(refusal("cpu:"), {"backend 'cpu:'", "a device number is expected"}));
  CHECK(has(refusal("cpu:x"), {"a device number is expected"}));
  CHECK(has(refusal("cpu:-1"), {"a device number is expected"}));
  CHECK(has(refusal("cpu:0 "), {"a device number is expected"}));
  CHECK(has(refusal("cpu:99999999999999"), {"a device number is expected"}));
  for (const MissingDriver& missing : missing_drivers()) {
    CHECK(has(message_of<UnsupportedError>([&] { choose(missing.name, spec); }),
              {missing.name, missing.reason}));
  }
  for (const Driver* driver : drivers()) {
    const DeviceList list = driver->devices();
    if (!list.devices.empty()) continue;
    CHECK(has(message_of<UnsupportedError>([&] { choose(driver->name(), spec); }),
              {driver->name(), list.missing.c_str()}));
  }
}

TEST_CASE("no backend is chosen for what none can do, and all say why") {
  const std::string what =
      message_of<UnsupportedError>([] { choose("auto", spec_of(std::int64_t{1} << 41, 1)); });
  CHECK(has(what, {"no backend can run this", "cpu: "}));
  CHECK(has(message_of<UnsupportedError>([] { choose("auto", spec_of(8, 8), "no-such"); }),
            {"no backend can run this", "cpu: the cpu backend has no kernel 'no-such'"}));
}

TEST_CASE("unknown kernels and devices are refused by every driver") {
  const BackendSpec spec = spec_of(64, 64);
  for (const Driver* driver : drivers()) {
    INFO(std::string(driver->name()));
    for (const DeviceInfo& device : driver->devices().devices) {
      const auto why = driver->unsupported(device.index, spec, "no-such");
      REQUIRE(why);
      CHECK(has(*why, {"'no-such'"}));
      for (const KernelInfo& kernel : driver->kernels()) CHECK(has(*why, {kernel.name.c_str()}));
      CHECK_THROWS_AS(driver->create(device.index, spec, "no-such", {}), InputError);
    }
    const auto why = driver->unsupported(1000, spec, "auto");
    REQUIRE(why);
    CHECK_THROWS_AS(driver->create(1000, spec, "auto", {}), InputError);
  }
  CHECK(has(*cpu().unsupported(1000, spec, "auto"), {"cpu:1000", "cpu:0"}));
}

TEST_CASE("sizes and memory limits are checked before anything is allocated") {
  for (const Kernel& kernel : kernels_here()) {
    INFO(kernel.name());
    const auto why = [&](std::int64_t width, std::int64_t height, std::int64_t memory) {
      BackendSpec spec = spec_of(kernel.info, width, height);
      spec.max_memory = memory;
      return kernel.unsupported(spec);
    };
    for (const auto& size : {std::pair<std::int64_t, std::int64_t>{0, 1},
                             {1, 0},
                             {-5, 5},
                             {INT64_MAX, 1},
                             {1, INT64_MAX},
                             {INT64_MAX, INT64_MAX},
                             {std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
      const auto width = size.first;
      const auto height = size.second;
      CAPTURE(width);
      CAPTURE(height);
      REQUIRE(why(width, height, 0));
      CHECK(why(width, height, 0)->find('\n') == std::string::npos);
      const BackendSpec spec = spec_of(kernel.info, width, height);
      CHECK_THROWS_AS(kernel.create(spec), UnsupportedError);
    }
    CHECK_FALSE(why(1000, 1000, 0));
    REQUIRE(why(100000, 100000, 1 << 20));
    CHECK(has(*why(100000, 100000, 1 << 20), {"100000x100000", "needs", "limit"}));
    // The limit is a threshold: what fits under some limit fits under every larger one.
    std::int64_t low = 1, high = std::int64_t{1} << 32;
    REQUIRE_FALSE(why(5000, 3000, high));
    REQUIRE(why(5000, 3000, low));
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (why(5000, 3000, middle) ? low : high) = middle;
    }
    // At least two bits per cell.
    CHECK(high >= 2 * 5000 * 3000 / 8);
  }
}

TEST_CASE("threads outside their bounds are refused") {
  for (const KernelInfo& kernel : cpu().kernels()) {
    INFO(kernel.name);
    for (const int threads : {-1, 4097, INT32_MIN, INT32_MAX}) {
      Tuning tuning;
      tuning.threads = threads;
      CHECK(has(
          message_of<InputError>(
              [&] { cpu().create(0, spec_of(kernel, 64, 64), kernel.name, tuning); }),
          {"kernel", kernel.name.c_str(), "of the cpu backend",
           ("threads=" + std::to_string(threads)).c_str(),
           kernel.parameter(&Tuning::threads) ? "accepted are 1 to 4096" : "accepted are none"}));
    }
  }
}

TEST_CASE("how many threads a person allows is told to kernels that have threads") {
  Tuning allowed;
  allowed.threads = 3;
  const BackendSpec spec = spec_of(64, 64);
  for (const char* kernel : {"simd", "gates"})
    CHECK(make_factory("cpu", kernel, allowed)(spec)->info().tuning.threads == 3);
  for (const char* kernel : {"double-word", "word", "reference"})
    CHECK(make_factory("cpu", kernel, allowed)(spec)->info().tuning == Tuning{});
  // Nothing else is dropped.
  Tuning rows;
  rows.rows = 8;
  CHECK(has(message_of<InputError>([&] { make_factory("cpu", "word", rows)(spec); }),
            {"kernel word of the cpu backend", "rows=8"}));
}

TEST_CASE("auto is decided anew for every grid, a name once") {
  KernelChooser any("auto", "auto");
  const std::string first = any.choose(spec_of(64, 64)).name();
  CHECK_THROWS_AS(any.choose(spec_of(std::int64_t{1} << 41, 1)), UnsupportedError);
  CHECK(any.choose(spec_of(64, 64)).name() == first);
  // Whether a named one supports the grid is told when it is made.
  KernelChooser named("cpu", "word");
  CHECK(named.choose(spec_of(std::int64_t{1} << 41, 1)).info.name == "word");
  CHECK_THROWS_AS(named.choose(spec_of(0, 1)).create(spec_of(0, 1)), UnsupportedError);
}

// The kernel of any rule: machine code, where it can be made.
static std::string any_rule_kernel() {
  const std::vector<KernelInfo> all = cpu().kernels();
  const bool compiled = std::any_of(
      all.begin(), all.end(), [](const KernelInfo& kernel) { return kernel.name == "compiled"; });
  return compiled ? "compiled" : "gates";
}

TEST_CASE("a rule that does not count takes the kernel that steps it, and no other by name") {
  BackendSpec spec = spec_of(64, 64);
  spec.rule = parse_rule("B2-a/S12");
  CHECK(choose("auto", spec).info.any_rule);
  CHECK(choose("cpu", spec).name() == "cpu:0 kernel " + any_rule_kernel());
  CHECK(choose("cpu*2", spec).info.name == any_rule_kernel());
  CHECK(choose("cpu*2", spec).unsupported(spec) == std::nullopt);
  for (const Driver* driver : drivers()) {
    for (const DeviceInfo& device : driver->devices().devices) {
      for (const KernelInfo& kernel : driver->kernels()) {
        INFO(kernel.name);
        const auto why = driver->unsupported(device.index, spec, kernel.name);
        if (kernel.any_rule) {
          CHECK_FALSE(why);
          spec.tiles = true;
          CHECK(driver->unsupported(device.index, spec, kernel.name).has_value() != kernel.tiles);
          spec.tiles = false;
        } else {
          REQUIRE(why);
          CHECK(has(*why, {kernel.name.c_str()}));
          CHECK(has(*why, {reason_of(kernel, "count all eight neighbours, as B3/S23")}));
        }
      }
    }
  }
  KernelChooser same("cpu", "auto");
  CHECK(same.choose(spec).info.name == any_rule_kernel());
  CHECK(same.choose(spec_of(64, 64)).info.name == "simd");
  // A map that counts is what it counts.
  const Rule life = parse_rule(
      "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6"
      "ICAAIAAaIDogIAAgACAAIAAAAAAAA");
  CHECK(backend_spec({life, Topology::torus, 64, 64}).rule == kLife);
  spec.tiles = true;
  CHECK_FALSE(cpu().unsupported(0, spec, "gates"));
  CHECK(cpu().unsupported(0, spec, "simd"));
}

TEST_CASE("what few kernels step, the others refuse with the reason") {
  const BackendSpec twisted = backend_spec(parse_rule_spec("B3/S23:K64*,64"));
  BackendSpec turns = spec_of(64, 64);
  turns.odd_rule = parse_rule("B2/S");
  for (const BackendSpec& spec : {twisted, turns}) {
    const char* reason = spec.odd_rule ? "not under two in turns" : "neither shifted nor twisted";
    INFO(reason);
    CHECK(choose("cpu", spec).name() ==
          "cpu:0 kernel " + (spec.odd_rule ? any_rule_kernel() : "gates"));
    CHECK_FALSE(choose("auto", spec).unsupported(spec));  // a GPU's where there is one
    CHECK_FALSE(choose("cpu*2", spec).unsupported(spec));
    for (const Driver* driver : drivers()) {
      for (const DeviceInfo& device : driver->devices().devices) {
        for (const KernelInfo& kernel : driver->kernels()) {
          INFO(kernel.name);
          const auto why = driver->unsupported(device.index, spec, kernel.name);
          const bool steps = kernel.near && (spec.odd_rule ? kernel.two_rules : kernel.any_edges);
          CHECK(why.has_value() == !steps);
          if (why) CHECK(has(*why, {kernel.name.c_str(), reason_of(kernel, reason)}));
        }
      }
    }
  }
}

TEST_CASE("small grids under rules of files are left to the CPU unless a device is named") {
  BackendSpec spec = spec_of(64, 64);
  spec.rule = parse_rule("JvN29");
  CHECK(choose("auto", spec).name() == "cpu:0 kernel table");
  CHECK(choose("auto", spec, "table").name() == "cpu:0 kernel table");
  for (const Driver* driver : drivers()) {
    for (const DeviceInfo& device : driver->devices().devices) {
      const std::string name = driver->device_name(device.index);
      CHECK(choose(name, spec).name() == name + " kernel table");
      for (const KernelInfo& kernel : driver->kernels())
        CHECK(driver->unsupported(device.index, spec, kernel.name).has_value() == !kernel.files);
    }
  }
}

TEST_CASE("kernels are found by lists of names") {
  using Names = std::vector<std::string>;
  const auto names = [](const Names& backends, const Names& kernels) {
    std::string out;
    for (const Kernel& kernel : find_kernels(backends, kernels)) out += kernel.name() + ";";
    return out;
  };
  CHECK(names({"cpu"}, {"default"}) == "cpu:0 kernel simd;");
  BackendSpec of_file = spec_of(64, 64);
  of_file.rule = parse_rule("JvN29");
  CHECK(find_kernels({"cpu"}, {"default"}, {}, of_file).at(0).name() == "cpu:0 kernel table");
  CHECK(names({"cpu:0"}, {"reference", "word"}) == "cpu:0 kernel word;cpu:0 kernel reference;");
  CHECK(find_kernels({"cpu"}, {"all"}).size() == cpu().kernels().size());
  CHECK(find_kernels({"all"}, {"all"}).size() >= find_kernels({"cpu"}, {"all"}).size());
  CHECK(has(message_of<InputError>([&] { names({"cpu"}, {"no-such"}); }),
            {"no kernel 'no-such'", "all, default", "simd"}));
  CHECK(has(message_of<InputError>([&] { names({"auto"}, {"all"}); }),
            {"'auto' is not accepted here"}));
  CHECK(has(message_of<InputError>([&] { names({"cpu:1"}, {"all"}); }), {"no such device"}));
  CHECK(find_kernels({"cpu"}, {"reference"}).front().trust() >
        find_kernels({"cpu"}, {"simd"}).front().trust());
}

TEST_CASE("a factory chooses again for every grid") {
  const BackendFactory factory = make_factory("cpu", "word", {});
  CHECK(factory(spec_of(5, 5))->info().kernel == "word");
  CHECK(factory(spec_of(5000, 5))->spec().width == 5000);
  CHECK_THROWS_AS(factory(spec_of(0, 5)), UnsupportedError);
  CHECK_THROWS_AS(make_factory("gpu", "auto", {})(spec_of(5, 5)), InputError);
  CHECK_THROWS_AS(make_factory("cpu", "no-such", {})(spec_of(5, 5)), InputError);
  CHECK_THROWS_AS(Universe(parse_rule_spec("B3/S23:T5"), make_factory("cpu", "no-such", {})),
                  InputError);
}
