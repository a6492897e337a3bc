#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/text_field.h"

namespace tessera {
namespace {

// Whether a name contains a part, in upper or lower case.
bool holds(std::string_view name, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return part.empty() ||
         std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

// Each pixel as a square of so many window units.
void draw_thumbnail(const DensityImage& image, Theme theme) {
  if (image.pixels.empty()) return;
  const float zoom =
      std::max(1.0f, std::floor(240.0f / static_cast<float>(std::max(image.width, image.height))));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Palette palette = palette_of(theme, false);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::int64_t i = 0; i < image.width * image.height; i++) {
    const std::uint8_t grey = image.pixels[static_cast<std::size_t>(i)];
    if (grey == 0) continue;
    const float x = at.x + zoom * static_cast<float>(i % image.width),
                y = at.y + zoom * static_cast<float>(i / image.width);
    list.AddRectFilled({x, y}, {x + zoom, y + zoom}, palette[theme == Theme::light ? 255 : grey]);
  }
  ImGui::Dummy({zoom * static_cast<float>(image.width), zoom * static_cast<float>(image.height)});
}

// A folder, the patterns below it, and what the chosen one looks like.
class BrowserDialog : public Dialog {
 public:
  BrowserDialog(Workspace& work, PatternBrowser& browser)
      : Dialog(work, DialogKind::browser, "Pattern browser", 900, 600), browser_(browser) {
    browser_.show_folder(work.settings.pattern_folder.empty() ? PatternBrowser::usual_folder()
                                                              : work.settings.pattern_folder);
    folder_ = browser_.folder();
  }

 private:
  bool content() override;
  bool accept() override;
  void draw_files();
  void draw_card();

  PatternBrowser& browser_;
  std::string folder_;
  std::string filter_;
  std::string opened_;  // path of the pattern to open
};

bool BrowserDialog::content() {
  ImGui::SetNextItemWidth(-1);
  if (text_field("##folder", &folder_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    work_.settings.pattern_folder = folder_;
    browser_.show_folder(folder_);
  }
  focus();
  ImGui::SetNextItemWidth(-1);
  text_field("##filter", &filter_, 0, "Filter");
  const float wide = ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("##files", {wide * 0.5f, 0}, true);
  draw_files();
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("##card", {0, 0}, true);
  draw_card();
  ImGui::EndChild();
  return !opened_.empty();
}

void BrowserDialog::draw_files() {
  for (const std::string& name : browser_.files()) {
    if (!holds(name, filter_)) continue;
    const bool clicked = ImGui::Selectable(name.c_str(), name == browser_.chosen(),
                                           ImGuiSelectableFlags_AllowDoubleClick);
    work_.places.note(name);
    if (!clicked) continue;
    browser_.choose(name);
    if (ImGui::IsMouseDoubleClicked(0))
      opened_ = (std::filesystem::path(browser_.folder()) / name).string();
  }
  if (browser_.files().empty())
    ImGui::TextDisabled(browser_.busy() ? "Reading the folder..." : "No patterns in this folder");
}

void BrowserDialog::draw_card() {
  const PatternCard* card = browser_.card();
  if (!card) return;
  ImGui::TextWrapped("%s", card->title.c_str());
  draw_thumbnail(card->thumbnail, work_.settings.theme);
  if (ImGui::Button("Open")) opened_ = card->path;
  work_.places.note("Open pattern");
  ImGui::Separator();
  for (const std::string& line : card->comments) ImGui::TextWrapped("%s", line.c_str());
}

bool BrowserDialog::accept() {
  work_.open(opened_);
  return true;
}

}  // namespace

std::shared_ptr<Dialog> browser_dialog(Workspace& work, PatternBrowser& browser) {
  return std::make_shared<BrowserDialog>(work, browser);
}

}  // namespace tessera
