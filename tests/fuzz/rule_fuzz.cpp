// The parser of rules and universes.

#include <string>

#include "core/base/error.h"
#include "core/rules/rule_spec.h"
#include "properties.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  try {
    const RuleSpec spec = parse_rule_spec(text, fuzz::kName);
    const std::string spelled = to_string(spec);
    fuzz::require(parse_rule_spec(spelled) == spec,
                  "a rule that is spelled and parsed is the same");
    fuzz::require(to_string(parse_rule_spec(spelled)) == spelled, "a spelling is canonical");
    fuzz::require(spec.seam == Seam{} || spec.topology == Topology::shifted_torus ||
                      spec.topology == Topology::klein_bottle,
                  "a seam is one of a shifted torus or a Klein bottle");
    fuzz::require(spec.topology != Topology::sphere || spec.width == spec.height,
                  "a sphere is a square");
    fuzz::require(spec.has_edges() == (spec.width > 0 || spec.height > 0),
                  "universes with edges have a size, and only they");
    fuzz::require(!spec.half_infinite() || spec.topology == Topology::torus ||
                      spec.topology == Topology::plane,
                  "tubes and strips are tori and planes");
    fuzz::require(spec.width <= kMaxSide && spec.height <= kMaxSide, "sides are bounded");
  } catch (const ParseError& error) {
    fuzz::require_message(error.what());
    const std::size_t column = std::stoul(error.place().substr(error.place().rfind(':') + 1));
    fuzz::require(column >= 1 && column <= text.size() + 1,
                  "the column lies in the text or behind it");
  }
  return 0;
}
