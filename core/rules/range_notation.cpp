#include "core/rules/range_notation.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "core/base/digits.h"
#include "core/base/letters.h"

namespace tessera {
namespace {

// In the order of RangeShape.
constexpr std::string_view kShapes = "MNC2+X*#BDH@";

class RangeParser {
 public:
  RangeParser(std::string_view text, RangeFault& fault) : text_(text), fault_(&fault) {}

  bool parse(Rule& rule) {
    const bool read = is_digit(here()) ? evans() : fields();
    if (!read || !check()) return false;
    rule = {0, 0, RuleFamily::range, {}, static_cast<std::uint16_t>(std::max(2, states_))};
    if (states_ > 2 && range_.birth.has(0))
      return fail(0, "rules of more than two states cannot have B0");
    rule.range = kept_range_rule(range_);
    return true;
  }

 private:
  struct Listed {
    std::size_t at;
    int last;
  };

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char ahead() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  bool fail(std::size_t at, std::string why) {
    *fault_ = {at, std::move(why)};
    return false;
  }
  bool fail(std::string why) { return fail(at_, std::move(why)); }

  bool number(const char* what, int least, int most, int& value) {
    const std::size_t start = at_;
    std::int64_t read = 0;
    for (; is_digit(here()); at_++)
      read = std::min<std::int64_t>(read * 10 + (here() - '0'), 1 << 24);
    if (at_ == start) return fail(std::string(what) + " was expected");
    if (read < least || read > most) {
      return fail(start, std::string(what) + " is from " + std::to_string(least) + " to " +
                             std::to_string(most));
    }
    value = static_cast<int>(read);
    return true;
  }

  bool comma() {
    if (here() != ',') return fail("a comma was expected");
    at_++;
    return true;
  }

  // Range, first and last birth, first and last survival.
  bool evans() {
    range_.middle = true;
    if (!number("a range", 1, kMostRange, range_.radius)) return false;
    for (CountSet* counts : {&range_.birth, &range_.survival}) {
      int first = 0, last = 0;
      const std::size_t start = at_ + 1;
      if (!comma() || !count(first) || !comma() || !count(last)) return false;
      if (first > last) return fail(start, "the first number of a range is not above its last");
      *counts = CountSet::of({{first, last}});
      highest_ = std::max(highest_, {start, last}, by_last);
    }
    return at_ == text_.size() || fail("nothing follows five numbers");
  }

  bool count(int& value) { return number("a number of cells", 0, 1'002'001, value); }

  bool fields() {
    at_++;  // R
    if (!number("a range", 1, kMostRange, range_.radius)) return false;
    std::string seen;
    while (at_ < text_.size()) {
      if (!comma()) return false;
      const char field = lower(here());
      if (std::string_view("cmsbn").find(field) == std::string_view::npos)
        return fail("one of C (states), M, S, B and N was expected");
      if (seen.find(field) != std::string::npos) return fail("this is given twice");
      seen += field;
      at_++;
      if (!take(field)) return false;
    }
    for (const char field : {'s', 'b'})
      if (seen.find(field) == std::string::npos)
        return fail(std::string("the counts behind ") + static_cast<char>(field - 32) +
                    " are missing, as in R5,C0,M1,S34..58,B34..45,NM");
    return true;
  }

  bool take(char field) {
    int value = 0;
    switch (field) {
      case 'c':
        return number("a number of states", 0, kMostStates, states_);
      case 'm':
        if (!number("the 0 or 1 behind M", 0, 1, value)) return false;
        range_.middle = value == 1;
        return true;
      case 's':
        return list(range_.survival);
      case 'b':
        return list(range_.birth);
      default:
        return shape();
    }
  }

  // Numbers and ranges between commas, or nothing.
  bool list(CountSet& counts) {
    std::vector<CountSet::Run> runs;
    while (is_digit(here())) {
      const std::size_t start = at_;
      int first = 0;
      if (!count(first)) return false;
      int last = first;
      if (here() == '-' || (here() == '.' && ahead() == '.')) {
        at_ += here() == '-' ? 1 : 2;
        if (!count(last)) return false;
      }
      if (first > last) return fail(start, "the first number of a range is not above its last");
      runs.push_back({first, last});
      highest_ = std::max(highest_, {start, last}, by_last);
      if (here() == ',' && is_digit(ahead())) at_++;
    }
    counts = CountSet::of(std::move(runs));
    return true;
  }

  bool shape() {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(here())));
    const std::size_t found = letter == '\0' ? std::string_view::npos : kShapes.find(letter);
    if (found == std::string_view::npos)
      return fail("behind N stands one of " + std::string(kShapes));
    at_++;
    range_.shape = static_cast<RangeShape>(found);
    return range_.shape != RangeShape::custom || custom();
  }

  bool custom() {
    const std::size_t start = at_;
    const std::size_t digits =
        static_cast<std::size_t>(range_.radius) * static_cast<std::size_t>(range_.radius + 1);
    range_.cells.assign((4 * digits + 7) / 8, 0);
    for (; std::isxdigit(static_cast<unsigned char>(here())) && at_ < start + digits; at_++) {
      const int digit = is_digit(here()) ? here() - '0' : lower(here()) - 'a' + 10;
      for (std::size_t i = 0; i < 4; i++) {
        const std::size_t bit = 4 * (at_ - start) + i;
        if (digit >> (3 - i) & 1)
          range_.cells[bit / 8] = static_cast<std::uint8_t>(range_.cells[bit / 8] | 1 << bit % 8);
      }
    }
    if (at_ == start + digits && !std::isxdigit(static_cast<unsigned char>(here()))) return true;
    return fail(start, "behind N@ stand " + std::to_string(digits) +
                           " hexadecimal digits for range " + std::to_string(range_.radius));
  }

  // No count is more than what there is to be counted.
  bool check() {
    const int most = range_.most();
    return highest_.last <= most ||
           fail(highest_.at, "at most " + std::to_string(most) + " cells can count here");
  }

  static bool by_last(const Listed& a, const Listed& b) { return a.last < b.last; }

  std::string_view text_;
  RangeFault* fault_;
  std::size_t at_ = 0;
  int states_ = 2;
  Listed highest_{0, 0};  // of all counts
  RangeRule range_;
};

}  // namespace

char letter_of(RangeShape shape) { return kShapes[static_cast<std::size_t>(shape)]; }

bool is_range(std::string_view text) {
  if (text.size() > 2 && lower(text[0]) == 'r' && is_digit(text[1]))
    return text.find(',') != std::string_view::npos;
  return std::ranges::count(text, ',') == 4 &&
         text.find_first_not_of("0123456789,") == std::string_view::npos && is_digit(text[0]);
}

bool parse_range(std::string_view text, Rule& rule, RangeFault& fault) {
  return RangeParser(text, fault).parse(rule);
}

}  // namespace tessera
