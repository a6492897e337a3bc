#include "apps/viewer/window/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/own_folder.h"
#include "apps/viewer/window/panel_style.h"
#include "apps/viewer/window/viewer.h"
#include "core/base/error.h"
#include "core/png.h"

namespace tessera {
namespace {

constexpr int kPan = 64;  // pixels that an arrow key moves

void save(Viewer& viewer) {
  Workspace& work = viewer.work();
  // A pattern that came with a program is not written over without a question.
  const std::string& path = work.status.path;
  const bool own = !path.empty() && is_own_folder(folder_of(path));
  own ? work.save(path) : viewer.show(save_dialog(work));
}

void screenshot(Viewer& viewer) {
  Workspace& work = viewer.work();
  const std::string path = unused_file(work.settings.folder, ".png");
  viewer.when_drawn([&work, path](const Screenshot& shot) {
    try {
      write_png(path, shot.width, shot.height, shot.pixels);
      work.tell("Saved " + path, false);
    } catch (const Error& error) {
      work.tell(error.what(), true);
    }
  });
}

void record(Viewer& viewer) {
  Workspace& work = viewer.work();
  if (work.status.recording.empty()) {
    viewer.show(record_dialog(work));
  } else {
    work.post([](Engine& engine) { engine.stop_recording(); });
  }
}

std::string title_of_record(const Viewer& viewer) {
  return viewer.work().status.recording.empty() ? "Record video..." : "Stop recording";
}

void paste(Viewer& viewer) {
  if (const auto cells = viewer.clipboard().paste()) viewer.mouse().take_up(cells);
}

void next_paste_mode(Viewer& viewer) {
  PasteMode& mode = viewer.work().settings.paste_mode;
  mode = static_cast<PasteMode>((static_cast<int>(mode) + 1) % 3);
  viewer.work().tell(fmt::format("Paste mode: {}", name_of(mode)), false);
}

void fill(Viewer& viewer) {
  const Soup soup = Soup::of(viewer.work().settings.density, std::random_device{}());
  viewer.work().post([soup](Engine& engine) { engine.document().fill(soup); });
}

CellGrid rotated_left(const CellGrid& cells) { return rotated(rotated(rotated(cells))); }

template <Tool tool>
void use_tool(Viewer& viewer) {
  viewer.mouse().tool = tool;
}

template <Tool tool>
bool has_tool(const Viewer& viewer) {
  return viewer.mouse().tool == tool;
}

void step(Viewer& viewer) {
  viewer.work().post(
      [step = viewer.work().settings.step.generations()](Engine& engine) { engine.step(step); });
}

void next_step_base(Viewer& viewer) {
  const StepSize step = viewer.work().settings.step;
  const int* at = std::ranges::find(StepSize::kBases, step.base);
  const int* next = std::next(at) == std::end(StepSize::kBases) ? StepSize::kBases : at + 1;
  viewer.work().set_step(step.with_base(*next));
}

void change_speed(Workspace& work, int levels) {
  work.set_speed(Speed(work.settings.speed_level + levels));
}

// The next device or kernel, as soon as the drivers have told theirs.
template <class Next>
void use_next(Viewer& viewer, Next next) {
  viewer.work().retry([&viewer, next] {
    if (viewer.devices().lines().empty()) return false;
    const DeviceMenu::Choice choice = (viewer.devices().*next)(viewer.work().status);
    viewer.work().post(
        [choice](Engine& engine) { engine.use_backend(choice.backend, choice.kernel); });
    return true;
  });
}

void zoom(Camera& camera, int levels) {
  camera.zoom(levels, camera.width() / 2, camera.height() / 2);
}

void auto_fit(Viewer& viewer) {
  Workspace& work = viewer.work();
  work.auto_fit = !work.auto_fit;
  if (work.auto_fit) work.fit();
}

template <bool Settings::*setting>
void flip(Viewer& viewer) {
  viewer.work().settings.*setting = !(viewer.work().settings.*setting);
}

template <bool Settings::*setting>
bool is_on(const Viewer& viewer) {
  return viewer.work().settings.*setting;
}

void next_theme(Viewer& viewer) {
  Theme& theme = viewer.work().settings.theme;
  theme = static_cast<Theme>((static_cast<int>(theme) + 1) % kThemes);
  dress_panel(theme, viewer.work().window.ui_scale());
}

void help(Viewer& viewer) {
  viewer.dialog() == DialogKind::help ? viewer.cancel() : viewer.show(help_dialog(viewer.work()));
}

constexpr Action kActions[] = {
    {"new", "File", "New universe...", "Ctrl+N", "Starts an empty universe with a rule and a size",
     [](Viewer& v) { v.show(new_universe_dialog(v.work())); }},
    {"soup", "File", "New soup...", "Ctrl+Shift+N",
     "Starts with random cells: a density, a seed and a size",
     [](Viewer& v) { v.show(new_soup_dialog(v.work())); }},
    {"open", "File", "Open...", "Ctrl+O",
     "Opens a pattern or a checkpoint; dropping a file works too",
     [](Viewer& v) { v.show(open_dialog(v.work())); }},
    {"browse", "File", "Pattern browser", "Ctrl+B",
     "Shows the gallery, Golly's patterns or those of another folder",
     [](Viewer& v) { v.browse(); }},
    {"recover", "File", "Recover unsaved work", "Ctrl+Shift+O",
     "Opens what was kept when a signal ended the viewer", [](Viewer& v) { v.recover(); }, nullptr,
     [](const Viewer& v) { return v.can_recover(); }},
    {"save", "File", "Save", "Ctrl+S", "Saves to the file that was opened or saved last", save},
    {"save-as", "File", "Save as...", "Ctrl+Shift+S",
     "Pattern .rle .mc .cells .lif, checkpoint .tsr, image .png",
     [](Viewer& v) { v.show(save_dialog(v.work())); }},
    {"screenshot", "File", "Screenshot", "F12", "Saves the window as a PNG in your last folder",
     screenshot},
    {"picture", "File", "Save picture...", "Shift+F12",
     "Saves the view as a PNG, in any theme and scale",
     [](Viewer& v) { v.show(picture_dialog(v.work())); }},
    {"record", "File", "Record video...", "Ctrl+F12",
     "Records the view as a video, one frame per step; again to stop", record, nullptr, nullptr,
     title_of_record},
    {"quit", "File", "Quit", "Ctrl+Q", "Asks first if there are unsaved edits",
     [](Viewer& v) { v.quit(false); }},
    {"undo", "Edit", "Undo", "Ctrl+Z", "Reverts edits, selections, runs and newly opened patterns",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.undo(); }); }, nullptr,
     [](const Viewer& v) { return !v.work().status.undo.empty(); },
     [](const Viewer& v) { return "Undo " + v.work().status.undo; }},
    {"redo", "Edit", "Redo", "Ctrl+Shift+Z, Ctrl+Y", "Repeats what was undone",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.redo(); }); }, nullptr,
     [](const Viewer& v) { return !v.work().status.redo.empty(); },
     [](const Viewer& v) { return "Redo " + v.work().status.redo; }},
    {"cut", "Edit", "Cut", "Ctrl+X", "Moves the selection to the clipboard as RLE",
     [](Viewer& v) { v.clipboard().copy(true); }},
    {"copy", "Edit", "Copy", "Ctrl+C", "Copies the selection to the clipboard as RLE",
     [](Viewer& v) { v.clipboard().copy(false); }},
    {"paste", "Edit", "Paste", "Ctrl+V",
     "Cells from the clipboard float until a click or Enter puts them down", paste},
    {"paste-mode", "Edit", "Paste mode", "M",
     "How pasted cells combine with those below: or, xor, replace", next_paste_mode},
    {"clear", "Edit", "Clear selection", "Delete, Backspace", "Kills the selected cells",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.document().clear_selected(); }); }},
    {"clear-outside", "Edit", "Clear outside", "Shift+Delete",
     "Kills all cells outside the selection",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.document().clear_outside(); }); }},
    {"clear-all", "Edit", "Clear all", "Ctrl+Delete", "Kills all cells",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.document().clear_all(); }); }},
    {"fill", "Edit", "Random fill", "Ctrl+5",
     "Fills the selection, or a whole bounded universe, at the fill density", fill},
    {"select-all", "Edit", "Select all", "Ctrl+A", "Selects a bounded universe, or all live cells",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.document().select_all(); }); }},
    {"deselect", "Edit", "Deselect", "Ctrl+D", "Removes the selection",
     [](Viewer& v) {
       v.work().post([](Engine& engine) { engine.document().select(std::nullopt); });
     }},
    {"rotate-right", "Edit", "Rotate clockwise", "R",
     "Rotates the floating cells, or else the selection",
     [](Viewer& v) { v.mouse().transform("Rotate", rotated); }},
    {"rotate-left", "Edit", "Rotate anticlockwise", "Shift+R",
     "Rotates the floating cells, or else the selection",
     [](Viewer& v) { v.mouse().transform("Rotate", rotated_left); }},
    {"flip-x", "Edit", "Flip horizontally", "X", "Flips the floating cells, or else the selection",
     [](Viewer& v) { v.mouse().transform("Flip", flipped_x); }},
    {"flip-y", "Edit", "Flip vertically", "Y", "Flips the floating cells, or else the selection",
     [](Viewer& v) { v.mouse().transform("Flip", flipped_y); }},
    {"draw-tool", "Edit", "Draw", "D",
     "Left button: draws on dead cells, erases from live ones; right button: erases",
     use_tool<Tool::draw>, has_tool<Tool::draw>},
    {"select-tool", "Edit", "Select", "V",
     "Drag to select a rectangle; drag inside it to move its cells", use_tool<Tool::select>,
     has_tool<Tool::select>},
    {"pan-tool", "Edit", "Pan", "H",
     "Drag to move the view; the middle button does so with every tool", use_tool<Tool::pan>,
     has_tool<Tool::pan>},
    {"run", "Run", "Run or pause", "Space", "Runs at the chosen speed",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.run(!engine.running()); }); },
     [](const Viewer& v) { return v.work().status.running; }},
    {"step-one", "Run", "One generation", "S, Tab", "Steps one generation",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.step(1); }); }},
    {"step-back", "Run", "One generation back", "Shift+S", "Goes back along the timeline",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.step_back(); }); }, nullptr,
     [](const Viewer& v) { return v.work().status.generation > v.work().status.start_generation; }},
    {"step", "Run", "Step", "Return", "Steps as many generations as the step size says", step},
    {"step-more", "Run", "Larger steps", "+, =, Shift+=", "Raises the exponent of the step size",
     [](Viewer& v) { v.work().set_step(v.work().settings.step.larger()); }},
    {"step-less", "Run", "Smaller steps", "-", "Lowers the exponent of the step size",
     [](Viewer& v) { v.work().set_step(v.work().settings.step.smaller()); }},
    {"step-base", "Run", "Next step base", "Shift+B", "Steps are powers of 2, 8 or 10",
     next_step_base},
    {"hyperspeed", "Run", "Hyperspeed", "Shift+H",
     "Steps grow while it runs, as long as the simulation keeps up; full speed needs none",
     [](Viewer& v) { v.work().hyperspeed = !v.work().hyperspeed; },
     [](const Viewer& v) { return v.work().hyperspeed; }},
    {"faster", "Run", "Faster", "Shift++, Shift+.",
     "1, 2, 5, 10, ... steps per second, up to full speed",
     [](Viewer& v) { change_speed(v.work(), 1); }},
    {"slower", "Run", "Slower", "Shift+-, Shift+,", "Down to one step per second",
     [](Viewer& v) { change_speed(v.work(), -1); }},
    {"full-speed", "Run", "Full speed", "0", "As fast as possible",
     [](Viewer& v) { v.work().set_speed(Speed()); }},
    {"go-to", "Run", "Go to generation...", "Ctrl+G",
     "Earlier generations are recomputed from the nearest kept state",
     [](Viewer& v) { v.show(go_to_dialog(v.work())); }},
    {"reset", "Run", "Reset", "Ctrl+R",
     "Restores the cells as they were before the first generation",
     [](Viewer& v) { v.work().post([](Engine& engine) { engine.reset(); }); }},
    {"rule", "Run", "Rule and universe...", "Ctrl+U", "Such as B36/S23:T512,256; the cells stay",
     [](Viewer& v) { v.show(rule_dialog(v.work())); }},
    {"next-backend", "Run", "Next backend", "B", "Continues on another device, with the same bits",
     [](Viewer& v) { use_next(v, &DeviceMenu::next_device); }},
    {"next-kernel", "Run", "Next kernel", "K", "Continues with another kernel of the backend",
     [](Viewer& v) { use_next(v, &DeviceMenu::next_kernel); }},
    {"zoom-in", "View", "Zoom in", "Ctrl++, Ctrl+=, PageUp",
     "Up to 64 pixels per cell; the wheel zooms about the cursor",
     [](Viewer& v) { zoom(v.work().camera, 1); }},
    {"zoom-out", "View", "Zoom out", "Ctrl+-, PageDown", "Out to the whole universe",
     [](Viewer& v) { zoom(v.work().camera, -1); }},
    {"zoom-one", "View", "Actual size (1:1)", "1", "One pixel per cell",
     [](Viewer& v) { zoom(v.work().camera, -v.work().camera.level()); }},
    {"fit", "View", "Zoom to fit", "F",
     "Shows all live cells, or the whole universe if there are none",
     [](Viewer& v) { v.work().fit(); }},
    {"auto-fit", "View", "Auto-fit", "Shift+F",
     "Keeps a growing pattern in view until you zoom or pan", auto_fit,
     [](const Viewer& v) { return v.work().auto_fit; }},
    {"fit-selection", "View", "Zoom to selection", "Z", "Shows the selection as large as possible",
     [](Viewer& v) { v.work().fit_selection(); }, nullptr,
     [](const Viewer& v) { return v.work().status.selection.has_value(); }},
    {"centre", "View", "Centre", "C", "Moves the cell (0, 0) to the middle",
     [](Viewer& v) {
       v.work().camera.center_on({0, 0});
     }},
    {"left", "View", "Pan left", "Left", "Moves the view",
     [](Viewer& v) { v.work().camera.pan(kPan, 0); }},
    {"right", "View", "Pan right", "Right", "Moves the view",
     [](Viewer& v) { v.work().camera.pan(-kPan, 0); }},
    {"up", "View", "Pan up", "Up", "Moves the view",
     [](Viewer& v) { v.work().camera.pan(0, kPan); }},
    {"down", "View", "Pan down", "Down", "Moves the view",
     [](Viewer& v) { v.work().camera.pan(0, -kPan); }},
    {"grid", "View", "Grid lines", "G", "Drawn when cells are at least 6 pixels wide",
     flip<&Settings::grid>, is_on<&Settings::grid>},
    {"history", "View", "Age colours", "A",
     "Cells by age, trails of dead ones; every generation counts", flip<&Settings::history>,
     is_on<&Settings::history>},
    {"theme", "View", "Next theme", "T", "Dark, light, phosphor", next_theme},
    {"panel", "View", "Panel", "P", "Shows or hides the panel", flip<&Settings::panel>,
     is_on<&Settings::panel>},
    {"graph", "View", "Population graph", "Shift+P", "Shows or hides the graph",
     flip<&Settings::graph>, is_on<&Settings::graph>},
    {"information", "View", "Pattern information", "I",
     "Shows or hides what the opened file says of its pattern", flip<&Settings::information>,
     is_on<&Settings::information>},
    {"full-screen", "View", "Full screen", "F11", "Enters or leaves full screen",
     [](Viewer& v) { v.work().window.toggle_full_screen(); },
     [](const Viewer& v) { return v.work().window.full_screen(); }},
    {"help", "Help", "Keyboard and mouse", "F1, ?", "Shows this list", help},
    {"cancel", "Help", "Close or cancel", "Escape",
     "Drops floating cells, closes a dialog or removes the selection",
     [](Viewer& v) { v.cancel(); }},
};

const Action* action_with(const Chord& chord) {
  struct Binding {
    Chord chord;
    const Action* action;
  };
  static const std::vector<Binding> kBindings = [] {
    std::vector<Binding> all;
    for (const Action& action : kActions) {
      for (const Chord& each : chords_of(action)) all.push_back({each, &action});
    }
    return all;
  }();
  const auto found = std::ranges::find(kBindings, chord, &Binding::chord);
  return found == kBindings.end() ? nullptr : found->action;
}

}  // namespace

std::span<const Action> actions() { return kActions; }

const Action& action_named(std::string_view name) {
  const auto found =
      std::ranges::find_if(kActions, [&](const Action& action) { return name == action.name; });
  if (found == std::end(kActions)) throw InputError(fmt::format("'{}' is not an action", name));
  return *found;
}

const Action* action_of(const Chord& chord) {
  const Action* action = action_with(chord);
  // Signs that are on shifted keys of some keyboards.
  const bool letter = chord.key >= 'a' && chord.key <= 'z';
  if (!action && chord.shift && chord.key > ' ' && chord.key < 128 && !letter) {
    Chord plain = chord;
    plain.shift = false;
    action = action_with(plain);
  }
  return action;
}

std::vector<Chord> chords_of(const Action& action) {
  std::vector<Chord> chords;
  std::string_view keys = action.keys;
  while (!keys.empty()) {
    const std::size_t comma = keys.find(", ");
    if (const auto chord = parse_chord(keys.substr(0, comma))) chords.push_back(*chord);
    keys = comma == std::string_view::npos ? std::string_view{} : keys.substr(comma + 2);
  }
  return chords;
}

std::string shown_key(const Action& action) {
  const std::string_view keys = action.keys;
  return std::string(keys.substr(0, keys.find(", ")));
}

}  // namespace tessera
