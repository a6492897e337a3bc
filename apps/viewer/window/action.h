#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/viewer/window/chord.h"

namespace tessera {

class Viewer;

/// Menus, from left to right.
inline constexpr const char* kMenus[] = {"File", "Edit", "Run", "View", "Help"};

/// Something that a person can do by key or menu: its name, its place and its function.
struct Action {
  const char* name;   ///< for scripts, "zoom-in"
  const char* menu;   ///< one of kMenus
  const char* title;  ///< what the menu shows, "Zoom in"
  const char*
      keys;  ///< key chords, of which the first is shown: "Ctrl+Shift+Z, Ctrl+Y"; empty for none
  const char* help;  ///< one line
  void (*perform)(Viewer&);
  bool (*checked)(const Viewer&) = nullptr;        ///< has a mark in the menu; null: never
  bool (*enabled)(const Viewer&) = nullptr;        ///< can be chosen in the menu; null: always
  std::string (*titled)(const Viewer&) = nullptr;  ///< title at the moment; null: always `title`
};

/// The only list of actions, in the order of menus: menus, keys, the help panel and the tests are
/// made from it.
std::span<const Action> actions();
/// By name. Throws InputError where none has it.
const Action& action_named(std::string_view name);
/// The action of a key press, or null.
const Action* action_of(const Chord& chord);

/// All chords of an action.
std::vector<Chord> chords_of(const Action& action);
/// The first chord of an action, as menus show it, or empty.
std::string shown_key(const Action& action);

}  // namespace tessera
