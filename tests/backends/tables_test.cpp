// Rules of rule files: the kernel `table` against the reference, which compares line after line.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "apps/measure/draw_table.h"
#include "backends/batches.h"
#include "backends/cpu/plain_table.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/rules/file_rule.h"
#include "core/rules/file_transitions.h"
#include "core/rules/rule_spec.h"
#include "core/rules/transition_graph.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/batch.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

Rule rule_of(const std::string& text) { return kept_file_rule(parse_rule_file(text, "t.rule")); }

// Steps a soup of a few cells by every kernel; `spec` is a bounded universe.
void check_spec(const RuleSpec& spec, std::uint64_t seed, std::int64_t generations) {
  INFO(to_string(spec));
  const BackendSpec grid = backend_spec(spec);
  const Soup soup{seed, 40000, static_cast<std::uint16_t>(spec.rule.states())};
  const CellGrid start = make_soup_cells(soup, spec.width, spec.height, spec.rule.planes());
  const auto judge = reference().create(grid);
  judge->upload(start);
  judge->step(generations);
  const CellGrid wanted = judge->download();
  for_each_kernel(grid, [&](const Kernel& kernel) {
    Tuning tuning;
    if (kernel.info.parameter(&Tuning::threads)) tuning.threads = static_cast<int>(1 + seed % 3);
    const auto backend = kernel.create(grid, tuning);
    backend->upload(start);
    backend->step(generations);
    CHECK(backend->download() == wanted);
    CHECK(backend->survey({true, true, true}).hash == judge->survey({true, true, true}).hash);
  });
}

}  // namespace

TEST_CASE("random rule files step as the reference steps them, whatever the edges") {
  const char* universes[] = {":T23,9", ":P17,12", ":K14*,9", ":C11,10",
                             ":S13",   ":T1,3",   ":T19+4,8"};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(case_count(140)); seed++) {
    Draw draw(seed);
    RuleSpec spec = parse_rule_spec("B3/S23" + std::string(universes[seed % 7]));
    spec.rule = draw_file_rule(draw, draw.chance(50));
    const bool permuted = spec.rule.file->table && spec.rule.file->table->symmetry.permuted;
    check_spec(spec, seed, permuted ? 2 : 5);
  }
}

TEST_CASE("rows that threads share are stepped as one thread steps them") {
  const Rule rule = rule_of(
      "@TABLE\nn_states:4\nneighborhood:Moore\nsymmetries:rotate4\nvar a={0,1,2,3}\n"
      "0,1,a,1,a,a,a,a,a,2\n0,a,2,a,a,2,a,a,a,1\n1,a,a,0,a,a,a,a,a,3\n3,a,a,a,a,a,a,a,a,a\n");
  for (const char* universe : {":T300,170", ":P257,190"}) {
    RuleSpec spec = parse_rule_spec(std::string("B3/S23") + universe);
    spec.rule = rule;
    check_spec(spec, 5, 4);
  }
}

TEST_CASE("two rule files take turns") {
  RuleSpec spec = parse_rule_spec("B3/S23:T31,20");
  spec.rule = rule_of("@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:permute\n100002\n");
  spec.odd_rule =
      rule_of("@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:none\n2001\n0121\n");
  check_spec(spec, 3, 7);
  // One that leaves everything as it is.
  spec.rule = rule_of(
      "@TABLE\nn_states:3\nneighborhood:oneDimensional\nsymmetries:none\nvar a={1,2}\n"
      "0,0,a,0\n");
  check_spec(spec, 4, 6);
}

TEST_CASE("what is at rest wakes when something comes near, across all edges") {
  // Life, as a table.
  const Rule life = rule_of(
      "@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\nvar a={0,1}\nvar b=a\nvar c=a\n"
      "var d=a\nvar e=a\nvar f=a\nvar g=a\nvar h=a\n0,1,1,1,0,0,0,0,0,1\n1,1,1,0,0,0,0,0,0,1\n"
      "1,1,1,1,0,0,0,0,0,1\n1,a,b,c,d,e,f,g,h,0\n");
  const char* universes[] = {":T200,60", ":T192,61",   ":P257,70",  ":K150,64*",
                             ":C130,70", ":T128+9,60", ":T640,300", ":P1000,200"};
  for (std::uint64_t seed = 1; seed <= std::size(universes); seed++) {
    const RuleSpec spec = parse_rule_spec(std::string("B3/S23") + universes[seed - 1]);
    INFO(to_string(spec));
    RuleSpec file = spec;
    file.rule = life;
    Tuning tuning;
    tuning.threads = static_cast<int>(1 + seed % 3);
    const auto table = make_factory("cpu", "table", tuning)(backend_spec(file));
    const auto judge = make_factory("cpu", "gates", {})(backend_spec(spec));
    Draw draw(seed);
    // Gliders and debris in the emptiness, and now and then something new.
    for (int call = 0; call < 12; call++) {
      const std::int64_t width = draw.between(1, 40), height = draw.between(1, 40);
      const CellGrid cells = make_soup_cells({seed * 100 + static_cast<std::uint64_t>(call),
                                              static_cast<std::uint16_t>(call % 4 ? 20000 : 0)},
                                             width, height, 1);
      const Cell at{draw.below(spec.width - width + 1), draw.below(spec.height - height + 1)};
      const std::int64_t generations = draw.between(0, 90);
      for (StepBackend* backend : {table.get(), judge.get()}) {
        backend->edit(at, cells);
        backend->step(generations);
      }
      REQUIRE(table->download() == judge->download());
      REQUIRE(table->survey({true, true, true}).bounds == judge->survey({true, true, true}).bounds);
    }
    // A soup is enough for all threads, what it leaves for one.
    for (StepBackend* backend : {table.get(), judge.get()}) {
      backend->fill(Soup{seed, 20000});
      backend->step(300);
    }
    CHECK(table->download() == judge->download());
  }
}

TEST_CASE("batches under a rule file are stepped one by one, not packed as if it were no file") {
  RuleSpec universe = parse_rule_spec("B3/S23:T21,10");
  universe.rule = rule_of(
      "@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:rotate4\nvar a={0,1}\n"
      "0,1,a,a,a,1\n1,1,a,1,a,0\n");
  BatchSpec spec;
  spec.universes = 3;
  spec.each = backend_spec(universe);
  CHECK_THROWS_AS(make_batch("cpu", "simd", spec, {}), UnsupportedError);
  CHECK_THROWS_AS(make_batch("cpu", "compiled", spec, {}), UnsupportedError);
  const Soup first{7, 20000};
  const auto batch = make_batch("cpu", "auto", spec, {});
  batch->fill(first);
  batch->step(5);
  for (std::int64_t u = 0; u < spec.universes; u++) {
    const auto judge = reference().create(spec.each);
    Soup soup = first;
    soup.seed += static_cast<std::uint64_t>(u);
    judge->upload(make_soup_cells(soup, spec.each.width, spec.each.height, 1));
    judge->step(5);
    CHECK(batch->download(u) == judge->download());
  }
}

TEST_CASE("where a rule's graph has no room any more, cells are worked out one by one") {
  // Lines of which many may fit after most of the cells, so that hardly two nodes are the same.
  std::string text = "@TABLE\nn_states:256\nneighborhood:Moore\nsymmetries:none\n";
  Draw draw(1);
  const auto name = [](int cell, int set) {
    return std::string("c").append(std::to_string(cell)).append("s").append(std::to_string(set));
  };
  for (int cell = 0; cell < 9; cell++) {
    for (int set = 0; set < 8; set++) {
      text += "var " + name(cell, set) + "={0";
      for (int state = 1; state < 256; state++) {
        if (draw.chance(75)) text.append(",").append(std::to_string(state));
      }
      text += "}\n";
    }
  }
  for (int line = 0; line < 64; line++) {
    for (int cell = 0; cell < 9; cell++) text += name(cell, static_cast<int>(draw.below(8))) + ",";
    text += std::to_string(draw.below(256)) + "\n";
  }
  // Of more words than one part of a generation has on a device.
  RuleSpec spec = parse_rule_spec("B3/S23:T11,2200");
  spec.rule = rule_of(text);
  const std::shared_ptr<TransitionGraph> graph = TransitionGraph::of(*spec.rule.file);
  check_spec(spec, 2, 2);
  // The graph is full indeed.
  int lost = 0;
  for (int n = 0; n < 1000; n++) {
    std::array<std::uint8_t, 9> states{};
    for (std::uint8_t& state : states) state = static_cast<std::uint8_t>(draw.below(256));
    graph->next(states.data());
    std::uint32_t node = graph->root();
    for (const TransitionGraph::Level& level : graph->levels()) {
      std::uint32_t entry = 0;
      for (std::size_t i = level.first; i < level.first + level.count; i++)
        entry = entry * 256 + states[i];
      node = graph->follow(node, entry);
    }
    if (node == 0) lost++;
  }
  CHECK(lost > 0);
}

TEST_CASE("a copy of a graph that gets its news has all that the graph has") {
  Draw draw(4);
  TransitionGraph graph(*draw_file_rule(draw, false).file);
  std::vector<std::uint32_t> copy;
  std::uint64_t seen = 0;
  const auto renew = [&] {
    std::size_t given = 0;
    for (const TransitionGraph::Piece& piece : graph.news(seen)) {
      copy.resize(std::max(copy.size(), piece.first + piece.entries.size()));
      std::copy(piece.entries.begin(), piece.entries.end(), copy.begin() + piece.first);
      given += piece.entries.size();
    }
    return given;
  };
  for (int call = 0; call < 40; call++) {
    for (int n = 0; n < 3; n++) {
      std::array<std::uint8_t, 9> states{};
      for (std::uint8_t& state : states)
        state = static_cast<std::uint8_t>(draw.below(graph.states()));
      graph.next(states.data());
    }
    renew();
    CHECK(copy.size() <= graph.size());
    for (std::uint32_t at = 0; at < copy.size(); at++) REQUIRE(copy[at] == graph.follow(0, at));
    for (auto at = static_cast<std::uint32_t>(copy.size()); at < graph.size(); at++)
      REQUIRE(graph.follow(0, at) == 0);
    CHECK(renew() == 0);
  }
}

TEST_CASE("of one line that fits in several ways the first values of its variables decide") {
  // a counts faster than b, and the order of a list is that of the file.
  const Rule rule = rule_of(
      "@TABLE\nn_states:6\nneighborhood:vonNeumann\nsymmetries:rotate4\nvar b={4,1,2}\n"
      "var a={2,1,4}\n0,a,b,a,b,a\n");
  const auto next = [&](std::array<int, 4> around) {
    const auto at = [&](int dx, int dy) {
      return dx == 0 && dy == 0 ? 0 : around[dy < 0 ? 0 : dx > 0 ? 1 : dy > 0 ? 2 : 3];
    };
    const int plain = plain_next(*rule.file, at);
    TransitionGraph graph(*rule.file);
    std::array<std::uint8_t, 9> states{};
    for (std::size_t i = 0; i < graph.cells().size(); i++)
      states[i] = static_cast<std::uint8_t>(at(graph.cells()[i].dx, graph.cells()[i].dy));
    CHECK(graph.next(states.data()) == plain);
    CHECK(graph.next(states.data()) == plain);
    return plain;
  };
  // (a, b) = (2, 1) and (1, 2) both fit; b's first value 1 comes before 2.
  CHECK(next({1, 2, 1, 2}) == 2);
  CHECK(next({2, 1, 2, 1}) == 2);
  // b = 4 comes first of all.
  CHECK(next({4, 2, 4, 2}) == 2);
  CHECK(next({1, 4, 1, 4}) == 1);
  CHECK(next({1, 2, 1, 4}) == 0);
}
