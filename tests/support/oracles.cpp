#include "tests/support/oracles.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/pattern_io.h"

namespace tessera::test {

namespace {

using Json = nlohmann::json;

std::vector<Fact> facts_of(const Json& json) {
  std::vector<Fact> facts;
  for (const auto& [generation, values] : json.items()) {
    Fact fact;
    fact.generation = std::stoll(generation);
    fact.population = values.at("pop").get<std::int64_t>();
    if (const Json& box = values.at("bbox"); !box.is_null()) {
      fact.bounds = Bounds{box.at(0), box.at(1), box.at(2), box.at(3)};
    }
    fact.sha256 = values.value("sha256", "");
    facts.push_back(fact);
  }
  std::sort(facts.begin(), facts.end(),
            [](const Fact& a, const Fact& b) { return a.generation < b.generation; });
  return facts;
}

KnownPattern pattern_of(const Json& json) {
  KnownPattern known;
  known.name = json.at("name");
  known.rule = parse_rule_spec(json.at("rule").get<std::string>());
  known.pattern = parse_pattern(json.at("rle").get<std::string>(), known.name + ".rle");
  if (json.contains("pos"))
    known.pattern.position = Cell{json.at("pos").at(0), json.at("pos").at(1)};
  known.facts = facts_of(json.at("facts"));
  if (json.contains("period")) {
    known.period = json.at("period");
    known.displacement = {json.at("displacement").at(0), json.at("displacement").at(1)};
  }
  known.verified_until = json.value("own_sim_verified_to_gen", std::int64_t{0});
  return known;
}

Oracles load() {
  const char* elsewhere = std::getenv("TESSERA_TEST_DATA");  // where the sources are not at hand
  const std::string path = std::string(elsewhere ? elsewhere : TESSERA_TEST_DATA) + "/oracles.json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  const Json json = Json::parse(file);
  Oracles all;
  for (const Json& item : json.at("patterns")) all.patterns.push_back(pattern_of(item));
  for (const Json& item : json.at("bounded")) all.bounded.push_back(pattern_of(item));
  for (const Json& item : json.at("soups")) {
    all.soups.push_back({parse_rule_spec(item.at("rule").get<std::string>()), item.at("seed"),
                         facts_of(item.at("facts"))});
  }
  for (const Json& item : json.at("hash_vectors")) {
    all.hashes.push_back({parse_rule_spec(item.at("rule").get<std::string>()), item.at("density"),
                          item.at("seed"), item.at("generation"), item.at("population"),
                          item.at("hash")});
  }
  return all;
}

}  // namespace

const KnownPattern& Oracles::pattern(const std::string& name) const {
  for (const KnownPattern& known : patterns) {
    if (known.name == name) return known;
  }
  throw std::out_of_range("no known pattern is called " + name);
}

const Oracles& oracles() {
  static const Oracles all = load();
  return all;
}

}  // namespace tessera::test
