#include "core/stepping/kernel_info.h"

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const KernelInfo kTiles{"tiles",
                        "steps tiles",
                        {{&Tuning::generations, "generations", "generations per pass", {2, 4, 8}},
                         {&Tuning::rows, "side", "cells along the side of a tile", {32, 64}},
                         {&Tuning::threads, "threads", "threads that share a pass", {}, 1, 16}}};

Tuning with(int Tuning::*member, int value) {
  Tuning tuning;
  tuning.*member = value;
  return tuning;
}

}  // namespace

TEST_CASE("the fields of a tuning are found by name and by member, and written in order") {
  std::string names;
  for (const TuningField& field : tuning_fields()) {
    names += std::string(field.name) + " ";
    CHECK(&tuning_field(field.name) == &tuning_field(field.member));
    CHECK(tuning_field(field.name).member == field.member);
  }
  CHECK(names == "generations rows words group threads ");
  CHECK(to_string(Tuning{4, 8, 0, 0, 3}) == "generations=4 rows=8 threads=3");
  CHECK(to_string(Tuning{}) == "own choice");
  CHECK(message_of<InputError>([] { tuning_field("row"); }) ==
        "a tuning has no field 'row'; it has generations, rows, words, group, threads");
}

TEST_CASE("a kernel tells its parameters and which of them a tuner tries") {
  REQUIRE(kTiles.parameter(&Tuning::rows));
  CHECK(std::string(kTiles.parameter(&Tuning::rows)->name) == "side");
  CHECK_FALSE(kTiles.parameter(&Tuning::words));
  CHECK(kTiles.parameter(&Tuning::rows)->searched());
  CHECK_FALSE(kTiles.parameter(&Tuning::threads)->searched());
  CHECK(kTiles.tunable());
  CHECK_FALSE(KernelInfo{"a", "", {}}.tunable());
  CHECK_FALSE(KernelInfo{"a", "", {kTiles.parameters[2]}}.tunable());
}

TEST_CASE("a kernel accepts its candidates and ranges, and its own choice always") {
  for (const Tuning& tuning :
       {Tuning{}, Tuning{2, 0, 0, 0, 0}, Tuning{8, 64, 0, 0, 16}, Tuning{0, 32, 0, 0, 1}}) {
    CAPTURE(to_string(tuning));
    CHECK(kTiles.objection(tuning).value_or("") == "");
  }
}

TEST_CASE("an objection names the value, its meaning and what is accepted") {
  CHECK(kTiles.objection(with(&Tuning::generations, 3)) ==
        "generations=3 (generations per pass): accepted are 2, 4, 8, or 0 for its own choice");
  CHECK(kTiles.objection(with(&Tuning::rows, -32)) ==
        "rows=-32 (side: cells along the side of a tile): accepted are 32, 64, or 0 for its own "
        "choice");
  for (const int threads : {-1, 17}) {
    CAPTURE(threads);
    CHECK(kTiles.objection(with(&Tuning::threads, threads)) ==
          "threads=" + std::to_string(threads) +
              " (threads that share a pass): accepted are 1 to 16, or 0 for its own choice");
  }
  CHECK(kTiles.objection(with(&Tuning::words, 2)) ==
        "words=2: it has no such parameter; accepted are generations, rows, threads");
  CHECK((KernelInfo{"a", "", {}}).objection(with(&Tuning::words, 2)) ==
        "words=2: it has no such parameter; accepted are none");
  // The first one, in the order of fields.
  CHECK(kTiles.objection(Tuning{3, 3, 3, 3, 33})->rfind("generations=3", 0) == 0);
}
