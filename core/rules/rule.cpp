#include "core/rules/rule.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <vector>

#include "core/base/error.h"
#include "core/base/nearest_word.h"
#include "core/rules/foreign_rule.h"

namespace tessera {

namespace {

constexpr std::uint16_t counts(std::initializer_list<int> list) {
  std::uint16_t mask = 0;
  for (const int n : list) mask = static_cast<std::uint16_t>(mask | 1u << n);
  return mask;
}

// The names that Golly and LifeWiki use.
constexpr NamedRule kNamed[] = {
    {"Life", {counts({3}), counts({2, 3})}},
    {"Conway", {counts({3}), counts({2, 3})}},
    {"Conway's Life", {counts({3}), counts({2, 3})}},
    {"Game of Life", {counts({3}), counts({2, 3})}},
    {"HighLife", {counts({3, 6}), counts({2, 3})}},
    {"Day & Night", {counts({3, 6, 7, 8}), counts({3, 4, 6, 7, 8})}},
    {"Day and Night", {counts({3, 6, 7, 8}), counts({3, 4, 6, 7, 8})}},
    {"Seeds", {counts({2}), 0}},
    {"Replicator", {counts({1, 3, 5, 7}), counts({1, 3, 5, 7})}},
    {"Fredkin", {counts({1, 3, 5, 7}), counts({0, 2, 4, 6, 8})}},
    {"Live Free or Die", {counts({2}), counts({0})}},
    {"Life without Death", {counts({3}), counts({0, 1, 2, 3, 4, 5, 6, 7, 8})}},
    {"Flakes", {counts({3}), counts({0, 1, 2, 3, 4, 5, 6, 7, 8})}},
    {"Maze", {counts({3}), counts({1, 2, 3, 4, 5})}},
    {"Mazectric", {counts({3}), counts({1, 2, 3, 4})}},
    {"2x2", {counts({3, 6}), counts({1, 2, 5})}},
    {"34 Life", {counts({3, 4}), counts({3, 4})}},
    {"Amoeba", {counts({3, 5, 7}), counts({1, 3, 5, 8})}},
    {"Assimilation", {counts({3, 4, 5}), counts({4, 5, 6, 7})}},
    {"Coagulations", {counts({3, 7, 8}), counts({2, 3, 5, 6, 7, 8})}},
    {"Coral", {counts({3}), counts({4, 5, 6, 7, 8})}},
    {"Corrosion of Conformity", {counts({3}), counts({1, 2, 4})}},
    {"Diamoeba", {counts({3, 5, 6, 7, 8}), counts({5, 6, 7, 8})}},
    {"DotLife", {counts({3}), counts({0, 2, 3})}},
    {"DryLife", {counts({3, 7}), counts({2, 3})}},
    {"EightLife", {counts({3}), counts({2, 3, 8})}},
    {"Gnarl", {counts({1}), counts({1})}},
    {"H-trees", {counts({1}), counts({0, 1, 2, 3, 4, 5, 6, 7, 8})}},
    {"Long Life", {counts({3, 4, 5}), counts({5})}},
    {"LowDeath", {counts({3, 6, 8}), counts({2, 3, 8})}},
    {"Move", {counts({3, 6, 8}), counts({2, 4, 5})}},
    {"Morley", {counts({3, 6, 8}), counts({2, 4, 5})}},
    {"Pedestrian Life", {counts({3, 8}), counts({2, 3})}},
    {"Pseudo Life", {counts({3, 5, 7}), counts({2, 3, 8})}},
    {"Serviettes", {counts({2, 3, 4}), 0}},
    {"Persian Rug", {counts({2, 3, 4}), 0}},
    {"Stains", {counts({3, 6, 7, 8}), counts({2, 3, 5, 6, 7, 8})}},
    {"Vote", {counts({5, 6, 7, 8}), counts({4, 5, 6, 7, 8})}},
    {"Majority", {counts({5, 6, 7, 8}), counts({4, 5, 6, 7, 8})}},
    {"Vote 4/5", {counts({4, 6, 7, 8}), counts({3, 5, 6, 7, 8})}},
    {"Anneal", {counts({4, 6, 7, 8}), counts({3, 5, 6, 7, 8})}},
    {"Walled Cities", {counts({4, 5, 6, 7, 8}), counts({2, 3, 4, 5})}},
};

// Longer texts are no names, and what families of rules are spelled by fits.
constexpr std::size_t kLongestName = 400;

// Lower-case letters and digits of a name; everything else is decoration.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Rule parse() {
    Rule rule{0, 0};
    if (is_letter('b') || is_letter('s')) {
      bool seen_b = false, seen_s = false;
      while (at_ < text_.size()) {
        if (is_letter('b') && !seen_b) {
          at_++;
          seen_b = true;
          rule.birth = digits();
        } else if (is_letter('s') && !seen_s) {
          at_++;
          seen_s = true;
          rule.survival = digits();
        } else {
          fail();
        }
        if (at_ < text_.size() && text_[at_] == '/') {
          at_++;
          if (at_ == text_.size()) fail();
        }
      }
      if (!seen_b || !seen_s) fail();
    } else {
      rule.survival = digits();
      if (at_ == text_.size() || text_[at_] != '/') fail();
      at_++;
      rule.birth = digits();
      if (at_ != text_.size()) fail();
    }
    return rule;
  }

 private:
  bool is_letter(char c) const { return at_ < text_.size() && (text_[at_] | 0x20) == c; }

  std::uint16_t digits() {
    std::uint16_t mask = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '8') {
      const auto bit = static_cast<std::uint16_t>(1u << (text_[at_] - '0'));
      if (mask & bit) fail("a neighbour count is given twice");
      mask |= bit;
      at_++;
    }
    return mask;
  }

  // The name that was probably meant by one that is misspelled.
  std::string suggestion() const {
    std::vector<std::string> names;
    for (const NamedRule& each : kNamed) names.emplace_back(each.name);
    const std::string nearest = nearest_word(text_, names);
    return nearest.empty() ? "" : "; did you mean " + nearest + "?";
  }

  [[noreturn]] void fail(const char* why = nullptr) const {
    const std::string shown(text_.substr(0, 40));
    std::string safe;
    for (const char c : shown) safe += c >= 0x20 && c < 0x7f ? c : '?';
    if (text_.size() > 40) safe += "...";
    std::string message = "rule '" + safe + "' ";
    if (why) {
      message += std::string("is not accepted: ") + why;
    } else if (const std::string family = foreign_rule(text_.substr(0, kLongestName));
               !family.empty()) {
      message += "is " + family + "; that is not supported";
    } else if (at_ < text_.size() && text_[at_] == '9') {
      message += "is not accepted: a cell has at most 8 neighbours";
    } else {
      message += "is not known" + suggestion();
    }
    message +=
        "; accepted are B3/S23 with digits 0 to 8, 23/3 (survival first), or a name such as Life "
        "or HighLife";
    throw ParseError("rule:1:" + std::to_string(at_ + 1), message);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_string(const Rule& rule) {
  std::string text = "B";
  for (int n = 0; n <= 8; n++) {
    if (rule.birth >> n & 1) text += static_cast<char>('0' + n);
  }
  text += "/S";
  for (int n = 0; n <= 8; n++) {
    if (rule.survival >> n & 1) text += static_cast<char>('0' + n);
  }
  return text;
}

std::span<const NamedRule> named_rules() { return kNamed; }

Rule parse_rule(std::string_view text) {
  if (text.size() <= 64) {
    const std::string wanted = plain(text);
    for (const NamedRule& named : kNamed) {
      if (!wanted.empty() && plain(named.name) == wanted &&
          wanted.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos) {
        return named.rule;
      }
    }
  }
  return Parser(text).parse();
}

}  // namespace tessera
