#include "core/patterns/mcell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/patterns/pattern_text.h"
#include "core/patterns/state_runs.h"

namespace tessera {
namespace {

constexpr const char* kMcellExpected =
    "cells are spelled . and A to X, aA to jX from state 25 on, and $ ends a row";
constexpr std::string_view kGames[] = {"Life", "Generations", "Larger than Life"};
// What MCell shows and how fast.
constexpr std::string_view kIgnored[] = {"SPEED", "CCOLORS", "COLORING", "PALETTE", "DIV"};

struct Board {
  std::int64_t width = 0, height = 0;
};

class McellReader {
 public:
  explicit McellReader(TextSource& text) : text_(&text) {}

  Pattern read() {
    for (text_->skip_white(); text_->peek() != TextSource::kEnd; text_->skip_white()) {
      if (text_->peek() != '#') text_->fail_unexpected("lines of an MCell file begin with '#'");
      text_->get();
      const Place place = text_->place();
      take(text_->take_line(), place);
    }
    if (count_) text_->fail(text_->place(), "a run count without cells at the end");
    take_rule();
    check_states();
    const bool edges = pattern_.rule && pattern_.rule->has_edges();
    fit_box(pattern_);
    if (edges) pattern_.position = Cell{-(pattern_.width / 2), -(pattern_.height / 2)};
    settle(pattern_, *text_, board_place_);
    return std::move(pattern_);
  }

 private:
  void take(TextLine line, const Place& place) {
    if (accept(line, "L")) {
      take_cells(line);
    } else if (accept(line, "D")) {
      pattern_.comments.push_back(comment_text(line.rest()));
    } else if (accept(line, "GAME")) {
      game_ = trimmed(line.rest());
      game_place_ = place;
    } else if (accept(line, "GOLLY")) {
      golly_ = std::move(line);
    } else if (accept(line, "RULE")) {
      // Tables take several lines; what Golly calls them is read instead.
      if (!rule_) rule_ = std::move(line);
    } else if (accept(line, "BOARD")) {
      board_place_ = place;
      board_.emplace();
      board_->width = line.integer({"the board's width", 1, kMaxSide});
      if (!line.accept("x")) line.fail("'x' was expected; a board is spelled #BOARD 400x200");
      board_->height = line.integer({"the board's height", 1, kMaxSide});
    } else if (accept(line, "WRAP")) {
      wrap_ = line.integer({"#WRAP", 0, 1}) == 1;
    } else if (accept(line, "MCell") || ignored(line)) {
      return;
    } else {
      pattern_.comments.push_back(comment_text(line.rest()));
    }
  }

  // Takes a keyword that is the whole first word.
  static bool accept(TextLine& line, std::string_view word) {
    const std::string_view rest = line.rest();
    const bool whole =
        rest.size() <= word.size() || rest[word.size()] == ' ' || rest[word.size()] == '\t';
    return whole && line.accept(word);
  }
  static bool ignored(TextLine& line) {
    return std::ranges::any_of(kIgnored, [&](std::string_view word) { return accept(line, word); });
  }

  // Counts and cells go on from line to line.
  void take_cells(const TextLine& line) {
    const std::string& all = line.text();
    for (std::size_t i = all.size() - line.rest().size(); i < all.size(); i++) {
      const char c = all[i];
      if (c == ' ' || c == '\t' || c == '\r') continue;
      if (c >= '0' && c <= '9') {
        take_digit(line, i, c - '0');
      } else if (c == '.') {
        x_ = moved(line, i, x_);
      } else if (c == '$') {
        y_ = moved(line, i, y_);
        x_ = 0;
      } else if (c >= 'A' && c <= 'X') {
        take_run(line, i, c - 'A' + 1);
      } else if (c >= 'a' && c <= 'j' && i + 1 < all.size() && all[i + 1] >= 'A' &&
                 all[i + 1] <= 'X') {
        take_run(line, i, 24 * (c - 'a' + 1) + (all[i + 1] - 'A') + 1);
        i++;
      } else {
        line.fail_at(i, fmt::format("unexpected {}; {}", shown(c), kMcellExpected));
      }
    }
  }

  void take_digit(const TextLine& line, std::size_t i, int digit) {
    const std::int64_t before = count_.value_or(0);
    if (before > (kMaxCoordinate - digit) / 10)
      line.fail_at(i,
                   fmt::format("a run count is too large; at most {} is accepted", kMaxCoordinate));
    count_ = before * 10 + digit;
  }

  std::int64_t take_count(const TextLine& line, std::size_t i) {
    if (count_ == 0) line.fail_at(i, "a run count of 0 comes before this; 1 or more is accepted");
    return std::exchange(count_, std::nullopt).value_or(1);
  }

  std::int64_t moved(const TextLine& line, std::size_t i, std::int64_t from) {
    const std::int64_t by = take_count(line, i);
    if (by >= kMaxCoordinate - from)
      line.fail_at(i, "the pattern reaches further than 2^62 cells from its corner");
    return from + by;
  }

  void take_run(const TextLine& line, std::size_t i, int state) {
    if (state >= kMostStates)
      line.fail_at(i,
                   fmt::format("a cell of state {}; states go up to {}", state, kMostStates - 1));
    const std::int64_t end = moved(line, i, x_);
    if (end - x_ > std::numeric_limits<std::int64_t>::max() - pattern_.cells.population())
      line.fail_at(i, "more than 2^63-1 live cells");
    append_run(pattern_, {x_, y_, end - x_, state});
    if (state > highest_) {
      highest_ = state;
      highest_line_ = line;
      highest_at_ = i;
    }
    x_ = end;
  }

  // When all lines are read: the rule may come before or behind its game and its board.
  void take_rule() {
    if (golly_) {
      pattern_.rule = golly_->rule();
    } else if (std::ranges::find(kGames, game_) == std::end(kGames)) {
      text_->fail(game_place_,
                  game_.empty() ? "no line #GAME names the game"
                                : fmt::format("the game '{}' of MCell is not supported; Life, "
                                              "Generations, Larger than Life and games with a line "
                                              "#GOLLY are",
                                              game_));
    } else if (rule_) {
      pattern_.rule = rule_->rule();
    } else if (game_ == kGames[0]) {
      pattern_.rule.emplace();
    } else {
      text_->fail(game_place_, fmt::format("the game {} needs a line #RULE", game_));
    }
    if (!board_ || pattern_.rule->has_edges()) return;
    pattern_.rule->topology = wrap_ ? Topology::torus : Topology::plane;
    pattern_.rule->width = board_->width;
    pattern_.rule->height = board_->height;
  }

  void check_states() const {
    const Rule& rule = pattern_.rule->rule;
    if (highest_ < rule.states()) return;
    highest_line_->fail_at(
        highest_at_, fmt::format("a cell of state {}; the rule {} has states 0 to {}", highest_,
                                 rules_text(*pattern_.rule), rule.states() - 1));
  }

  TextSource* text_;
  Pattern pattern_;
  std::string game_;
  Place game_place_, board_place_;
  std::optional<TextLine> golly_, rule_;
  std::optional<Board> board_;
  bool wrap_ = false;
  std::optional<std::int64_t> count_;  // digits whose cells have not come yet
  std::int64_t x_ = 0, y_ = 0;
  int highest_ = 0;  // state of a cell, which stands at highest_at_ of its line
  std::optional<TextLine> highest_line_;
  std::size_t highest_at_ = 0;
};

}  // namespace

Pattern read_mcell(TextSource& text) { return McellReader(text).read(); }

}  // namespace tessera
