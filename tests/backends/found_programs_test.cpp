// Programs that were found are kept between runs, and whatever the cache holds, rules stay right.

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/rule_programs.h"
#include "core/rules/found_programs.h"
#include "core/rules/program_file.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"
#include "tests/support/own_cache.h"

using namespace tessera;
using tessera::test::OwnCache;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

NeighbourhoodTable table(const char* rule) { return neighbourhood_table(parse_rule(rule)); }

// Until a search on another thread has ended; the test's time limit ends what never does.
template <class Done>
void wait_until(const Done& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

TEST_CASE("a program that was stored comes back, one of another rule does not") {
  const OwnCache cache("programs");
  const NeighbourhoodTable rule = table("B3-k/S23"), other = table("B3/S2-i34q");
  CHECK(!stored_program(rule));
  const GateProgram program = first_program(rule);
  store_program(rule, program);
  CHECK(stored_program(rule) == program);
  CHECK(!stored_program(other));
  // Under the name of another rule it is not taken: it computes something else.
  const std::string text = read(cache.entry());
  fs::remove(cache.entry());
  store_program(other, first_program(other));
  write(cache.entry(), text);
  CHECK(!stored_program(other));
}

TEST_CASE("a damaged program is no program") {
  const OwnCache cache("programs");
  const NeighbourhoodTable rule = table("B3-k/S23");
  store_program(rule, first_program(rule));
  const fs::path path = cache.entry();
  const std::string whole = read(path);
  REQUIRE(stored_program(rule));
  // Without its last gate.
  for (std::size_t cut = 0; cut < whole.rfind('\n', whole.size() - 2); cut++) {
    write(path, whole.substr(0, cut));
    CAPTURE(cut);
    CHECK(!stored_program(rule));
  }
  const std::string magic = whole.substr(0, whole.find('\n') + 1);
  for (const char* body : {"", "0\n0\n", "-1", "257 1", "0\n4097\n", "0\n1\n256 0 1 2\n",
                           "0\n1\n1 0 1 9\n", "0\n1\n1 0 1 65545\n", "0\n1\n1 0 1 -2\n",
                           "1 256\n1\n1 0 1 2\n", "0\n99999999999999999999\n", "none"}) {
    write(path, magic + body);
    CAPTURE(std::string(body));
    CHECK(!stored_program(rule));
  }
  write(path, "tessera-program-0" + whole.substr(magic.size() - 1));
  CHECK(!stored_program(rule));
  // A digit may be another spelling of the same function, and nothing else.
  for (std::size_t at = magic.size(); at < whole.size(); at++) {
    if (whole[at] < '0' || whole[at] > '9') continue;
    std::string changed = whole;
    changed[at] = whole[at] == '9' ? '0' : static_cast<char>(whole[at] + 1);
    write(path, changed);
    CAPTURE(at);
    if (const auto program = stored_program(rule)) CHECK(table_of(*program) == rule);
  }
}

TEST_CASE("a search on another thread finds what one that is waited for finds, and keeps it") {
  const OwnCache cache("programs");
  const std::vector<NeighbourhoodTable> rules{table("B34t/S2-i35a7e"), table("B2-a/S12-c3y")};
  REQUIRE(!known_or_searched(rules));
  wait_until([&] { return known_or_searched(rules); });
  for (const NeighbourhoodTable& rule : rules) {
    CHECK(known_program(rule) == compile_rule(rule));
    CHECK(stored_program(rule) == known_program(rule));
  }
  CHECK(cache.entries() == 2);
}

TEST_CASE("a grid's programs become those that were found, and then stay") {
  const OwnCache cache("programs");
  BackendSpec spec;
  spec.rule = parse_rule("B3/S2-ak3-y4ci");
  const NeighbourhoodTable rule = neighbourhood_table(spec.rule);
  RulePrograms programs(spec, 32);
  const GateProgram first = programs.of(false).lives;
  CHECK(first == first_program(rule));
  CHECK(!programs.search_when_due());
  CHECK(!known_program(rule));  // nothing is searched for before that pays
  wait_until([&] {
    programs.did(32);
    return programs.search_when_due();
  });
  CHECK(programs.of(false).lives == compile_rule(rule));
  programs.did(1 << 20);
  CHECK(programs.patience() > 1 << 20);
  CHECK(!programs.search_when_due());
}
