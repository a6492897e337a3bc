#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Everything a person can do by key or menu.
enum class Action : int {
  new_universe,
  new_soup,
  open,
  browse,
  save,
  save_as,
  reset,
  screenshot,
  record,
  quit,
  undo,
  redo,
  cut,
  copy,
  paste,
  clear,
  clear_outside,
  clear_all,
  select_all,
  deselect,
  fill,
  rotate_right,
  rotate_left,
  flip_x,
  flip_y,
  paste_mode,
  tool_draw,
  tool_select,
  tool_pan,
  run,
  step,
  step_one,
  step_more,
  step_less,
  faster,
  slower,
  full_speed,
  go_to,
  rule,
  next_backend,
  next_kernel,
  zoom_in,
  zoom_out,
  zoom_one,
  fit,
  left,
  right,
  up,
  down,
  centre,
  grid,
  history,
  theme,
  panel,
  graph,
  full_screen,
  help,
  cancel,
};

/// Where an action is found, and how it is called. The only list of actions: menus, keys, the help
/// panel and the tests are made from it.
struct ActionInfo {
  Action action;
  const char* name;   ///< for scripts, "zoom-in"
  const char* menu;   ///< menu it stands in: "File", "Edit", "Run", "View", "Help"
  const char* title;  ///< what the menu shows, "Zoom in"
  const char* keys;   ///< key chords, the first one shown: "Ctrl+Shift+Z, Ctrl+Y"; empty for none
  const char* help;   ///< one line
};

/// All actions, in the order of menus.
std::span<const ActionInfo> actions();
const ActionInfo& info_of(Action action);
/// By script name.
std::optional<Action> action_named(std::string_view name);

/// A key with its modifiers.
struct Chord {
  std::int32_t key = 0;  ///< SDL_Keycode; letters lower case
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const Chord&) const = default;
};

/// "Ctrl+Shift+Z", "Space", "F5", "+"; nothing for a key that has no such name.
std::optional<Chord> parse_chord(std::string_view text);
/// The first chord of an action, or empty.
std::string shown_key(const ActionInfo& info);
/// The action of a chord.
std::optional<Action> action_of(const Chord& chord);

}  // namespace tessera
