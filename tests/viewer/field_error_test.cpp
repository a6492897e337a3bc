#include <doctest/doctest.h>

#include <string>

#include "apps/viewer/window/field_error.h"
#include "core/rules/rule_spec.h"

using namespace tessera;

TEST_CASE("an error beside a field has no place in a file") {
  for (const char* text : {"B36/S2x", "B9/S", "B3/S23:T1x", "B3/S23:Q5"}) {
    INFO(text);
    std::string whole, shown;
    try {
      parse_rule_spec(text);
    } catch (const Error& error) {
      whole = error.what();
      shown = field_error(error);
    }
    REQUIRE(whole.starts_with("rule:"));
    CHECK(shown.find("rule:") == std::string::npos);
    CHECK(shown.find(":1:") == std::string::npos);
    CHECK(whole.size() > shown.size());
    CHECK(whole.substr(whole.size() - shown.size() + 1) == shown.substr(1));
    CHECK_FALSE((shown[0] >= 'a' && shown[0] <= 'z'));
  }
  CHECK(field_error(InputError("Too large: 5")) == "Too large: 5");
}
