#include "apps/viewer/window/actions.h"

#include <SDL_keycode.h>

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

constexpr ActionInfo kActions[] = {
    {Action::new_universe, "new", "File", "New universe...", "Ctrl+N",
     "An empty universe of a rule and size"},
    {Action::new_soup, "soup", "File", "New soup...", "Ctrl+Shift+N",
     "Random cells of a density, seed and size"},
    {Action::open, "open", "File", "Open...", "Ctrl+O",
     "A pattern or checkpoint; dropping a file does it, too"},
    {Action::browse, "browse", "File", "Pattern browser", "Ctrl+B",
     "Patterns of a folder, with pictures"},
    {Action::save, "save", "File", "Save", "Ctrl+S", "To the file that was opened or saved last"},
    {Action::save_as, "save-as", "File", "Save as...", "Ctrl+Shift+S",
     "Pattern .rle .cells .lif, checkpoint .tsr, picture .png"},
    {Action::screenshot, "screenshot", "File", "Screenshot", "F12",
     "The window as a PNG, into the current folder"},
    {Action::record, "record", "File", "Record video", "Ctrl+F12",
     "What is seen, every generation, as a video; again to stop"},
    {Action::quit, "quit", "File", "Quit", "Ctrl+Q", "Asks when there are unsaved edits"},
    {Action::undo, "undo", "Edit", "Undo", "Ctrl+Z",
     "Takes back edits, selections, runs and new starts"},
    {Action::redo, "redo", "Edit", "Redo", "Ctrl+Shift+Z, Ctrl+Y", "Does again what was undone"},
    {Action::cut, "cut", "Edit", "Cut", "Ctrl+X", "The selection, to the clipboard as RLE"},
    {Action::copy, "copy", "Edit", "Copy", "Ctrl+C", "The selection, to the clipboard as RLE"},
    {Action::paste, "paste", "Edit", "Paste", "Ctrl+V",
     "Cells from the clipboard; they float until a click or Enter puts them down"},
    {Action::paste_mode, "paste-mode", "Edit", "Paste mode", "M", "or, xor, replace"},
    {Action::clear, "clear", "Edit", "Clear selection", "Delete, Backspace",
     "Kills the selected cells"},
    {Action::clear_outside, "clear-outside", "Edit", "Clear outside", "Shift+Delete",
     "Kills all cells that are not selected"},
    {Action::clear_all, "clear-all", "Edit", "Clear all", "Ctrl+Delete", "Kills all cells"},
    {Action::fill, "fill", "Edit", "Fill at random", "Ctrl+5",
     "The selection, or all of a bounded universe, at the panel's density"},
    {Action::select_all, "select-all", "Edit", "Select all", "Ctrl+A",
     "A bounded universe, or all live cells"},
    {Action::deselect, "deselect", "Edit", "Select nothing", "Ctrl+D", "Takes the selection away"},
    {Action::rotate_right, "rotate-right", "Edit", "Turn right", "R",
     "The floating cells, or the selection"},
    {Action::rotate_left, "rotate-left", "Edit", "Turn left", "Shift+R",
     "The floating cells, or the selection"},
    {Action::flip_x, "flip-x", "Edit", "Flip left and right", "X",
     "The floating cells, or the selection"},
    {Action::flip_y, "flip-y", "Edit", "Flip top and bottom", "Y",
     "The floating cells, or the selection"},
    {Action::tool_draw, "draw-tool", "Edit", "Draw", "D",
     "Left button draws from a dead cell and erases from a live one; right button erases"},
    {Action::tool_select, "select-tool", "Edit", "Select", "V",
     "Drag a rectangle; dragging inside it moves its cells"},
    {Action::tool_pan, "pan-tool", "Edit", "Move the view", "H",
     "Dragging moves the view; so does the middle button with every tool"},
    {Action::run, "run", "Run", "Run or pause", "Space", "Runs at the chosen speed"},
    {Action::step_one, "step-one", "Run", "One generation", "S, Tab", "Steps one generation"},
    {Action::step, "step", "Run", "Step", "Return", "As many generations as the step size says"},
    {Action::step_more, "step-more", "Run", "Larger steps", "]", "Step size: 1, 2, 5, 10, ..."},
    {Action::step_less, "step-less", "Run", "Smaller steps", "[", "Step size: ..., 10, 5, 2, 1"},
    {Action::faster, "faster", "Run", "Faster",
     "+, =", "1, 2, 5, 10, ... generations a second, up to all the machine can"},
    {Action::slower, "slower", "Run", "Slower", "-", "Down to a generation a second"},
    {Action::full_speed, "full-speed", "Run", "Full speed", "0", "As fast as the machine can"},
    {Action::go_to, "go-to", "Run", "Go to generation...", "Ctrl+G",
     "Onwards, or back by way of the start"},
    {Action::reset, "reset", "Run", "Back to the start", "Ctrl+R",
     "The cells as they were before the first generation"},
    {Action::rule, "rule", "Run", "Rule and universe...", "Ctrl+U",
     "As B36/S23:T512,256; the cells stay"},
    {Action::next_backend, "next-backend", "Run", "Next backend", "B",
     "Another device steps on, with the same bits"},
    {Action::next_kernel, "next-kernel", "Run", "Next kernel", "K",
     "Another kernel of the backend"},
    {Action::zoom_in, "zoom-in", "View", "Zoom in", "Ctrl++, Ctrl+=, PageUp",
     "To 64 pixels a cell; the wheel zooms about the cursor"},
    {Action::zoom_out, "zoom-out", "View", "Zoom out", "Ctrl+-, PageDown", "To the whole universe"},
    {Action::zoom_one, "zoom-one", "View", "A pixel a cell", "1", "Neither zoomed in nor out"},
    {Action::fit, "fit", "View", "Fit", "F",
     "Shows all live cells, or the whole universe when there are none"},
    {Action::centre, "centre", "View", "Centre", "C", "The cell (0, 0) in the middle"},
    {Action::left, "left", "View", "Left", "Left", "Moves the view"},
    {Action::right, "right", "View", "Right", "Right", "Moves the view"},
    {Action::up, "up", "View", "Up", "Up", "Moves the view"},
    {Action::down, "down", "View", "Down", "Down", "Moves the view"},
    {Action::grid, "grid", "View", "Grid lines", "G", "Between cells of 6 pixels and more"},
    {Action::history, "history", "View", "Colours of age", "A",
     "Cells by age, trails of dead ones; looks at every generation"},
    {Action::theme, "theme", "View", "Next theme", "T", "Dark, light, phosphor"},
    {Action::panel, "panel", "View", "Panel", "P", "Shows or hides the panel"},
    {Action::graph, "graph", "View", "Population graph", "Shift+P", "Shows or hides the graph"},
    {Action::full_screen, "full-screen", "View", "Full screen", "F11", "And back"},
    {Action::help, "help", "Help", "Keys and mouse", "F1, ?", "This list"},
    {Action::cancel, "cancel", "Help", "Close or cancel", "Escape",
     "Drops floating cells, closes a window, or selects nothing"},
};

struct KeyName {
  const char* name;
  std::int32_t key;
};
constexpr KeyName kKeyNames[] = {
    {"Space", SDLK_SPACE},   {"Tab", SDLK_TAB},       {"Return", SDLK_RETURN},
    {"Escape", SDLK_ESCAPE}, {"Delete", SDLK_DELETE}, {"Backspace", SDLK_BACKSPACE},
    {"Left", SDLK_LEFT},     {"Right", SDLK_RIGHT},   {"Up", SDLK_UP},
    {"Down", SDLK_DOWN},     {"PageUp", SDLK_PAGEUP}, {"PageDown", SDLK_PAGEDOWN},
    {"Home", SDLK_HOME},     {"End", SDLK_END},
};

struct Binding {
  Chord chord;
  Action action;
};

std::vector<Binding> make_bindings() {
  std::vector<Binding> all;
  for (const ActionInfo& info : kActions) {
    std::string_view keys = info.keys;
    while (!keys.empty()) {
      const std::size_t comma = keys.find(", ");
      const auto chord = parse_chord(keys.substr(0, comma));
      if (chord) all.push_back({*chord, info.action});
      keys = comma == std::string_view::npos ? std::string_view{} : keys.substr(comma + 2);
    }
  }
  return all;
}

}  // namespace

std::span<const ActionInfo> actions() { return kActions; }

const ActionInfo& info_of(Action action) {
  return *std::ranges::find(kActions, action, &ActionInfo::action);
}

std::optional<Action> action_named(std::string_view name) {
  const auto found =
      std::ranges::find_if(kActions, [&](const ActionInfo& i) { return name == i.name; });
  return found == std::end(kActions) ? std::nullopt : std::optional(found->action);
}

std::optional<Chord> parse_chord(std::string_view text) {
  Chord chord;
  for (const auto& [prefix, flag] :
       {std::pair{"Ctrl+", &chord.ctrl}, {"Shift+", &chord.shift}, {"Alt+", &chord.alt}}) {
    const std::string_view name = prefix;
    if (text.size() > name.size() && text.starts_with(name)) {
      *flag = true;
      text.remove_prefix(name.size());
    }
  }
  if (text.size() == 1) {
    char c = text[0];
    if (c == '?') {
      chord.shift = true;
      c = '/';
    }
    chord.key = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    return chord;
  }
  for (const KeyName& each : kKeyNames) {
    if (text == each.name) {
      chord.key = each.key;
      return chord;
    }
  }
  if (text.size() >= 2 && text[0] == 'F' &&
      text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
    const int number = std::stoi(std::string(text.substr(1)));
    if (number < 1 || number > 12) return std::nullopt;
    chord.key = SDLK_F1 + number - 1;
    return chord;
  }
  return std::nullopt;
}

std::string shown_key(const ActionInfo& info) {
  const std::string_view keys = info.keys;
  return std::string(keys.substr(0, keys.find(", ")));
}

std::optional<Action> action_of(const Chord& chord) {
  static const std::vector<Binding> kBindings = make_bindings();
  for (const Binding& each : kBindings) {
    if (each.chord == chord) return each.action;
  }
  // Signs that some keyboards have on shifted keys.
  if (chord.shift && chord.key < 128 && !(chord.key >= 'a' && chord.key <= 'z') &&
      chord.key > ' ') {
    Chord plain = chord;
    plain.shift = false;
    for (const Binding& each : kBindings) {
      if (each.chord == plain) return each.action;
    }
  }
  return std::nullopt;
}

}  // namespace tessera
