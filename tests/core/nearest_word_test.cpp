#include "core/base/nearest_word.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tessera::did_you_mean;
using tessera::meant_or_accepted;
using tessera::nearest_word;

TEST_CASE("the nearest word is found, and none where all are far") {
  const std::vector<std::string> options = {"--gens", "--seed", "--size", "--stats", "--space"};
  CHECK(nearest_word("--gen", options) == "--gens");    // one letter is missing
  CHECK(nearest_word("--gesn", options) == "--gens");   // two are swapped
  CHECK(nearest_word("--sise", options) == "--size");   // another letter
  CHECK(nearest_word("--SEEDS", options) == "--seed");  // one too many, in capitals
  CHECK(nearest_word("--st", options) == "--stats");    // begun
  CHECK(nearest_word("--frobnicate", options).empty());
  CHECK(nearest_word("", options).empty());
  CHECK(nearest_word("--gens", {}).empty());
  CHECK(nearest_word(std::string(1000, '-'), options).empty());
}

TEST_CASE("of words that are equally near, one that begins alike is meant") {
  const std::vector<std::string> names = {"Life", "HighLife", "DryLife"};
  CHECK(nearest_word("HiLife", names) == "HighLife");
  CHECK(nearest_word("lief", names) == "Life");
  CHECK(nearest_word("drylfe", names) == "DryLife");
}

TEST_CASE("short words are not forced together") {
  const std::vector<std::string> names = {"run", "info", "2x2"};
  CHECK(nearest_word("rnu", names) == "run");
  CHECK(nearest_word("xyz", names).empty());
  CHECK(nearest_word("B3", names).empty());
}

TEST_CASE("a message about an unknown word goes on with the nearest one, or with all") {
  const std::vector<std::string> names = {"run", "info"};
  CHECK(did_you_mean("inof", names) == "; did you mean info?");
  CHECK(did_you_mean("frobnicate", names).empty());
  CHECK(meant_or_accepted("inof", names) == "; did you mean info? Accepted are ");
  CHECK(meant_or_accepted("frobnicate", names) == "; accepted are ");
}
