#include "core/patterns/rle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "core/patterns/pattern_text.h"
#include "core/patterns/state_runs.h"

namespace tessera {
namespace {

constexpr const char* kCellsExpected =
    "cells are spelled b o $, or . A to X pA to yO, and end with '!'";

class RleReader {
 public:
  explicit RleReader(TextSource& text) : text_(&text) {}

  Pattern read() {
    do {
      take_plain_tokens();
    } while (take_token());
    check_states();
    if (!pattern_.position && pattern_.rule && pattern_.rule->has_edges()) centre();
    settle(pattern_, *text_, position_place_);
    return std::move(pattern_);
  }

 private:
  static constexpr std::int64_t kNoCount = -1;
  static constexpr std::int64_t kPlainCount =
      100'000'000'000'000'000;  // another digit fits 63 bits

  // As Golly does: so a pattern of the universe's size fills it.
  void centre() {
    position_place_ = header_place_;
    pattern_.position = Cell{-(pattern_.width / 2), -(pattern_.height / 2)};
  }

  // Takes the usual tokens that lie completely in the current block, several times as fast as
  // character by character. Leaves everything else, and everything that fails, to take_token.
  void take_plain_tokens() {
    if (count_ != kNoCount || !pattern_.planes.empty()) return;
    const std::string_view ahead = text_->ahead();
    const char* at = ahead.data();
    // Two characters can be read ahead, and a third after a count of several digits.
    const char* const stop = at + ahead.size() - std::min<std::size_t>(ahead.size(), 2);
    while (at < stop) {
      // Arithmetic instead of a branch, because it is as good as random whether a count comes
      // first.
      const auto first = static_cast<unsigned>(*at) - '0';
      const unsigned counted = first <= 9;
      std::int64_t count = 1 + std::int64_t{counted} * (std::int64_t{first} - 1);
      const char* letter = at + counted;
      for (; letter < stop && *letter >= '0' && *letter <= '9' && count < kPlainCount; letter++) {
        count = count * 10 + (*letter - '0');
      }
      if (count == 0) break;
      if (*letter == 'o') {
        if (count >= kMaxCoordinate - x_ || pattern_.cells.population() > kMaxCoordinate) break;
        pattern_.cells.append(x_, y_, count);
        x_ += count;
      } else if (*letter == 'b') {
        if (count >= kMaxCoordinate - x_) break;
        x_ += count;
      } else if (*letter == '$') {
        if (count >= kMaxCoordinate - y_) break;
        y_ += count;
        x_ = 0;
      } else {
        break;
      }
      started_ = true;
      at = letter + 1;
    }
    text_->skip(static_cast<std::size_t>(at - ahead.data()));
  }

  // Takes one character or line; false after the final '!'.
  bool take_token() {
    const int c = text_->get();
    switch (c) {
      case 'b':
      case '.':
        x_ = moved(x_, take_count());
        return true;
      case 'o':
        take_cells(1);
        return true;
      case '$':
        y_ = moved(y_, take_count());
        x_ = 0;
        started_ = true;
        return true;
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        count_broken_ = true;
        text_->skip_white();
        return true;
      case '!':
        if (count_ != kNoCount) text_->fail(count_place_, "a run count without cells before '!'");
        return false;
      default:
        if (c >= '0' && c <= '9') {
          take_digit(c - '0');
        } else if (!begins_header(c) && c >= 'A' && c <= 'X') {
          take_cells(c - 'A' + 1);
        } else if (!begins_header(c) && c >= 'p' && c <= 'y') {
          take_far_state(c);
        } else if (c == '#' && count_ == kNoCount && text_->last_place().column == 1) {
          take_hash_line();
        } else if (begins_header(c)) {
          take_header();
        } else {
          refuse(c);
        }
        return true;
    }
  }

  bool begins_header(int c) const {
    return (c == 'x' || c == 'X') && !started_ && !header_seen_ && count_ == kNoCount;
  }

  void take_digit(int digit) {
    if (count_ == kNoCount) {
      count_ = digit;
      count_place_ = text_->last_place();
    } else {
      if (count_broken_) text_->fail(text_->last_place(), "white space inside a run count");
      constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
      if (count_ > (kMost - digit) / 10) {
        text_->fail(count_place_,
                    fmt::format("a run count is too large; at most {} is accepted", kMost));
      }
      count_ = count_ * 10 + digit;
    }
    count_broken_ = false;
  }

  // The count before the letter taken last; 1 when there is none.
  std::int64_t take_count() {
    started_ = true;
    if (count_ == kNoCount) {
      count_place_ = text_->last_place();
      return 1;
    }
    if (count_ == 0) text_->fail(count_place_, "a run count of 0; 1 or more is accepted");
    return std::exchange(count_, kNoCount);
  }

  std::int64_t moved(std::int64_t from, std::int64_t by) {
    if (by >= kMaxCoordinate - from) {
      text_->fail(count_place_, "the pattern reaches further than 2^62 cells from its corner");
    }
    return from + by;
  }

  // A letter of 24 states, p for 25 to 48 and so on, and then one of them.
  void take_far_state(int first) {
    const int second = text_->get();
    const int state = (first - 'p' + 1) * 24 + (second - 'A') + 1;
    if (second < 'A' || second > 'X' || state >= kMostStates) {
      text_->fail(text_->last_place(),
                  "states from 25 on are spelled pA to pX, qA to qX and so on, up to yO for 255");
    }
    take_cells(state);
  }

  // No cell has a state that the rule has not.
  void check_states() {
    if (!pattern_.rule || highest_ < pattern_.rule->rule.states()) return;
    text_->fail(highest_place_,
                fmt::format("a cell of state {}; the rule {} has states 0 to {}", highest_,
                            rules_text(*pattern_.rule), pattern_.rule->rule.states() - 1));
  }

  void take_cells(int state) {
    const Place place = text_->last_place();
    const std::int64_t length = take_count();
    const std::int64_t end = moved(x_, length);
    if (length > std::numeric_limits<std::int64_t>::max() - pattern_.cells.population()) {
      text_->fail(count_place_, "more than 2^63-1 live cells");
    }
    if (state > highest_) {
      highest_ = state;
      highest_place_ = place;
    }
    append_run(pattern_, {x_, y_, length, state});
    x_ = end;
  }

  [[noreturn]] void refuse(int c) {
    if (c == TextSource::kEnd) text_->fail_unexpected("'!' was expected to end the pattern");
    text_->fail(text_->last_place(),
                fmt::format("unexpected {}; {}", shown(static_cast<char>(c)), kCellsExpected));
  }

  // After '#' at a line's start.
  void take_hash_line() {
    const Place place = text_->last_place();
    TextLine line = text_->take_line();
    const std::string& all = line.text();
    const bool spaced = all.size() < 2 || all[1] == ' ' || all[1] == '\t';
    if (line.accept("CXRLE")) {
      take_extensions(line, place);
    } else if (line.accept("C") || line.accept("c") || (spaced && line.accept("D"))) {
      pattern_.comments.push_back(comment_text(line.rest()));
    } else if (spaced && line.accept("N")) {
      take_title(pattern_.name, line.rest(), "", pattern_);
    } else if (spaced && line.accept("O")) {
      take_title(pattern_.author, line.rest(), "", pattern_);
    } else if (spaced && line.accept("r")) {
      pattern_.rule = line.rule();
    } else if (spaced && (line.accept("P") || line.accept("R"))) {
      position_place_ = place;
      pattern_.position.emplace();
      pattern_.position->x = line.integer(coordinate_range("x of the position"));
      pattern_.position->y = line.integer(coordinate_range("y of the position"));
      line.expect_done("a position is spelled #P x y");
    } else {
      pattern_.comments.push_back(comment_text(line.rest()));
    }
  }

  void take_extensions(TextLine& line, const Place& place) {
    for (line.skip_spaces(); !line.done(); line.skip_spaces()) {
      if (line.accept("Pos=")) {
        position_place_ = place;
        pattern_.position.emplace();
        pattern_.position->x = line.integer(coordinate_range("x of Pos"));
        line.skip_spaces();
        if (!line.accept(",")) line.fail("',' was expected; a position is spelled Pos=x,y");
        pattern_.position->y = line.integer(coordinate_range("y of Pos"));
      } else if (line.accept("Gen=")) {
        pattern_.generation = line.integer(generation_range());
      } else {
        line.expect_done("#CXRLE accepts Pos=x,y and Gen=n");
      }
    }
  }

  // After "x" where the cells may begin.
  void take_header() {
    constexpr const char* kSpelling = "a header is spelled x = 3, y = 3, rule = B3/S23";
    header_seen_ = true;
    header_place_ = text_->last_place();
    TextLine line = text_->take_line();
    const auto expect = [&](std::string_view word) {
      line.skip_spaces();
      if (!line.accept(word)) line.fail(fmt::format("'{}' was expected; {}", word, kSpelling));
    };
    expect("=");
    pattern_.width = line.integer({"x (the width)", 0, kMaxCoordinate});
    expect(",");
    line.skip_spaces();
    if (!line.accept("Y")) expect("y");
    expect("=");
    pattern_.height = line.integer({"y (the height)", 0, kMaxCoordinate});
    line.skip_spaces();
    if (line.done()) return;
    expect(",");
    line.skip_spaces();
    if (line.done()) return;
    expect("rule");
    expect("=");
    pattern_.rule = line.rule();
  }

  TextSource* text_;
  Pattern pattern_;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0;
  std::int64_t count_ = kNoCount;
  bool count_broken_ = false;  // by white space after its digits
  bool started_ = false;       // cells have begun
  bool header_seen_ = false;
  int highest_ = 0;  // state of a cell
  Place highest_place_;
  Place count_place_;
  Place header_place_;
  Place position_place_;
};

// Arranges tokens of a count and a letter in lines.
class RleLines {
 public:
  explicit RleLines(TextSink& sink) : sink_(&sink) {}

  void put(std::int64_t count, char letter) { put(count, std::string_view(&letter, 1)); }
  void put(std::int64_t count, std::string_view letters) {
    if (count == 0) return;
    char token[24];
    char* end = token;
    if (count > 1) end = std::to_chars(token, token + sizeof token - 2, count).ptr;
    for (const char letter : letters) *end++ = letter;
    const auto size = static_cast<std::size_t>(end - token);
    if (line_.size() + size > kLineLength) end_line();
    line_.append(token, size);
  }

  void end_line() {
    line_ += '\n';
    sink_->write(line_);
    line_.clear();
  }

 private:
  static constexpr std::size_t kLineLength = 70;
  TextSink* sink_;
  std::string line_;
};

void write_header(const Pattern& pattern, TextSink& sink) {
  std::optional<Cell> position = pattern.position;
  if (!position && pattern.rule && pattern.rule->has_edges()) position = Cell{0, 0};
  if (position || pattern.generation != 0) {
    std::string line = "#CXRLE";
    if (position) line += fmt::format(" Pos={},{}", position->x, position->y);
    if (pattern.generation != 0) line += fmt::format(" Gen={}", pattern.generation);
    sink.write(line + "\n");
  }
  if (!pattern.name.empty()) sink.write(fmt::format("#N {}\n", pattern.name));
  if (!pattern.author.empty()) sink.write(fmt::format("#O {}\n", pattern.author));
  for (const std::string& comment : pattern.comments) {
    sink.write(comment.empty() ? "#C\n" : fmt::format("#C {}\n", comment));
  }
  sink.write(fmt::format("x = {}, y = {}", pattern.width, pattern.height));
  if (pattern.rule) sink.write(fmt::format(", rule = {}", to_string(*pattern.rule)));
  sink.write("\n");
}

// "A" to "X" for states 1 to 24, "pA" to "yO" for the others.
std::string letters_of(int state) {
  const auto letter = static_cast<char>('A' + (state - 1) % 24);
  if (state <= 24) return std::string(1, letter);
  return {static_cast<char>('p' + (state - 25) / 24), letter};
}

void write_states(const Pattern& pattern, RleLines& lines) {
  Cell at{0, 0};
  StateRuns runs(pattern);
  while (const std::optional<StateRun> run = runs.next()) {
    if (run->y != at.y) {
      lines.put(run->y - at.y, '$');
      at = {0, run->y};
    }
    lines.put(run->x - at.x, '.');
    lines.put(run->length, letters_of(run->state));
    at.x = run->x + run->length;
  }
  lines.put(1, '!');
  lines.end_line();
}

}  // namespace

Pattern read_rle(TextSource& text) { return RleReader(text).read(); }

void write_rle(const Pattern& pattern, TextSink& sink) {
  write_header(pattern, sink);
  RleLines lines(sink);
  if (!pattern.planes.empty() || (pattern.rule && pattern.rule->rule.states() > 2)) {
    write_states(pattern, lines);
    return;
  }
  std::int64_t x = 0, y = 0;
  CellRuns::Reader reader = pattern.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    if (run->y != y) {
      lines.put(run->y - y, '$');
      y = run->y;
      x = 0;
    }
    lines.put(run->x - x, 'b');
    lines.put(run->length, 'o');
    x = run->x + run->length;
  }
  lines.put(1, '!');
  lines.end_line();
}

}  // namespace tessera
