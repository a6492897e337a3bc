#include "core/patterns/macrocell_lines.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <string>

#include "core/base/digits.h"
#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

constexpr const char* kLines =
    "leaves are spelled . * $, other squares level nw ne sw se, and comments begin with #";
constexpr const char* kLeaf = "a leaf is spelled . * $ and has at most 8 rows of 8 cells";
constexpr const char* kSquare = "a square is spelled level nw ne sw se";
// Squares of more than 2^64 cells per side can hold few cells that fit, but they do occur.
constexpr std::int64_t kMostWrittenLevel = 1'000'000;

bool is_leaf(int c) { return c == '.' || c == '*' || c == '$'; }

// Moves a square of `from` cells per side, bits row by row, to (x, y) in one of `to`.
std::uint64_t moved_into(std::uint64_t bits, int from, int to, int x, int y) {
  std::uint64_t out = 0;
  for (int row = 0; row < from; row++)
    out |= (bits >> row * from & ((1u << from) - 1)) << ((y + row) * to + x);
  return out;
}

}  // namespace

StateSquare MacrocellLines::take_root() {
  take_version();
  for (int c = text_->peek(); c != TextSource::kEnd; c = text_->peek()) {
    if (is_leaf(c)) {
      take_leaf();
    } else if (is_digit(c)) {
      take_square();
    } else if (c == '#') {
      take_hash_line();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      text_->get();
    } else {
      text_->fail_unexpected(kLines);
    }
  }
  if (live_.size() == 1) return {};
  if (largest_level_ >= last_level_) {
    text_->fail(last_place_,
                fmt::format("the last square is the root and must be the largest, but its level is "
                            "{} and that of line {} is {}",
                            last_level_, largest_line_, largest_level_));
  }
  check_states();
  const auto last = [this](const LongList<Quadtree::Node>& of) {
    const int level = small_level(live_.size() - 1), side = 1 << level;
    // In the middle of a leaf, so that the middle stays in place.
    return level == 0 ? of.back()
                      : tree_->leaf(moved_into(of.back(), side, 8, 4 - side / 2, 4 - side / 2));
  };
  StateSquare root{last(live_), {}};
  for (const LongList<Quadtree::Node>& plane : planes_) root.planes.push_back(last(plane));
  // Squares that belong to no other one may have had higher states.
  while (!root.planes.empty() && root.planes.back() == Quadtree::kEmpty) root.planes.pop_back();
  if (root.planes.size() == 1) root.planes.clear();
  return root;
}

void MacrocellLines::take_version() {
  const Place place = text_->place();
  if (!text_->take_line().accept("[M2]")) {
    text_->fail(place, "'[M2]' was expected; a macrocell file begins with it");
  }
}

void MacrocellLines::take_hash_line() {
  text_->get();
  TextLine line = text_->take_line();
  const std::string& all = line.text();
  const bool spaced = all.size() < 2 || all[1] == ' ' || all[1] == '\t';
  if (spaced && line.accept("R")) {
    notes_->rule = line.rule();
  } else if (spaced && line.accept("G")) {
    notes_->generation = line.integer(generation_range());
    line.expect_done("a generation is spelled #G n");
  } else if (spaced && line.accept("N")) {
    take_title(notes_->name, line.rest(), "", *notes_);
  } else if (spaced && line.accept("O")) {
    take_title(notes_->author, line.rest(), "", *notes_);
  } else if (line.rest().starts_with("FRAMES ") || line.rest().starts_with("FRAME ")) {
    line.fail("a timeline of several generations; a file of one generation is accepted");
  } else {
    if (!line.accept("C") && !line.accept("c") && spaced) line.accept("D");
    notes_->comments.push_back(comment_text(line.rest()));
  }
}

void MacrocellLines::take_leaf() {
  const Place place = text_->place();
  std::uint64_t cells = 0;
  int x = 0, y = 0;
  for (int c = text_->peek(); is_leaf(c); c = text_->peek()) {
    if (y == 8 || (x == 8 && c != '$')) {
      text_->fail(text_->place(), std::string("this leaf is too large; ") + kLeaf);
    }
    if (c == '$') {
      y++;
      x = 0;
    } else {
      if (c == '*') cells |= std::uint64_t{1} << (8 * y + x);
      x++;
    }
    text_->get();
  }
  take_line_end(kLeaf);
  // A file that somebody made to be long repeats leaves.
  if (cells != last_leaf_) {
    last_leaf_ = cells;
    last_leaf_node_ = tree_->leaf(cells);
  }
  live_.push_back(last_leaf_node_);
  if (!planes_.empty()) planes_.front().push_back(live_.back());
  add(Quadtree::kLeafLevel, place);
}

void MacrocellLines::take_square() {
  const Place place = text_->place();
  const std::int64_t level = take_number(kMostWrittenLevel, "the level");
  if (level == 0)
    text_->fail(place, fmt::format("the level must be within 1 to {}", kMostWrittenLevel));
  if (level == 1) {
    take_states();
  } else {
    std::array<std::size_t, 4> parts;
    for (std::size_t& part : parts) part = take_part(level);
    live_.push_back(join(parts, level, live_));
    for (auto& plane : planes_) plane.push_back(join(parts, level, plane));
  }
  take_line_end(kSquare);
  add(level, place);
}

// The states of 2x2 cells.
void MacrocellLines::take_states() {
  std::array<int, 4> states;
  for (int& state : states) {
    while (text_->peek() == ' ' || text_->peek() == '\t') text_->get();
    const Place place = text_->place();
    state = static_cast<int>(take_number(kMostStates - 1, "the state of a cell"));
    if (state <= highest_) continue;
    highest_ = state;
    highest_place_ = place;
  }
  need_planes(highest_);
  const auto bits = [&](auto has) {
    Quadtree::Node out = 0;
    for (unsigned i = 0; i < 4; i++) out |= has(states[i]) ? 1u << i : 0u;
    return out;
  };
  live_.push_back(bits([](int state) { return state != 0; }));
  for (std::size_t p = 0; p < planes_.size(); p++)
    planes_[p].push_back(bits([p](int state) { return (state >> p & 1) != 0; }));
}

// States of 2 and more need planes; the cells of the squares before had state 1.
void MacrocellLines::need_planes(int state) {
  if (state < 2) return;
  if (planes_.empty()) planes_.push_back(live_);
  const auto count = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(state)));
  while (planes_.size() < count) {
    LongList<Quadtree::Node>& plane = planes_.emplace_back();
    while (plane.size() < live_.size()) plane.push_back(Quadtree::kEmpty);
  }
}

// No cell has a state that the rule has not.
void MacrocellLines::check_states() const {
  if (!notes_->rule || highest_ < notes_->rule->rule.states()) return;
  text_->fail(highest_place_,
              fmt::format("a cell of state {}; the rule {} has states 0 to {}", highest_,
                          rules_text(*notes_->rule), notes_->rule->rule.states() - 1));
}

// The square of a level that four of the numbered ones make up.
Quadtree::Node MacrocellLines::join(const std::array<std::size_t, 4>& parts, std::int64_t level,
                                    const LongList<Quadtree::Node>& of) {
  if (level > Quadtree::kLeafLevel)
    return tree_->join({of[parts[0]], of[parts[1]], of[parts[2]], of[parts[3]]});
  const int side = 1 << (level - 1);
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; i++)
    bits |= moved_into(of[parts[static_cast<std::size_t>(i)]], side, 2 * side, side * (i & 1),
                       side * (i >> 1));
  return level == Quadtree::kLeafLevel ? tree_->leaf(bits) : static_cast<Quadtree::Node>(bits);
}

int MacrocellLines::small_level(std::size_t square) const {
  return square < small_.size() ? small_[square] : 0;
}

int MacrocellLines::level_of(std::size_t square) const {
  const int small = small_level(square);
  return small != 0 ? small : tree_->level(live_[square]);
}

// Takes spaces and a number from 0; `what` names it when it is too large.
std::int64_t MacrocellLines::take_number(std::int64_t most, const char* what) {
  while (text_->peek() == ' ' || text_->peek() == '\t') text_->get();
  if (!is_digit(text_->peek())) text_->fail_unexpected(kSquare);
  const Place place = text_->place();
  std::int64_t number = 0;
  while (is_digit(text_->peek())) {
    number = 10 * number + (text_->get() - '0');
    if (number > most) text_->fail(place, fmt::format("{} must be at most {}", what, most));
  }
  return number;
}

std::size_t MacrocellLines::take_part(std::int64_t level) {
  while (text_->peek() == ' ' || text_->peek() == '\t') text_->get();
  const Place place = text_->place();
  const std::int64_t number = take_number(static_cast<std::int64_t>(live_.size()) - 1,
                                          "the number of a square that comes before this line");
  const auto part = static_cast<std::size_t>(number);
  if (live_[part] != Quadtree::kEmpty && level_of(part) != level - 1) {
    text_->fail(place,
                fmt::format("square {} has level {}, but the parts of level {} have level {}",
                            number, level_of(part), level, level - 1));
  }
  return part;
}

void MacrocellLines::take_line_end(const char* expected) {
  int c = text_->peek();
  for (; c == ' ' || c == '\t' || c == '\r'; c = text_->peek()) text_->get();
  if (c != '\n' && c != TextSource::kEnd) text_->fail_unexpected(expected);
  text_->get();
}

void MacrocellLines::add(std::int64_t level, const Place& place) {
  if (last_level_ > largest_level_) {
    largest_level_ = last_level_;
    largest_line_ = last_place_.line;
  }
  if (level < Quadtree::kLeafLevel) {
    small_.resize(live_.size());
    small_.back() = static_cast<std::uint8_t>(level);
  }
  last_level_ = level;
  last_place_ = place;
}

void write_macrocell_header(const Pattern& pattern, TextSink& sink) {
  sink.write("[M2] (tessera)\n");
  if (pattern.rule) sink.write(fmt::format("#R {}\n", to_string(*pattern.rule)));
  if (pattern.generation != 0) sink.write(fmt::format("#G {}\n", pattern.generation));
  if (!pattern.name.empty()) sink.write(fmt::format("#N {}\n", pattern.name));
  if (!pattern.author.empty()) sink.write(fmt::format("#O {}\n", pattern.author));
  for (const std::string& comment : pattern.comments) {
    sink.write(comment.empty() ? "#C\n" : fmt::format("#C {}\n", comment));
  }
}

void write_macrocell_squares(const Quadtree& tree, TextSink& sink) {
  std::string lines;
  const auto add_leaf = [&lines](std::uint64_t cells) {
    for (; cells != 0; cells >>= 8) {
      for (std::uint64_t row = cells & 0xff; row != 0; row >>= 1) lines += row & 1 ? '*' : '.';
      lines += '$';
    }
    lines += '\n';
  };
  for (std::size_t i = 1; i <= tree.size(); i++) {
    const auto node = static_cast<Quadtree::Node>(i);
    if (tree.level(node) == Quadtree::kLeafLevel) {
      add_leaf(tree.cells(node));
    } else {
      const Quadtree::Parts& p = tree.parts(node);
      fmt::format_to(std::back_inserter(lines), "{} {} {} {} {}\n", tree.level(node), p[0], p[1],
                     p[2], p[3]);
    }
    if (lines.size() < 65536) continue;
    sink.write(lines);
    lines.clear();
  }
  sink.write(lines);
}

}  // namespace tessera
