// Windows that ask for something.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "apps/common/units.h"
#include "apps/viewer/window/text_field.h"
#include "apps/viewer/window/viewer.h"
#include "core/base/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void error_line(const std::string& text) {
  if (text.empty()) return;
  ImGui::PushTextWrapPos(0);
  ImGui::TextColored({0.95f, 0.4f, 0.35f, 1}, "%s", text.c_str());
  ImGui::PopTextWrapPos();
}

// Whether a name has a part, upper or lower case.
bool holds(std::string_view name, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return !std::ranges::search(name, part, same).empty() || part.empty();
}

// Folders and files of a folder, in order, folders with a slash.
std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> folders, files;
  std::error_code failed;
  fs::directory_iterator at(folder.empty() ? "." : folder,
                            fs::directory_options::skip_permission_denied, failed),
      end;
  for (; !failed && at != end && files.size() < 2000; at.increment(failed)) {
    std::error_code unknown;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    if (at->is_directory(unknown)) {
      folders.push_back(name + "/");
    } else {
      files.push_back(name);
    }
  }
  folders.emplace_back("../");
  std::ranges::sort(folders);
  std::ranges::sort(files);
  folders.insert(folders.end(), files.begin(), files.end());
  return folders;
}

}  // namespace

void Viewer::open_dialog(Dialog dialog) {
  dialog_ = dialog;
  dialog_new_ = true;
  dialog_error_.clear();
  replaced_.clear();
  const RuleSpec& rule = status_.rule;
  std::error_code failed;
  switch (dialog) {
    case Dialog::open:
    case Dialog::save: {
      const std::string last =
          settings_.recent.empty() ? "" : fs::path(settings_.recent.front()).parent_path().string();
      field_ = (last.empty() ? fs::current_path(failed).string() : last) + "/";
      if (dialog == Dialog::save)
        field_ = status_.path.empty() ? field_ + "pattern.rle" : status_.path;
      break;
    }
    case Dialog::new_universe:
      field_ = to_string(rule);
      break;
    case Dialog::new_soup:
      field_ = rule.bounded() ? to_string(rule) : to_string(rule.rule) + ":T1024,1024";
      field2_ = fmt::format("{}", settings_.density);
      field3_ = std::to_string(1);
      break;
    case Dialog::go_to:
      field_ = std::to_string(status_.generation);
      break;
    case Dialog::rule:
      field_ = to_string(rule);
      break;
    case Dialog::record:
      field_ = (fs::current_path(failed) / "tessera.mp4").string();
      break;
    case Dialog::browser:
      browser_.show_folder(settings_.pattern_folder.empty() ? PatternBrowser::usual_folder()
                                                            : settings_.pattern_folder);
      field_ = browser_.folder();
      field2_.clear();
      break;
    case Dialog::none:
    case Dialog::help:
    case Dialog::quit:
      break;
  }
}

// True while the window is open; End is the caller's then and otherwise done.
bool Viewer::begin_dialog(const char* title, float width, float height) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float scale = window_.ui_scale();
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(width * scale, size.x - 20),
                            height > 0 ? std::min(height * scale, size.y - 20) : 0});
  bool open = true;
  if (dialog_new_) ImGui::SetNextWindowFocus();
  ImGui::Begin(title, &open,
               ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
  if (open) return true;
  ImGui::End();
  dialog_ = Dialog::none;
  return false;
}

// One field and Enter.
void Viewer::draw_line_dialog(const char* title, const char* hint,
                              const std::function<bool()>& accept) {
  if (!begin_dialog(title, 460)) return;
  ImGui::TextDisabled("%s", hint);
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(dialog_new_, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = text_field(
      "##field", &field_, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  error_line(dialog_error_);
  const bool pressed = ImGui::Button("OK", {90 * window_.ui_scale(), 0});
  ImGui::End();
  if (!entered && !pressed) return;
  try {
    if (accept()) dialog_ = Dialog::none;
  } catch (const Error& error) {
    dialog_error_ = error.what();
    dialog_new_ = true;
  }
}

void Viewer::draw_dialogs() {
  switch (dialog_) {
    case Dialog::none:
      break;
    case Dialog::open:
      draw_file_dialog(false);
      break;
    case Dialog::save:
      draw_file_dialog(true);
      break;
    case Dialog::new_universe:
      draw_universe_dialog(false);
      break;
    case Dialog::new_soup:
      draw_universe_dialog(true);
      break;
    case Dialog::go_to:
      draw_line_dialog("Go to generation",
                       "A generation; one that lies behind is reached by way of the start", [this] {
                         const std::int64_t to =
                             parse_count("generation", field_, 0, std::int64_t{1} << 62);
                         post([to](Engine& engine) { engine.go_to(to); });
                         return true;
                       });
      break;
    case Dialog::rule:
      draw_line_dialog(
          "Rule and universe",
          "B3/S23, 23/3, HighLife; :T512,256 a torus, :P100 dead outside, none the infinite plane",
          [this] {
            parse_rule_spec(field_);
            post([text = field_](Engine& engine) { engine.set_rule(text); });
            return true;
          });
      break;
    case Dialog::record:
      draw_line_dialog("Record video",
                       "File: .mp4 .mkv .mov .webm .avi .gif; a frame every step size", [this] {
                         check_video_suffix("recording", field_);
                         record(field_);
                         return true;
                       });
      break;
    case Dialog::browser:
      draw_browser();
      break;
    case Dialog::help:
      draw_help();
      break;
    case Dialog::quit:
      draw_quit();
      break;
  }
}

void Viewer::draw_file_dialog(bool saving) {
  if (!begin_dialog(saving ? "Save as" : "Open", 620, 460)) return;
  ImGui::TextDisabled(
      "%s", saving ? "Pattern .rle .cells .lif (each also .gz), checkpoint .tsr, picture .png"
                   : "Pattern .rle .cells .lif (each also .gz), checkpoint .tsr");
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(dialog_new_, false)) ImGui::SetKeyboardFocusHere();
  bool done = text_field("##field", &field_, ImGuiInputTextFlags_EnterReturnsTrue);
  const fs::path path(field_);
  std::error_code unknown;
  const bool is_folder = fs::is_directory(path, unknown);
  const fs::path folder = is_folder ? path : path.parent_path();
  error_line(dialog_error_);
  ImGui::BeginChild("##files", {0, -ImGui::GetFrameHeightWithSpacing() - 4}, true);
  for (const std::string& entry : entries_of(folder.string())) {
    if (!ImGui::Selectable(entry.c_str(), false, ImGuiSelectableFlags_AllowDoubleClick)) continue;
    field_ = (folder / entry).lexically_normal().string();
    if (!entry.ends_with('/') && ImGui::IsMouseDoubleClicked(0)) done = true;
  }
  ImGui::EndChild();
  done |= ImGui::Button(saving ? "Save" : "Open", {110 * window_.ui_scale(), 0});
  ImGui::End();
  if (!done || fs::is_directory(field_, unknown)) return;
  // Another file than the one that is worked on is replaced when asked twice.
  if (saving && field_ != status_.path && field_ != replaced_ && fs::exists(field_, unknown)) {
    replaced_ = field_;
    dialog_error_ = fmt::format("{} exists; again to replace it", field_);
    dialog_new_ = true;
    return;
  }
  dialog_ = Dialog::none;
  saving ? save_file(field_) : open_file(field_);
}

void Viewer::draw_universe_dialog(bool soup) {
  if (!begin_dialog(soup ? "New soup" : "New universe", 460)) return;
  ImGui::TextDisabled("Rule and universe, such as B3/S23:T1024,1024");
  ImGui::SetNextItemWidth(-1);
  if (std::exchange(dialog_new_, false)) ImGui::SetKeyboardFocusHere();
  bool done = text_field("##rule", &field_,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (soup) {
    ImGui::TextDisabled("Density, 0 to 1");
    ImGui::SetNextItemWidth(-1);
    done |= text_field("##density", &field2_,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    ImGui::TextDisabled("Seed");
    ImGui::SetNextItemWidth(-1);
    done |= text_field("##seed", &field3_,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  }
  error_line(dialog_error_);
  done |= ImGui::Button("Make", {110 * window_.ui_scale(), 0});
  ImGui::End();
  if (!done) return;
  try {
    const RuleSpec spec = parse_rule_spec(field_);
    if (soup) {
      if (!spec.bounded())
        throw InputError(
            fmt::format("a soup needs a bounded universe, as in {}:T1024,1024", to_string(spec)));
      settings_.density = parse_density("density", field2_);
      const Soup random = Soup::of(settings_.density, parse_seed("seed", field3_));
      post([spec, random](Engine& engine) { engine.start_soup(spec, random); });
    } else {
      post([spec](Engine& engine) { engine.start_empty(spec); });
    }
    dialog_ = Dialog::none;
    fit_after();
  } catch (const Error& error) {
    dialog_error_ = error.what();
  }
}

void Viewer::draw_help() {
  if (!begin_dialog("Keys and mouse", 860, 640)) return;
  dialog_new_ = false;
  ImGui::TextWrapped(
      "The wheel zooms about the cursor; the middle button moves the view. With the draw tool the "
      "left "
      "button draws, or erases when it begins on a live cell, and the right button erases.");
  for (const char* menu : {"File", "Edit", "Run", "View", "Help"}) {
    ImGui::Spacing();
    ImGui::TextDisabled("%s", menu);
    if (!ImGui::BeginTable(menu, 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit))
      continue;
    ImGui::TableSetupColumn("action", ImGuiTableColumnFlags_WidthFixed, 180 * window_.ui_scale());
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 150 * window_.ui_scale());
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    for (const ActionInfo& info : actions()) {
      if (std::string_view(info.menu) != menu) continue;
      for (const char* cell : {info.title, info.keys, info.help}) {
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", cell);
      }
    }
    ImGui::EndTable();
  }
  ImGui::End();
}

void Viewer::draw_browser() {
  if (!begin_dialog("Pattern browser", 900, 600)) return;
  ImGui::SetNextItemWidth(-1);
  if (text_field("##folder", &field_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    settings_.pattern_folder = field_;
    browser_.show_folder(field_);
  }
  if (std::exchange(dialog_new_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  text_field("##filter", &field2_, 0, "Part of a name");
  const float wide = ImGui::GetContentRegionAvail().x;
  std::string opened;
  ImGui::BeginChild("##files", {wide * 0.5f, 0}, true);
  for (const std::string& name : browser_.files()) {
    if (!holds(name, field2_)) continue;
    const bool clicked = ImGui::Selectable(name.c_str(), name == browser_.chosen(),
                                           ImGuiSelectableFlags_AllowDoubleClick);
    note_place(name);
    if (!clicked) continue;
    browser_.choose(name);
    if (ImGui::IsMouseDoubleClicked(0)) opened = (fs::path(browser_.folder()) / name).string();
  }
  if (browser_.files().empty())
    ImGui::TextDisabled(browser_.busy() ? "Looking..." : "No patterns here");
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("##card", {0, 0}, true);
  if (const PatternCard* card = browser_.card()) {
    ImGui::TextWrapped("%s", card->title.c_str());
    const DensityImage& image = card->thumbnail;
    if (!image.pixels.empty()) {
      const float zoom = std::max(
          1.0f, std::floor(240.0f / static_cast<float>(std::max(image.width, image.height))));
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const Palette palette = palette_of(settings_.theme, false);
      ImDrawList& list = *ImGui::GetWindowDrawList();
      for (std::int64_t i = 0; i < image.width * image.height; i++) {
        const std::uint8_t grey = image.pixels[static_cast<std::size_t>(i)];
        if (grey == 0) continue;
        const float x = at.x + zoom * static_cast<float>(i % image.width),
                    y = at.y + zoom * static_cast<float>(i / image.width);
        list.AddRectFilled({x, y}, {x + zoom, y + zoom},
                           palette[settings_.theme == Theme::light ? 255 : grey]);
      }
      ImGui::Dummy(
          {zoom * static_cast<float>(image.width), zoom * static_cast<float>(image.height)});
    }
    if (ImGui::Button("Open")) opened = card->path;
    note_place("Open pattern");
    ImGui::Separator();
    for (const std::string& line : card->comments) ImGui::TextWrapped("%s", line.c_str());
  }
  ImGui::EndChild();
  ImGui::End();
  if (opened.empty()) return;
  dialog_ = Dialog::none;
  open_file(opened);
}

void Viewer::draw_quit() {
  if (!begin_dialog("Unsaved edits", 420)) return;
  dialog_new_ = false;
  ImGui::TextWrapped("The edits since the last save would be lost.");
  const auto button = [this](const char* title) {
    const bool pressed = ImGui::Button(title, {120 * window_.ui_scale(), 0});
    note_place(title);
    return pressed;
  };
  const bool save = button("Save...");
  ImGui::SameLine();
  const bool leave = button("Quit anyway");
  ImGui::SameLine();
  const bool stay = button("Stay");
  ImGui::End();
  if (save) open_dialog(Dialog::save);
  if (leave) quit(true);
  if (stay) dialog_ = Dialog::none;
}

}  // namespace tessera
