#include "apps/viewer/window/chord.h"

#include <SDL_keycode.h>
#include <doctest/doctest.h>

using namespace tessera;

TEST_CASE("keys are read with their modifiers") {
  CHECK(parse_chord("g") == Chord{'g'});
  CHECK(parse_chord("G") == Chord{'g'});
  CHECK(parse_chord("Ctrl+Shift+Z") == Chord{.key = 'z', .ctrl = true, .shift = true});
  CHECK(parse_chord("Alt+F12") == Chord{.key = SDLK_F12, .alt = true});
  CHECK(parse_chord("Ctrl++") == Chord{.key = '+', .ctrl = true});
  CHECK(parse_chord("?") == Chord{.key = '/', .shift = true});
  CHECK(parse_chord("PageUp") == Chord{SDLK_PAGEUP});
}

TEST_CASE("what is no key is none") {
  for (const char* text : {"", "Ctrl+", "F0", "F13", "Foo", "F1x", "return"}) {
    INFO(text);
    CHECK(!parse_chord(text));
  }
}
