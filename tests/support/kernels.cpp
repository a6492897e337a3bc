#include "tests/support/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "apps/measure/run_case.h"
#include "core/stepping/backend_spec.h"

namespace tessera::test {

namespace {

struct Tally {
  std::int64_t ran = 0;
  struct Skips {
    std::string first;  // reason of the first one
    std::int64_t count = 0;
  };
  std::map<std::string, Skips> skipped;  // by kind of reason
};

// What ran and what did not, by kernel.
std::map<std::string, Tally>& tallies() {
  static std::map<std::string, Tally> all;
  return all;
}

std::set<std::string>& remarks() {
  static std::set<std::string> all;
  return all;
}

// The comma-separated words of an environment variable.
std::vector<std::string> words_of(const char* variable) {
  std::vector<std::string> words;
  const char* value = std::getenv(variable);
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (comma != 0) words.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return words;
}

std::string kind_of(const std::string& word) { return word.substr(0, word.find(':')); }

// The number from 1 that an environment variable holds.
std::optional<std::int64_t> number_from(const char* variable) {
  const char* value = std::getenv(variable);
  if (!value) return std::nullopt;
  const std::string_view text = value;
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size() || number < 1) {
    throw std::runtime_error(
        fmt::format("{}: a number from 1 is expected, not '{}'", variable, text));
  }
  return number;
}

bool is_known(const std::string& kind) {
  for (const Driver* driver : drivers()) {
    if (kind == driver->name()) return true;
  }
  for (const MissingDriver& missing : missing_drivers()) {
    if (kind == missing.name) return true;
  }
  return false;
}

// True when `wanted` is empty or names the device's backend, or the very device.
bool wants(const std::vector<std::string>& wanted, const Kernel& kernel) {
  for (const std::string& word : wanted) {
    if (word == kernel.driver->name() || word == kernel.backend()) return true;
  }
  return wanted.empty();
}

void check_required(const std::vector<Kernel>& all) {
  for (const std::string& word : words_of("TESSERA_REQUIRE")) {
    std::string reason = "it is not known";
    for (const Driver* driver : drivers()) {
      if (kind_of(word) != driver->name()) continue;
      reason = driver->devices().missing;
      if (reason.empty()) reason = "there is no such device";
    }
    for (const MissingDriver& missing : missing_drivers()) {
      if (kind_of(word) == missing.name) reason = missing.reason;
    }
    const auto is_it = [&](const Kernel& kernel) { return wants({word}, kernel); };
    if (std::ranges::none_of(all, is_it))
      throw std::runtime_error("TESSERA_REQUIRE names " + word + ": " + reason);
  }
}

// How several parts are joined.
BandOptions bands_here() {
  BandOptions bands;
  if (const char* link = std::getenv("TESSERA_LINK")) bands.link = parse_link("TESSERA_LINK", link);
  bands.share_tiles = 0;  // however few they are: this is no matter of speed here
  return bands;
}

std::vector<Kernel> find_kernels_here() {
  std::vector<Kernel> found = find_kernels({"all"}, {"all"});
  check_required(found);
  const std::vector<std::string> wanted = words_of("TESSERA_BACKENDS");
  std::vector<Kernel> several;
  for (const std::string& word : wanted) {
    if (names_several(word)) {
      for (Kernel& kernel : find_kernels({word}, {"all"}, bands_here()))
        several.push_back(std::move(kernel));
    } else if (!is_known(kind_of(word))) {
      throw std::runtime_error("TESSERA_BACKENDS names an unknown backend: " + word);
    }
  }
  std::erase_if(found, [&](const Kernel& kernel) { return !wants(wanted, kernel); });
  found.insert(found.end(), several.begin(), several.end());
  const std::vector<std::string> names = words_of("TESSERA_KERNELS");
  std::erase_if(found, [&](const Kernel& kernel) {
    if (names.empty()) return false;
    const auto named = [&](const std::string& name) {
      return name == kernel.info.name || (name == "default" && kernel.preferred);
    };
    return std::ranges::none_of(names, named);
  });
  if (found.empty()) throw std::runtime_error("no device is left to test");
  return found;
}

// Prints the tallies behind doctest's own summary.
class Report final : public doctest::IReporter {
 public:
  explicit Report(const doctest::ContextOptions&) {}

  void test_run_end(const doctest::TestRunStats&) override {
    for (const auto& [name, tally] : tallies()) {
      fmt::print("[tessera] {}: {} cases ran\n", name, tally.ran);
      for (const auto& [kind, skips] : tally.skipped) {
        fmt::print("[tessera] {}: {} cases skipped, the first because: {}\n", name, skips.count,
                   skips.first);
      }
    }
    for (const std::string& remark : remarks()) fmt::print("[tessera] {}\n", remark);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("tessera", 1, Report);

}  // namespace

Speed speed_of(const Kernel& kernel) {
  if (kernel.info.name == "reference") return Speed::slowest;
  return kernel.preferred && !kernel.device.software ? Speed::fast : Speed::slow;
}

const std::vector<Kernel>& kernels_here() {
  static const std::vector<Kernel> all = find_kernels_here();
  return all;
}

const Kernel& reference() {
  static const Kernel judge = find_kernels({"cpu"}, {"reference"}).at(0);
  return judge;
}

void ran(const Kernel& kernel) { tallies()[kernel.name()].ran++; }

void skipped(const Kernel& kernel, const std::string& reason) {
  Tally::Skips& skips = tallies()[kernel.name()].skipped[without_numbers(reason)];
  if (skips.count++ == 0) {
    skips.first = reason;
    MESSAGE(kernel.name() << " skipped: " << reason);
  }
}

bool supports(const Kernel& kernel, const BackendSpec& spec) {
  const auto why = kernel.unsupported(spec);
  if (why) skipped(kernel, *why);
  return !why;
}

BackendSpec grid_spec(const RuleSpec& spec) {
  return spec.bounded() ? backend_spec(spec) : backend_spec(spec, 256, 256);
}

bool is_single(const Kernel& kernel) { return !names_several(kernel.backend()); }

bool has_tiles(const Kernel& kernel) { return kernel.info.tiles && kernel.info.near; }

bool has_looks(const Kernel& kernel) { return is_single(kernel) && kernel.backend() != "cpu:0"; }

std::int64_t case_count(std::int64_t usual) {
  if (const std::optional<std::int64_t> count = number_from("TESSERA_CASES")) {
    remarks().insert(fmt::format("TESSERA_CASES={} replaces the usual {} cases", *count, usual));
    return *count;
  }
  const std::optional<std::int64_t> most = number_from("TESSERA_MOST_CASES");
  if (!most || *most >= usual) return usual;
  remarks().insert(fmt::format("TESSERA_MOST_CASES={} bounds the usual {} cases", *most, usual));
  return *most;
}

std::int64_t cell_budget(const Kernel& kernel) {
  std::int64_t budget = 2'000'000'000'000;
  if (speed_of(kernel) == Speed::slow) budget = kernel.device.software ? 20'000'000 : 1'000'000'000;
  if (speed_of(kernel) == Speed::slowest) budget = 20'000'000;
  const std::optional<std::int64_t> most = number_from("TESSERA_CELLS");
  if (!most || *most >= budget) return budget;
  remarks().insert(fmt::format("TESSERA_CELLS={} bounds the cell updates of a case", *most));
  return *most;
}

}  // namespace tessera::test
