#include "core/rules/rule_spec.h"

#include <cstddef>

#include "core/base/error.h"

namespace tessera {

namespace {

[[noreturn]] void fail(const std::string& where, std::size_t column, const std::string& message) {
  throw ParseError(where + ":" + std::to_string(column + 1), message);
}

// One side of a bounded universe, 1 .. kMaxSide; `at` moves past its digits.
std::int64_t parse_side(std::string_view text, std::size_t& at, const std::string& where) {
  const std::size_t start = at;
  std::int64_t side = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    side = side * 10 + (text[at] - '0');
    if (side > kMaxSide) {
      fail(where, start,
           "a side of the universe is too large; 1 to " + std::to_string(kMaxSide) +
               " cells are accepted");
    }
    at++;
  }
  if (at == start)
    fail(where, at, "a universe is spelled :T256,128 or :P256,128; a number was expected");
  if (side == 0) {
    fail(where, start,
         "a side of 0 (infinite) is not supported in a bounded universe; 1 or more is accepted");
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == '*')) {
    fail(where, at,
         "shifted and twisted edges are not supported; plain :T256,128 or :P256,128 is accepted");
  }
  return side;
}

}  // namespace

std::string to_string(const RuleSpec& spec) {
  std::string text = to_string(spec.rule);
  if (!spec.bounded()) return text;
  text += spec.topology == Topology::torus ? ":T" : ":P";
  return text + std::to_string(spec.width) + "," + std::to_string(spec.height);
}

RuleSpec parse_rule_spec(std::string_view text, const std::string& where) {
  RuleSpec spec;
  const std::size_t colon = text.find(':');
  try {
    spec.rule = parse_rule(text.substr(0, colon));
  } catch (const ParseError& error) {
    // "rule:1:COLUMN: message" becomes "WHERE:COLUMN: message".
    const std::string what = error.what();
    const std::string column = error.place().substr(error.place().rfind(':') + 1);
    throw ParseError(where + ":" + column, what.substr(error.place().size() + 2));
  }
  if (colon == std::string_view::npos) {
    if (spec.rule.has_b0()) {
      fail(where, 0,
           "rule " + to_string(spec.rule) +
               " has B0: on the infinite plane everything would come alive at once; bound the "
               "universe, "
               "for example " +
               to_string(spec.rule) + ":T256,256");
    }
    return spec;
  }
  std::size_t at = colon + 1;
  const char kind = at < text.size() ? text[at] : '\0';
  if (kind == 'T' || kind == 't') {
    spec.topology = Topology::torus;
  } else if (kind == 'P' || kind == 'p') {
    spec.topology = Topology::plane;
  } else {
    fail(where, at, "only the universes :T (torus) and :P (plane), as in :T256,128, are supported");
  }
  at++;
  spec.width = spec.height = parse_side(text, at, where);
  if (at < text.size() && text[at] == ',') {
    at++;
    spec.height = parse_side(text, at, where);
  }
  if (at != text.size())
    fail(where, at, "unexpected text after the universe; it ends as in :T256,128");
  return spec;
}

}  // namespace tessera
