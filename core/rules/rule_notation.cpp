#include "core/rules/rule_notation.h"

#include <cctype>
#include <cstddef>
#include <vector>

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/letters.h"
#include "core/base/nearest_word.h"
#include "core/rules/foreign_rule.h"
#include "core/rules/isotropic_letters.h"
#include "core/rules/range_notation.h"
#include "core/rules/rule_map.h"

namespace tessera {

namespace {

// Longer texts are no names, and what families of rules are spelled by fits.
constexpr std::size_t kLongestFamily = 400;

constexpr std::string_view kLetters = "aceijknqrtwyz";

// What stands behind B and behind S.
struct Counts {
  Arrangements birth{}, survival{};
  // The arrangements that are named for a pattern's count.
  std::uint16_t named(int pattern) const {
    return (centre_lives(pattern) ? survival
                                  : birth)[static_cast<std::size_t>(neighbours_in(pattern))];
  }
};

// An outer-totalistic rule where only whole counts are named.
Rule moore_rule(const Counts& counts) {
  Rule rule{0, 0};
  for (int n = 0; n <= 8; n++) {
    for (const Arrangements* part : {&counts.birth, &counts.survival}) {
      const std::uint16_t named = (*part)[static_cast<std::size_t>(n)];
      if (named == 0) continue;
      std::uint16_t& mask = part == &counts.birth ? rule.birth : rule.survival;
      mask = static_cast<std::uint16_t>(mask | 1u << n);
      if (named != all_arrangements(n)) rule.family = RuleFamily::isotropic;
    }
  }
  if (rule.outer_totalistic()) return rule;
  rule = {0, 0, RuleFamily::isotropic, {}};
  for (int p = 0; p < kPatterns; p++) {
    if (counts.named(p) >> arrangement_of(p) & 1) rule.table.set(p);
  }
  return rule;
}

// A rule of the neighbourhood that the family sees, by whole counts.
Rule small_rule(const Counts& counts, RuleFamily family) {
  Rule rule{0, 0, family, {}};
  const int seen = scattered(~0, cells_of(family));
  for (int p = 0; p < kPatterns; p++) {
    if (counts.named(p & seen)) rule.table.set(p);
  }
  return rule;
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  Rule parse() {
    if (is_range(text_)) return range();
    if (text_.size() > 3 && is_word("map")) return map();
    if (text_.size() > 1 && is_letter('w') && is_digit(text_[1])) return wolfram();
    end_ = text_.size();
    char last = take_neighbourhood();
    const int states = take_states();
    if (last == '\0') last = take_neighbourhood();
    Rule rule;
    if (last == '\0') {
      rule = moore_rule(counts());
    } else {
      const RuleFamily family = last == 'h' ? RuleFamily::hexagonal : RuleFamily::von_neumann;
      most_ = static_cast<int>(cells_of(family).size()) - 1;
      rule = small_rule(counts(), family);
    }
    return with_states(rule, states);
  }

 private:
  bool is_letter(char c) const { return at_ < text_.size() && lower(text_[at_]) == c; }
  bool is_word(std::string_view word) const {
    for (std::size_t i = 0; i < word.size(); i++) {
      if (lower(text_[i]) != word[i]) return false;
    }
    return true;
  }

  // Takes H or V from the end: 'h', 'v' or 0.
  char take_neighbourhood() {
    const char last = end_ > at_ ? lower(text_[end_ - 1]) : '\0';
    if (last != 'h' && last != 'v') return '\0';
    end_--;
    return last;
  }

  // Takes the number of states from the beginning (G4, also with a slash behind it) or from the end
  // (/4 behind another slash, /C4, /G4, G4); 2 where there is none. Without a slash a C is one of
  // Hensel's letters.
  int take_states() {
    std::size_t digits = 1;
    if ((is_letter('g') || is_letter('c')) && end_ > 1 && is_digit(text_[1])) {
      while (digits < end_ && is_digit(text_[digits])) digits++;
      const int states = states_in(1, digits);
      at_ = digits < end_ && text_[digits] == '/' ? digits + 1 : digits;
      return states;
    }
    std::size_t first = end_;
    while (first > 0 && is_digit(text_[first - 1])) first--;
    if (first == 0 || first == end_) return 2;
    const char mark = lower(text_[first - 1]);
    const bool behind_slash = first > 1 && text_[first - 2] == '/';
    std::size_t cut = first - 1;
    if (mark == 'g' || (mark == 'c' && behind_slash)) {
      if (behind_slash) cut--;
    } else if (mark != '/' || text_.find('/') == cut) {
      return 2;
    }
    const int states = states_in(first, end_);
    end_ = cut;
    return states;
  }

  int states_in(std::size_t first, std::size_t last) {
    int states = 0;
    for (std::size_t i = first; i < last && states <= kMostStates; i++)
      states = states * 10 + (text_[i] - '0');
    if (states >= 2 && states <= kMostStates) return states;
    at_ = first;
    fail("a rule has 2 to " + std::to_string(kMostStates) + " states");
  }

  Rule with_states(Rule rule, int states) {
    rule.state_count = static_cast<std::uint16_t>(states);
    if (states > 2 && rule.has_b0()) {
      at_ = 0;
      fail("rules of more than two states cannot have B0");
    }
    return rule;
  }

  Rule range() {
    Rule rule;
    RangeFault fault;
    if (parse_range(text_, rule, fault)) return rule;
    at_ = fault.at;
    fail(fault.why);
  }

  Rule map() {
    Rule rule;
    MapFault fault, other;
    if (parse_map(text_.substr(3), false, rule, fault)) return rule;
    // Base64 has slashes and digits, too.
    end_ = text_.size();
    const std::size_t slash = text_.rfind('/');
    if (slash != std::string_view::npos && slash + 1 < end_ &&
        text_.find_first_not_of("0123456789", slash + 1) == std::string_view::npos &&
        parse_map(text_.substr(3, slash - 3), true, rule, other)) {
      return with_states(rule, states_in(slash + 1, end_));
    }
    at_ = 3 + fault.at;
    fail(fault.why);
  }

  Rule wolfram() {
    unsigned number = 0;
    for (at_ = 1; at_ < text_.size(); at_++) {
      if (!is_digit(text_[at_])) fail();
      number = number * 10 + static_cast<unsigned>(text_[at_] - '0');
      if (number > 255) fail("W takes numbers from 0 to 255");
    }
    Rule rule{0, 0, RuleFamily::wolfram, {}};
    // As Golly draws it: what lives stays, and each row makes the next one below.
    for (int p = 0; p < kPatterns; p++) {
      if (centre_lives(p) || (number >> (p >> 6) & 1)) rule.table.set(p);
    }
    return rule;
  }

  Counts counts() {
    Counts counts;
    // One of both may be left out, as in Golly: it has no counts then.
    if (is_letter('b') || is_letter('s')) {
      bool seen_b = false, seen_s = false;
      while (at_ < end_) {
        if (is_letter('b') && !seen_b) {
          at_++;
          seen_b = true;
          counts.birth = digits();
        } else if (is_letter('s') && !seen_s) {
          at_++;
          seen_s = true;
          counts.survival = digits();
        } else {
          fail();
        }
        // Golly takes an underscore for a slash.
        if (at_ < end_ && (text_[at_] == '/' || text_[at_] == '_')) {
          at_++;
          if (at_ == end_) fail();
        }
      }
    } else {
      counts.survival = digits();
      if (at_ == end_ || text_[at_] != '/') fail();
      at_++;
      counts.birth = digits();
      if (at_ != end_) fail();
    }
    return counts;
  }

  Arrangements digits() {
    Arrangements named{};
    unsigned seen = 0;
    while (at_ < end_ && text_[at_] >= '0' && text_[at_] <= '8') {
      const int n = text_[at_] - '0';
      if (n > most_) {
        fail("in this neighbourhood a cell has at most " + std::to_string(most_) + " neighbours");
      }
      if (seen >> n & 1) fail("a neighbour count is given twice");
      seen |= 1u << n;
      at_++;
      named[static_cast<std::size_t>(n)] = arrangements(n);
    }
    return named;
  }

  // Those that the letters behind a count name: all without letters, the others after a minus.
  std::uint16_t arrangements(int n) {
    const std::string_view letters = arrangement_letters(n);
    const bool minus = at_ < end_ && text_[at_] == '-';
    if (minus) at_++;
    unsigned named = 0;
    for (; at_ < end_; at_++) {
      const char letter = lower(text_[at_]);
      if (kLetters.find(letter) == std::string_view::npos) break;
      if (most_ != 8) fail("letters are for the neighbourhood of eight cells");
      const std::size_t at = letters.find(letter);
      if (at == std::string_view::npos) {
        fail("a count of " + std::to_string(n) + " takes " +
             (letters.empty() ? "no letters" : "the letters " + std::string(letters)));
      }
      if (named >> at & 1) fail("a letter is given twice");
      named |= 1u << at;
    }
    const unsigned all = all_arrangements(n);
    return static_cast<std::uint16_t>(minus ? all & ~named : named == 0 ? all : named);
  }

  [[noreturn]] void fail(const std::string& why = "") const {
    const std::string shown(text_.substr(0, 40));
    std::string safe;
    for (const char c : shown) safe += c >= 0x20 && c < 0x7f ? c : '?';
    if (text_.size() > 40) safe += "...";
    std::string message = "rule '" + safe + "' ";
    if (const std::string family = foreign_rule(text_.substr(0, kLongestFamily)); !family.empty()) {
      message += "is " + family + "; that is not supported; accepted are ";
    } else if (!why.empty()) {
      message += "is not accepted: " + why + "; accepted are ";
    } else if (at_ < text_.size() && text_[at_] == '9') {
      message += "is not accepted: a cell has at most 8 neighbours; accepted are ";
    } else {
      message += "is not known" + meant_or_accepted(text_, names_);
    }
    message +=
        "B3/S23 with digits 0 to 8, letters as in B2-a/S12, H or V behind it, 23/3 "
        "(survival first), 345/2/4 (Generations), MAP, W110, 5,34,45,34,58, a name such as Life, "
        "or that of a rule file beside the pattern or in a folder of TESSERA_RULES";
    throw ParseError("rule:1:" + std::to_string(at_ + 1), message);
  }

  std::string_view text_;
  std::span<const std::string> names_;
  std::size_t at_ = 0, end_ = 0;
  int most_ = 8;  // neighbours
};

}  // namespace

Rule parse_notation(std::string_view text, std::span<const std::string> names) {
  return Parser(text, names).parse();
}

}  // namespace tessera
