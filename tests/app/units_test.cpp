#include "apps/common/units.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/messages.h"

using namespace tessera;
using tessera::test::message_of;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { parse_count("--gens", text, -kMost, kMost); });
}

}  // namespace

TEST_CASE("counts are exact however they are spelled") {
  const std::vector<std::pair<std::string, std::int64_t>> good = {
      {"0", 0},
      {"007", 7},
      {"-5", -5},
      {"10k", 10'000},
      {"10K", 10'000},
      {"2M", 2'000'000},
      {"3G", 3'000'000'000},
      {"4T", 4'000'000'000'000},
      {"1e6", 1'000'000},
      {"1E6", 1'000'000},
      {"1e06", 1'000'000},
      {"1.5e6", 1'500'000},
      {"5.206k", 5206},
      {"12.0", 12},
      {"0e999", 0},
      {"9223372036854775807", kMost},
      {"9223372036854775.807k", kMost},
      {"9.223372036854775807e18", kMost},  // beyond a double's digits
      {"-9.223372036854775807e18", -kMost},
  };
  for (const auto& each : good) {
    CAPTURE(each.first);
    CHECK(parse_count("--gens", each.first, -kMost, kMost) == each.second);
  }
  CHECK(parse_seed("--seed", "18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_seed("--seed", "1e19") == 10'000'000'000'000'000'000u);
}

TEST_CASE("every power of ten is the same with zeros, an exponent and a prefix") {
  std::int64_t power = 1;
  for (int exponent = 0; exponent <= 18; exponent++) {
    if (exponent > 0) power *= 10;  // not past 10^18, after which there is no room
    CAPTURE(exponent);
    CHECK(parse_count("", std::to_string(power), 0, kMost) == power);
    CHECK(parse_count("", fmt::format("1e{}", exponent), 0, kMost) == power);
    CHECK(parse_count("", fmt::format("0.1e{}", exponent + 1), 0, kMost) == power);
    if (power >= 1000) CHECK(parse_count("", fmt::format("{}k", power / 1000), 0, kMost) == power);
  }
}

TEST_CASE("what is no whole number is refused") {
  for (const char* text : {"",      "-",
                           "+1",    " 1",
                           "1 ",    "0x10",
                           "1.5",   "1.2345k",
                           "1e-3",  "1e",
                           "e6",    "k",
                           "1kk",   "1k5",
                           "10m",   "1.",
                           ".",     "1.k",
                           ".5",    "1..5e3",
                           "1e+6",  "1e6k",
                           "1,000", "inf",
                           "nan",   "9223372036854775808",
                           "1e19",  "1e1000",
                           "--1"}) {
    CAPTURE(text);
    CHECK(refusal(text).starts_with(fmt::format("--gens: '{}' is not a whole number from ", text)));
  }
  CHECK_THROWS_AS(parse_seed("--seed", "2e19"), InputError);
  CHECK_THROWS_AS(parse_seed("--seed", "-1"), InputError);
  CHECK_THROWS_AS(parse_count("--threads", "5k", 1, 4096), InputError);
}

TEST_CASE("sizes, rectangles and intervals spell their counts the same way") {
  CHECK(parse_size("--size", "4kx1e3").width == 4000);
  CHECK(parse_size("--size", "4kX1e3").height == 1000);
  CHECK(parse_rect("--view", "-1k,2e3,10x20") == Rect{-1000, 2000, 10, 20});
  CHECK(parse_interval("--checkpoint-every", "10kgens").generations == 10'000);
  CHECK(parse_interval("--checkpoint-every", "2min").seconds == 120.0);
  for (const char* text : {"5", "1.5", "5k", "gens", "0gens", ""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_interval("--checkpoint-every", text), InputError);
  }
}

TEST_CASE("a scale is spelled as it is read") {
  for (const char* text : {"1", "8", "4096", "1/2", "1/32"}) {
    CAPTURE(text);
    CHECK(to_string(parse_scale("--scale", text)) == text);
  }
}

TEST_CASE("a time without a unit is in seconds") {
  CHECK(parse_duration("--max-time", "5") == 5.0);
  CHECK(parse_duration("--max-time", "0.5") == 0.5);
  CHECK(parse_duration("--max-time", "5s") == 5.0);
  CHECK(parse_duration("--max-time", "1.5min") == 90.0);
  for (const char* text : {"", "0", "-5", "5 s", "5k", "s", "1e3"}) {
    CAPTURE(text);
    const std::string message = message_of<InputError>([&] { parse_duration("--max-time", text); });
    CHECK(message.find("5 (seconds)") != std::string::npos);
  }
}
