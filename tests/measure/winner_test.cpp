#include "apps/measure/winner.h"

#include <doctest/doctest.h>

using tessera::winner_sentence;

TEST_CASE("the winner is named, and how far behind the next is") {
  CHECK(winner_sentence({{"b", 2e-6}, {"a", 1e-6}}, "") == "a is fastest, 2 times as fast as b");
  CHECK(winner_sentence({{"c", 9e-6}, {"b", 3e-6}, {"a", 2e-6}}, "") ==
        "a is fastest, 1.5 times as fast as b");
  CHECK(winner_sentence({{"a", 1e-9}, {"b", 1.2345e-3}}, "") ==
        "a is fastest, 1234500 times as fast as b");
}

TEST_CASE("who is alone has beaten nobody") {
  CHECK(winner_sentence({}, "") == "");
  CHECK(winner_sentence({{"a", 1}}, "") == "");
  CHECK(winner_sentence({{"peer", 1}}, "peer") == "");
  CHECK(winner_sentence({{"a", 0}, {"b", 1}}, "") == "");
}

TEST_CASE("a tie has no winner") {
  CHECK(winner_sentence({{"b", 1.004}, {"a", 1}}, "") == "a and b are equally fast");
  CHECK(winner_sentence({{"a", 1}, {"b", 1.006}}, "") == "a is fastest, 1.01 times as fast as b");
  CHECK(winner_sentence({{"a", 1}, {"b", 1}, {"c", 4}}, "") ==
        "a and b are equally fast, 4 times as fast as c");
  CHECK(winner_sentence({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 3}}, "") ==
        "a, b and c are all equally fast, 3 times as fast as d");
}

TEST_CASE("the peer takes part, and is told of where it is further behind") {
  CHECK(winner_sentence({{"a", 3}, {"b", 12}, {"peer", 1}}, "peer") ==
        "peer is fastest, 3 times as fast as a");
  CHECK(winner_sentence({{"a", 1}, {"peer", 2}, {"b", 3}}, "peer") ==
        "a is fastest, 2 times as fast as peer");
  CHECK(winner_sentence({{"a", 1}, {"b", 2}, {"peer", 12}}, "peer") ==
        "a is fastest, 2 times as fast as b and 12 times as fast as peer");
  CHECK(winner_sentence({{"a", 1}, {"peer", 1}, {"b", 2}}, "peer") ==
        "a and peer are equally fast, 2 times as fast as b");
  CHECK(winner_sentence({{"a", 1}, {"b", 2}, {"c", 3}}, "") ==
        "a is fastest, 2 times as fast as b");
}
