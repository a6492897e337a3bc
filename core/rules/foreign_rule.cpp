#include "core/rules/foreign_rule.h"

#include <algorithm>
#include <cctype>

#include "core/base/digits.h"

namespace tessera {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// True for "B2o/S2m34H": LifeViewer's letters o, m and p for the hexagonal neighbourhood.
bool names_hexagonal_arrangements(const std::string& rule) {
  return rule.size() > 2 && rule[0] == 'b' && rule.ends_with('h') &&
         rule.find_first_of("omp") != std::string::npos && consists_of(rule, "bs0123456-/omph");
}

// True for "R1,C2,S4-6,B5,NW010..." and "R2,C2,S2,B3,NL": weights, and triangular cells.
std::string other_range(const std::string& rule) {
  const std::size_t at = rule.rfind(",n");
  if (rule.size() < 3 || rule[0] != 'r' || !is_digit(rule[1]) || at == std::string::npos) return "";
  const std::string shape = rule.substr(at + 2);
  if (shape.starts_with('w') || shape.starts_with('g')) return "a weighted rule";
  return shape.ends_with('l') ? "a triangular rule" : "";
}

// LifeViewer's and Golly's other families by what their names begin or end with.
std::string other_family(const std::string& rule) {
  const bool pairs = rule.starts_with("m0,") || rule.starts_with("ms,d");
  if (pairs || rule.starts_with("margolus")) return "a rule of the Margolus neighbourhood";
  if (rule.starts_with("2pca4")) return "a partitioned rule (PCA)";
  if (rule.ends_with("history")) return "a rule with history";
  if (rule.ends_with("super")) return "a Super rule";
  // "B3/S23L", "B45/S34LE": triangles, and LifeViewer's letters for parts of their neighbourhood.
  const std::size_t at = rule.rfind('l');
  const bool triangular = at != std::string::npos && at > 1 && at + 2 >= rule.size() &&
                          consists_of(rule.substr(0, at), "bsg0123456789,/");
  return triangular ? "a triangular rule" : "";
}

}  // namespace

std::string foreign_rule(std::string_view text) {
  const std::string rule = in_lower_case(text);
  if (const std::string range = other_range(rule); !range.empty()) return range;
  if (names_hexagonal_arrangements(rule)) return "a hexagonal rule with letters";
  return other_family(rule);
}

}  // namespace tessera
