#include "core/rules/rule_spec.h"

#include <cstddef>

#include "core/base/error.h"
#include "core/rules/background.h"

namespace tessera {

namespace {

[[noreturn]] void fail(const std::string& where, std::size_t column, const std::string& message) {
  throw ParseError(where + ":" + std::to_string(column + 1), message);
}

constexpr const char* kUniverses =
    ":T (torus), :P (bounded plane), :K (Klein bottle), :C (cross-surface) or :S (sphere)";

// What stands behind the colon.
class Suffix {
 public:
  Suffix(std::string_view text, std::size_t at, const std::string& where)
      : text_(text), at_(at), where_(where) {}

  void parse(RuleSpec& spec) {
    spec.topology = topology();
    spec.width = spec.height = side(spec);
    parse_edges(spec, false);
    if (taken(',')) {
      if (spec.topology == Topology::sphere)
        fail("a sphere is a square and has one side, as in :S30");
      spec.height = side(spec);
      parse_edges(spec, true);
    }
    if (at_ != text_.size()) fail("unexpected text after the universe; it ends as in :T256,128");
    complete(spec);
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool taken(char c) {
    if (here() != c) return false;
    at_++;
    return true;
  }
  [[noreturn]] void fail(const std::string& message) const { tessera::fail(where_, at_, message); }

  Topology topology() {
    const auto letter = static_cast<char>(here() | 0x20);
    const Topology found = letter == 't'   ? Topology::torus
                           : letter == 'p' ? Topology::plane
                           : letter == 'k' ? Topology::klein_bottle
                           : letter == 'c' ? Topology::cross_surface
                           : letter == 's' ? Topology::sphere
                                           : Topology::infinite;
    if (found == Topology::infinite)
      fail(std::string("a universe is ") + kUniverses + ", with its size as in :T256,128");
    at_++;
    return found;
  }

  // Digits up to `most`; `what` names the number.
  std::int64_t number(const std::string& what, std::int64_t most, const char* missing) {
    const std::size_t start = at_;
    std::int64_t value = 0;
    for (; here() >= '0' && here() <= '9'; at_++) {
      value = value * 10 + (here() - '0');
      if (value > most) {
        tessera::fail(where_, start,
                      what + " is too large; 1 to " + std::to_string(most) + " cells are accepted");
      }
    }
    if (at_ == start) fail(missing);
    return value;
  }

  std::int64_t side(const RuleSpec& spec) {
    const std::size_t start = at_;
    const std::int64_t side =
        number("a side of the universe", kMaxSide,
               "a universe is spelled :T256,128 or :P256,128; a number was expected");
    if (side == 0 && spec.topology != Topology::torus && spec.topology != Topology::plane) {
      tessera::fail(
          where_, start,
          std::string("a side of 0 (without end) is for a torus, :T, or a plane, :P; a ") +
              name_of(spec.topology) + " ends on all sides");
    }
    return side;
  }

  // The twist and the shift of the edges whose length was read last.
  void parse_edges(RuleSpec& spec, bool vertical) {
    if (here() == '*') {
      if (spec.topology != Topology::klein_bottle)
        fail("only one pair of edges of a Klein bottle is marked as twisted, as in :K30*,20");
      if (twisted_)
        fail("a Klein bottle has one pair of twisted edges; both are a cross-surface, :C");
      at_++;
      twisted_ = true;
      spec.seam.vertical = vertical;
    }
    if (here() != '+' && here() != '-') return;
    if (spec.topology != Topology::torus && spec.topology != Topology::klein_bottle)
      fail("only the edges of a torus and the twisted ones of a Klein bottle can be shifted");
    if (spec.topology == Topology::klein_bottle && !(twisted_ && spec.seam.vertical == vertical))
      fail("the shift of a Klein bottle stands behind its twisted edges, as in :K30*+1,20");
    const std::int64_t sign = here() == '-' ? -1 : 1;
    const std::size_t start = at_++;
    const std::int64_t length = vertical ? spec.height : spec.width;
    const std::int64_t number_read =
        number("a shift", kMaxSide, "a number of cells was expected behind + or -");
    if (length == 0) tessera::fail(where_, start, kEndless);
    const std::int64_t shift = number_read % length;
    if (shift != 0 && spec.seam.shift != 0)
      tessera::fail(where_, start, "one pair of edges can be shifted, not both");
    if (shift == 0) return;
    spec.seam.shift = sign * shift;
    spec.seam.vertical = vertical;
  }

  // What was not written, and what is the same as something shorter.
  void complete(RuleSpec& spec) const {
    if (spec.width == 0 && spec.height == 0) spec.topology = Topology::infinite;
    if (spec.topology == Topology::torus && spec.seam.shift != 0) {
      if (!spec.bounded()) fail(kEndless);
      spec.topology = Topology::shifted_torus;
    }
    if (spec.topology != Topology::klein_bottle) return;
    if (!twisted_) spec.seam.vertical = true;
    // A shift by 2 is the same bottle, begun elsewhere; along odd edges so is one by 1.
    const std::int64_t length = spec.seam.vertical ? spec.height : spec.width;
    spec.seam.shift = spec.seam.shift != 0 && length % 2 == 0 ? 1 : 0;
  }

  static constexpr const char* kEndless = "edges are shifted where both sides end, as in :T30+5,20";

  std::string_view text_;
  std::size_t at_;
  const std::string& where_;
  bool twisted_ = false;
};

// What stands behind the length of the top or the left edge.
std::string edges_text(const RuleSpec& spec, bool vertical) {
  if (spec.seam.vertical != vertical) return "";
  std::string text = spec.topology == Topology::klein_bottle ? "*" : "";
  if (spec.seam.shift > 0) text += '+';
  if (spec.seam.shift != 0) text += std::to_string(spec.seam.shift);
  return text;
}

// A rule without a universe, whose text begins at `column` of what `where` names.
Rule rule_at(std::string_view text, std::size_t column, const std::string& where) {
  try {
    return parse_rule(text);
  } catch (const ParseError& error) {
    // "rule:1:COLUMN: message" becomes "WHERE:COLUMN: message".
    const std::string what = error.what(), place = error.place();
    if (!place.starts_with("rule:1:")) throw;  // in a rule file
    const std::size_t own = std::stoul(place.substr(place.rfind(':') + 1));
    fail(where, column + own - 1, what.substr(place.size() + 2));
  }
}

// Refuses two rules that cannot take turns; `column` is that of the second.
void check_turns(const RuleSpec& spec, std::size_t column, const std::string& where) {
  const Rule& odd = *spec.odd_rule;
  if (odd.states() != spec.rule.states()) {
    fail(where, column,
         "rules that take turns need the same number of states; these have " +
             std::to_string(spec.rule.states()) + " and " + std::to_string(odd.states()));
  }
  if (spec.topology != Topology::plane && !spec.bounded() && spec.has_b0() &&
      !background_rules(spec.rule, odd)) {
    fail(where, column,
         "without end the far away cells would repeat only after four generations under "
         "these two rules with B0; give a size, as in :T256,128");
  }
}

// Refuses edges that dead cells beside them would not keep dead.
void check_strip(const RuleSpec& spec, const std::string& where) {
  if (spec.topology == Topology::plane && spec.half_infinite() && spec.has_b0())
    fail(where, 0,
         "under a rule with B0 cells without end are born beside the edges of a strip; give both "
         "sizes, as in :P256,128");
}

// Refuses universes on which rules of longer range do not run, as Golly does.
void check_range(const Rule& rule, const RuleSpec& spec, const std::string& where) {
  if (!rule.ranged()) return;
  if (!spec.bounded() && spec.has_b0())
    fail(
        where, 0,
        "a rule of longer range cannot have B0 without end, nor take turns with one that has; give "
        "a size, as in :T256");
  if (spec.bounded() && spec.topology != Topology::torus && spec.topology != Topology::plane)
    fail(where, 0, "a rule of longer range takes the universes :T (torus) and :P (bounded plane)");
}

// Refuses what rules of files cannot do.
void check_file(const Rule& rule, const RuleSpec& spec, const std::string& where) {
  if (!rule.from_file()) return;
  if (!spec.bounded() && rule.has_b0())
    fail(where, 0,
         "under this rule file cells of state 0 among others like them change, which a universe "
         "without end cannot hold; give a size, as in :T256,128");
}

char letter_of(Topology topology) {
  switch (topology) {
    case Topology::plane:
      return 'P';
    case Topology::klein_bottle:
      return 'K';
    case Topology::cross_surface:
      return 'C';
    case Topology::sphere:
      return 'S';
    default:
      return 'T';
  }
}

}  // namespace

const char* name_of(Topology topology) {
  switch (topology) {
    case Topology::infinite:
      return "infinite plane";
    case Topology::torus:
      return "torus";
    case Topology::plane:
      return "plane";
    case Topology::shifted_torus:
      return "shifted torus";
    case Topology::klein_bottle:
      return "Klein bottle";
    case Topology::cross_surface:
      return "cross-surface";
    case Topology::sphere:
      return "sphere";
  }
  return "";
}

Rect RuleSpec::cells() const {
  constexpr std::int64_t kFarthest = (std::int64_t{1} << 62) - 1;
  Rect all{-kFarthest, -kFarthest, 2 * kFarthest, 2 * kFarthest};
  if (width != 0) all.x = origin().x, all.width = width;
  if (height != 0) all.y = origin().y, all.height = height;
  return all;
}

std::string rules_text(const RuleSpec& spec) {
  std::string text = to_string(spec.rule);
  return spec.odd_rule ? text.append("|").append(to_string(*spec.odd_rule)) : text;
}

std::string to_string(const RuleSpec& spec) {
  std::string text = rules_text(spec);
  if (!spec.has_edges()) return text;
  text.append(":").append(1, letter_of(spec.topology)).append(std::to_string(spec.width));
  if (spec.topology == Topology::sphere) return text;
  return text.append(edges_text(spec, false))
      .append(",")
      .append(std::to_string(spec.height))
      .append(edges_text(spec, true));
}

RuleSpec parse_rule_spec(std::string_view text, const std::string& where) {
  RuleSpec spec;
  const std::size_t colon = text.find(':');
  const std::string_view rules = text.substr(0, colon);
  const std::size_t bar = rules.find('|');
  spec.rule = rule_at(rules.substr(0, bar), 0, where);
  if (bar != std::string_view::npos) {
    const std::string_view odd = rules.substr(bar + 1);
    if (const std::size_t third = odd.find('|'); third != std::string_view::npos)
      fail(where, bar + 1 + third, "two rules can take turns, as in B3/S23|B2/S, and no third one");
    spec.odd_rule = rule_at(odd, bar + 1, where);
    if (*spec.odd_rule == spec.rule) spec.odd_rule.reset();
  }
  if (colon != std::string_view::npos) Suffix(text, colon + 1, where).parse(spec);
  check_range(spec.rule, spec, where);
  check_file(spec.rule, spec, where);
  if (spec.odd_rule) {
    if (spec.rule.from_file() != spec.odd_rule->from_file())
      fail(where, bar + 1, "a rule of a file takes turns with another rule of a file alone");
    check_range(*spec.odd_rule, spec, where);
    check_file(*spec.odd_rule, spec, where);
    check_turns(spec, bar + 1, where);
  }
  check_strip(spec, where);
  return spec;
}

}  // namespace tessera
