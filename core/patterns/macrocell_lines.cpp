#include "core/patterns/macrocell_lines.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "core/patterns/pattern_text.h"

namespace tessera {
namespace {

constexpr const char* kLines =
    "leaves are spelled . * $, other squares level nw ne sw se, and comments begin with #";
constexpr const char* kLeaf = "a leaf is spelled . * $ and has at most 8 rows of 8 cells";
constexpr const char* kSquare = "a square is spelled level nw ne sw se";
// Squares of more than 2^64 cells per side can hold few cells that fit, but they do occur.
constexpr std::int64_t kMostLevel = 1'000'000;

bool is_digit(int c) { return c >= '0' && c <= '9'; }
bool is_leaf(int c) { return c == '.' || c == '*' || c == '$'; }

}  // namespace

Quadtree::Node MacrocellLines::take_root() {
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
  if (numbered_.empty()) return Quadtree::kEmpty;
  if (largest_level_ >= last_level_) {
    text_->fail(last_place_,
                fmt::format("the last square is the root and must be the largest, but its level is "
                            "{} and that of line {} is {}",
                            last_level_, largest_line_, largest_level_));
  }
  return numbered_.back();
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
  add(tree_->leaf(cells), Quadtree::kLeafLevel, place);
}

void MacrocellLines::take_square() {
  const Place place = text_->place();
  const std::int64_t level = take_number(kMostLevel, "the level");
  if (level == 1) {
    text_->fail(place,
                "squares of level 1 belong to rules with more than two states: this is a macrocell "
                "file of such a rule, which is not read; Golly saves it as RLE, which is");
  }
  if (level <= Quadtree::kLeafLevel) {
    text_->fail(place, fmt::format("the level must be within 4 to {}", kMostLevel));
  }
  Quadtree::Parts parts;
  for (Quadtree::Node& part : parts) part = take_part(level);
  take_line_end(kSquare);
  add(tree_->join(parts), level, place);
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

Quadtree::Node MacrocellLines::take_part(std::int64_t level) {
  while (text_->peek() == ' ' || text_->peek() == '\t') text_->get();
  const Place place = text_->place();
  const std::int64_t number = take_number(static_cast<std::int64_t>(numbered_.size()),
                                          "the number of a square that comes before this line");
  if (number == 0) return Quadtree::kEmpty;
  const Quadtree::Node part = numbered_[static_cast<std::size_t>(number - 1)];
  if (part != Quadtree::kEmpty && tree_->level(part) != level - 1) {
    text_->fail(place,
                fmt::format("square {} has level {}, but the parts of level {} have level {}",
                            number, tree_->level(part), level, level - 1));
  }
  return part;
}

void MacrocellLines::take_line_end(const char* expected) {
  int c = text_->peek();
  for (; c == ' ' || c == '\t' || c == '\r'; c = text_->peek()) text_->get();
  if (c != '\n' && c != TextSource::kEnd) text_->fail_unexpected(expected);
  text_->get();
}

void MacrocellLines::add(Quadtree::Node node, std::int64_t level, const Place& place) {
  if (last_level_ > largest_level_) {
    largest_level_ = last_level_;
    largest_line_ = last_place_.line;
  }
  numbered_.push_back(node);
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
