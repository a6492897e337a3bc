#include "apps/viewer/simulation/document.h"

#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "tests/support/sparse_space.h"

using namespace tessera;

namespace {

Document document_of(const std::string& rule, std::int64_t undo_memory = 1 << 30) {
  return Document(parse_rule_spec(rule), make_factory("cpu", "gates", {}), 0, undo_memory);
}

BitGrid glider() {
  BitGrid cells(3, 3);
  for (const Cell& c : {Cell{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}) cells.set(c.x, c.y, true);
  return cells;
}

}  // namespace

TEST_CASE("a stroke draws the cells along its line and nothing else") {
  for (const char* rule : {"B3/S23", "B3/S23:T300,200", "B3/S23:P300,200"}) {
    INFO(rule);
    Document document = document_of(rule);
    document.begin_stroke(true);
    document.stroke({-60, -10}, {40, 30});
    document.end_stroke();
    CHECK(document.universe().population() == 101);
    CHECK(document.universe().window({-60, -10, 1, 1}).state(0, 0));
    CHECK(document.universe().window({40, 30, 1, 1}).state(0, 0));
    CHECK(document.undo_label() == "Draw");
    REQUIRE(document.undo());
    CHECK(document.universe().population() == 0);
  }
}

TEST_CASE("on a torus strokes and pastes go over the edge") {
  Document document = document_of("B3/S23:T64,64");
  document.begin_stroke(true);
  document.stroke({28, 0}, {35, 0});
  document.end_stroke();
  CHECK(document.universe().population() == 8);
  CHECK(document.universe().window({-29, 0, 1, 1}).state(0, 0));
  document.paste({31, 31}, glider(), PasteMode::or_);
  CHECK(document.universe().population() == 13);
  CHECK(document.read({31, 31, 3, 3}) == glider());
}

TEST_CASE("undo goes back through every kind of change to the first hash, and redo to the last") {
  for (const char* rule :
       {"B3/S23", "B3/S23:T96,80", "B3/S23:P100,90", "B3/S23:K96*+1,80", "B03/S23"}) {
    INFO(rule);
    Document document = document_of(rule);
    std::vector<std::uint64_t> hashes{document.universe().hash()};
    std::vector<std::int64_t> generations{0};
    const auto note = [&] {
      hashes.push_back(document.universe().hash());
      generations.push_back(document.universe().generation());
    };
    document.paste({-20, -20}, make_soup({3, 30000}, 40, 40), PasteMode::or_), note();
    document.before_run(), document.universe().step(7), note();
    document.select(Rect{-10, -10, 15, 9}), note();
    document.transform("Turn", rotated), note();
    document.fill({5, 20000}), note();
    document.move_selection(3, 4, PasteMode::xor_), note();
    document.before_run(), document.universe().step(2), note();
    document.cut(), note();
    document.set_spec(parse_rule_spec("B36/S23:T128,128")), note();
    document.before_run(), document.universe().step(3), note();
    document.begin_stroke(true), document.stroke({40, 40}, {50, 45}), document.end_stroke(), note();
    document.clear_outside(), note();
    document.clear_all(), note();
    document.start("New soup", parse_rule_spec("B2/S:P70,70"),
                   [](Universe& u) {
                     u.fill({9, 9000});
                   }),
        note();
    for (std::size_t i = hashes.size() - 1; i > 0; i--) {
      INFO("back to " << i - 1 << " by undoing " << document.undo_label());
      REQUIRE(document.undo());
      CHECK(document.universe().hash() == hashes[i - 1]);
      CHECK(document.universe().generation() == generations[i - 1]);
    }
    CHECK_FALSE(document.undo());
    for (std::size_t i = 1; i < hashes.size(); i++) {
      INFO("on to " << i << " by redoing " << document.redo_label());
      REQUIRE(document.redo());
      CHECK(document.universe().hash() == hashes[i]);
    }
    CHECK_FALSE(document.redo());
  }
}

TEST_CASE("undo after random edits and steps ends where it began") {
  std::mt19937 random(1);
  Document document = document_of("B3/S23:T61,47");
  document.universe().fill({4, 20000});
  const std::uint64_t first = document.universe().hash();
  const auto somewhere = [&] { return static_cast<std::int64_t>(random() % 200) - 100; };
  for (int i = 0; i < 300; i++) {
    switch (random() % 6) {
      case 0:
        document.select(
            Rect{somewhere(), somewhere(), 1 + static_cast<std::int64_t>(random() % 90), 5});
        break;
      case 1:
        document.paste({somewhere(), somewhere()}, glider(), static_cast<PasteMode>(random() % 3));
        break;
      case 2:
        document.before_run(), document.universe().step(static_cast<std::int64_t>(random() % 5));
        break;
      case 3:
        document.begin_stroke(random() % 2), document.stroke({somewhere(), 3}, {9, somewhere()});
        break;
      case 4:
        if (document.selection()) document.move_selection(somewhere(), somewhere(), PasteMode::or_);
        break;
      default:
        if (document.selection()) document.transform("Turn", rotated);
        break;
    }
  }
  while (document.undo()) {
  }
  CHECK(document.universe().hash() == first);
}

TEST_CASE("reset leads to the cells before the first generation, with the edits made to them") {
  Document document = document_of("B3/S23");
  document.paste({0, 0}, glider(), PasteMode::or_);
  const std::uint64_t start = document.universe().hash();
  document.before_run(), document.universe().step(40);
  document.paste({100, 100}, glider(), PasteMode::or_);
  document.before_run(), document.universe().step(4);
  const std::uint64_t end = document.universe().hash();
  document.reset();
  CHECK(document.universe().hash() == start);
  CHECK(document.universe().generation() == 0);
  REQUIRE(document.undo());
  CHECK(document.universe().hash() == end);
  CHECK(document.universe().generation() == 44);
}

TEST_CASE("edits are unsaved until saved, and again after undo") {
  Document document = document_of("B3/S23");
  CHECK_FALSE(document.modified());
  document.paste({0, 0}, glider(), PasteMode::or_);
  CHECK(document.modified());
  document.mark_saved();
  document.before_run(), document.universe().step(4);
  document.select(Rect{0, 0, 4, 4});
  CHECK_FALSE(document.modified());
  document.undo(), document.undo(), document.undo();
  CHECK(document.modified());
}

TEST_CASE("what is too large to be kept is told, and forgets what was before") {
  Document document = document_of("B3/S23:T1024,1024", 1000);
  document.paste({0, 0}, glider(), PasteMode::or_);
  CHECK(document.undo_label() == "Paste");
  document.before_run();
  CHECK(document.take_undo_lost());
  CHECK_FALSE(document.take_undo_lost());
  document.universe().step(1);
  CHECK(document.undo_label().empty());
  CHECK(document.modified());
  CHECK_THROWS_AS(document.reset(), InputError);
}

TEST_CASE("a smaller universe tells how many cells it lost") {
  Document document = document_of("B3/S23");
  document.paste({-1, -1}, glider(), PasteMode::or_);
  document.paste({500, 0}, glider(), PasteMode::or_);
  CHECK(document.set_spec(parse_rule_spec("B3/S23:P20,20")) == 5);
  CHECK(document.universe().population() == 5);
}

TEST_CASE("a selection far too large is told, and nothing is held of it") {
  for (const char* rule : {"B3/S23", "B3/S23:T300,200"}) {
    INFO(rule);
    Document document = document_of(rule, 1 << 20);
    document.paste({0, 0}, glider(), PasteMode::or_);
    const std::uint64_t hash = document.universe().hash();
    const Rect rects[] = {{-5, -5, std::int64_t{1} << 40, std::int64_t{1} << 40},
                          {-5, -5, std::int64_t{1} << 33, 1},
                          {-5, -5, 1, std::int64_t{1} << 33}};
    for (const Rect& rect : rects) {
      document.select(rect);
      const auto refused = [&](const std::function<void()>& call) {
        CHECK_THROWS_WITH_AS(call(), doctest::Contains("cells are too many at once"), InputError);
        CHECK(document.universe().hash() == hash);
        CHECK(document.undo_label() == "Select");
      };
      refused([&] { document.selected(); });
      refused([&] { document.transform("Turn", rotated); });
      refused([&] { document.move_selection(1, 1, PasteMode::or_); });
      refused([&] { document.clear_outside(); });
      if (document.universe().spec().bounded()) continue;  // what it cuts off is small there
      refused([&] { document.cut(); });
      refused([&] { document.clear_selected(); });
      refused([&] { document.fill({1, 9000}); });
    }
    // All that lives is never too much.
    document.select_all();
    document.cut();
    CHECK(document.universe().population() == 0);
  }
}

TEST_CASE("a state whose cells lie far apart is kept and put back piece by piece") {
  constexpr std::int64_t kApart = std::int64_t{1} << 40;
  const auto space = [] { return Universe(std::make_unique<test::SparseSpace>(RuleSpec{})); };
  Universe universe = space(), other = space();
  for (const Cell& at : {Cell{kApart, 3}, {-5, -kApart}}) universe.edit(at, glider());
  universe.set_generation(9);
  const GridState state = capture(universe);
  CHECK(state.extent == Rect{-5, -kApart, kApart + 5 + 3, kApart + 3 + 3});
  CHECK(state.bytes() < 10000);
  restore(state, other);
  CHECK(other.survey() == universe.survey());
  CHECK(other.generation() == 9);
  Universe bounded(std::make_unique<test::SparseSpace>(parse_rule_spec("B3/S23:P40,40")));
  CHECK(transfer(state, bounded) == 10);
}
