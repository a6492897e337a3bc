#include "apps/viewer/window/action.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "apps/viewer/window/context_menu.h"
#include "apps/viewer/window/menu_bar.h"
#include "core/base/error.h"

using namespace tessera;

TEST_CASE("every action has a name of its own, stands in a menu and does something") {
  std::set<std::string> names, titles;
  for (const Action& action : actions()) {
    INFO(action.name);
    CHECK(names.insert(action.name).second);
    CHECK(titles.insert(action.title).second);  // scripts point at titles
    CHECK(std::ranges::count(kMenus, std::string(action.menu),
                             [](const char* menu) { return std::string(menu); }) == 1);
    CHECK(std::string(action.help) != "");
    CHECK((action.perform != nullptr));
    CHECK(&action_named(action.name) == &action);
  }
  CHECK(names.size() == actions().size());
  CHECK_THROWS_AS(action_named("zoom_in"), InputError);
}

TEST_CASE("every menu has an action") {
  for (const std::string menu : kMenus) {
    CHECK(std::ranges::any_of(actions(), [&](const Action& each) { return each.menu == menu; }));
  }
}

TEST_CASE("every key means one action") {
  for (const Action& action : actions()) {
    INFO(action.name);
    const std::string keys = action.keys;
    // All of them can be read.
    const auto written = keys.empty() ? 0 : std::ranges::count(keys, ' ') + 1;
    CHECK(std::ssize(chords_of(action)) == written);
    for (const Chord& chord : chords_of(action)) CHECK(action_of(chord) == &action);
    CHECK(keys.starts_with(shown_key(action)));
  }
  CHECK(shown_key(action_named("zoom-in")) == "Ctrl++");
  CHECK(action_of({'q'}) == nullptr);
}

TEST_CASE("signs that a keyboard has on shifted keys are found, letters are not") {
  CHECK(action_of({.key = '+', .shift = true}) == &action_named("faster"));
  CHECK(action_of({.key = '+', .ctrl = true, .shift = true}) == &action_named("zoom-in"));
  CHECK(action_of({.key = 'g', .shift = true}) == nullptr);
  CHECK(action_of({.key = 'p', .shift = true}) == &action_named("graph"));
}

TEST_CASE("context menus offer actions that there are, each once, between single lines") {
  for (const bool selection : {false, true}) {
    const auto names = context_actions(selection);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < names.size(); i++) {
      if (names[i]) {
        CHECK_NOTHROW(action_named(names[i]));
        CHECK(seen.insert(names[i]).second);
      } else {
        REQUIRE(i > 0);
        REQUIRE(i + 1 < names.size());
        CHECK(names[i - 1] != nullptr);
      }
    }
  }
}

TEST_CASE("groups of a menu begin with actions that there are, each once, and never at its top") {
  std::set<std::string_view> seen;
  for (const std::string_view name : menu_groups()) {
    INFO(name);
    CHECK(seen.insert(name).second);
    const Action& action = action_named(name);
    const auto first = std::ranges::find_if(
        actions(), [&](const Action& each) { return std::string_view(each.menu) == action.menu; });
    CHECK(&*first != &action);
  }
}
