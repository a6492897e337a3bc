#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/patterns/pattern.h"
#include "core/rules/rule_spec.h"

namespace tessera::test {

/// What is known about one generation.
struct Fact {
  std::int64_t generation = 0;
  std::int64_t population = 0;
  std::optional<Bounds> bounds;  ///< nothing when all are dead
  std::string sha256;            ///< of the canonical words, or empty
};

/// A pattern and its evolution, made with independent programs.
struct KnownPattern {
  std::string name;
  RuleSpec rule;
  Pattern pattern;
  std::vector<Fact> facts;  ///< by generation, ascending
  std::int64_t period = 0;  ///< 0: none is claimed
  Cell displacement;        ///< after a period
  std::int64_t verified_until =
      0;  ///< generation up to which two programs agreed on every generation
};

/// A soup of density 0.5 and its evolution.
struct KnownSoup {
  RuleSpec rule;
  std::uint64_t seed = 0;
  std::vector<Fact> facts;
};

/// A state hash.
struct KnownHash {
  RuleSpec rule;
  double density = 0;
  std::uint64_t seed = 0;
  std::int64_t generation = 0;
  std::int64_t population = 0;
  std::string hash;
};

/// The facts of tests/data/oracles.json.
struct Oracles {
  std::vector<KnownPattern> patterns;  ///< on the infinite plane
  std::vector<KnownPattern> bounded;
  std::vector<KnownSoup> soups;
  std::vector<KnownHash> hashes;

  /// The pattern of that name; throws std::out_of_range.
  const KnownPattern& pattern(const std::string& name) const;
};

const Oracles& oracles();

}  // namespace tessera::test
