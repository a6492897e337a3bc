#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/own_folder.h"
#include "apps/viewer/window/text_field.h"
#include "apps/viewer/window/tooltip.h"

namespace tessera {
namespace {

constexpr ImGuiWindowFlags kNoKeys = ImGuiWindowFlags_NoNav;
constexpr float kMostPixelsPerCell = 12;

// "still-lifes" as "Still lifes"; other folders keep their names.
std::string shown_name(const std::string& folder, bool gallery) {
  if (!gallery) return folder;
  std::string out = folder;
  std::ranges::replace(out, '-', ' ');
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

// Collections with their folders, a card for each pattern with its picture, and what is known of
// the chosen one.
class BrowserDialog : public Dialog {
 public:
  BrowserDialog(Workspace& work, PatternBrowser& browser, Thumbnails& thumbnails)
      : Dialog(work, DialogKind::browser, "Pattern browser", 1000, 700),
        browser_(browser),
        thumbnails_(thumbnails),
        roots_(PatternBrowser::roots()),
        other_(work.settings.pattern_folder) {
    if (!other_.empty()) {
      browser_.show_folder(other_);
    } else if (!roots_.empty()) {
      browser_.show_folder(roots_.front().path);
    }
  }

 private:
  bool content() override;
  bool accept() override;
  void show(const std::string& folder);
  void read_keys();
  void move_by(int cards);
  void find_files();
  void draw_folders();
  void draw_folder(const std::string& folder, const std::string& name);
  void draw_cards();
  void draw_card(const std::string& file, float width, float height);
  void draw_picture(const PatternCard& card, ImVec2 at, float side);
  void draw_chosen();
  void draw_foot();
  float line() const { return ImGui::GetTextLineHeightWithSpacing(); }

  PatternBrowser& browser_;
  Thumbnails& thumbnails_;
  std::vector<PatternRoot> roots_;
  std::string other_;   // folder of the user's own
  std::string inside_;  // folder of the collection, "" for all
  std::string filter_;
  std::vector<std::string> files_;  // that the cards are of
  struct Asked {
    std::string inside, filter;
    std::uint64_t revision;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> found_for_;  // what files_ was found for
  std::vector<std::string> seen_;   // of those, visible in the last frame
  int columns_ = 1;
  bool picked_ = false;   // a card was chosen by key or mouse
  bool follows_ = false;  // the chosen card is to be scrolled to
  bool opens_ = false;
  bool typing_folder_ = false;
};

void BrowserDialog::show(const std::string& folder) {
  browser_.show_folder(folder);
  inside_.clear();
  picked_ = false;
  const bool gallery = !roots_.empty() && folder == roots_.front().path;
  work_.settings.pattern_folder = gallery ? "" : folder;
}

bool BrowserDialog::content() {
  thumbnails_.begin(work_.settings.theme);
  browser_.update(seen_, filter_.empty() ? inside_ : "");
  if (browser_.busy()) work_.redraw();
  find_files();
  opens_ = false;
  // The first one, until somebody chooses: those that turn out to be refused move to the end.
  if (!picked_ || browser_.chosen().empty()) browser_.choose(files_.empty() ? "" : files_.front());
  read_keys();

  focus();
  if (ImGui::IsMouseReleased(0) && !typing_folder_) ImGui::SetKeyboardFocusHere();  // types on
  const float wide = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(wide * 0.4f);
  if (text_field("##filter", &filter_, 0, "Filter...")) picked_ = false;
  work_.places.note("Filter...");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (text_field("##folder", &other_, ImGuiInputTextFlags_EnterReturnsTrue, "Another folder"))
    show(expanded(other_));
  work_.places.note("another folder");
  typing_folder_ = ImGui::IsItemActive();

  const float scale = work_.window.ui_scale();
  // The cards keep a row in a small window, and what is said of the chosen one gets the rest.
  const float foot = ImGui::GetFrameHeightWithSpacing();
  const float row = 130 * scale;
  const float spare = ImGui::GetContentRegionAvail().y - foot - row;
  const float low = foot + (spare < 2 * line() ? 0 : std::min(spare, 5 * line()));
  const float folders = std::min(190 * scale, std::max(wide * 0.3f, wide - 150 * scale));
  ImGui::BeginChild("##folders", {folders, -low}, true,
                    kNoKeys | ImGuiWindowFlags_HorizontalScrollbar);
  draw_folders();
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("##cards", {0, -low}, true, kNoKeys);
  draw_cards();
  ImGui::EndChild();
  if (low > foot) draw_chosen();
  draw_foot();
  const PatternCard* card = browser_.chosen_card();
  return opens_ && card && !card->refused;
}

void BrowserDialog::read_keys() {
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
  if (typing_folder_ || !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) return;
  ImGui::NavMoveRequestCancel();  // these keys choose cards, and the filter keeps the keyboard
  if (pressed(ImGuiKey_RightArrow)) move_by(1);
  if (pressed(ImGuiKey_LeftArrow)) move_by(-1);
  if (pressed(ImGuiKey_DownArrow)) move_by(columns_);
  if (pressed(ImGuiKey_UpArrow)) move_by(-columns_);
  if (pressed(ImGuiKey_PageDown)) move_by(3 * columns_);
  if (pressed(ImGuiKey_PageUp)) move_by(-3 * columns_);
  opens_ = pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter);
}

// Thousands of names are not looked through in every frame.
void BrowserDialog::find_files() {
  const Asked asked{filter_.empty() ? inside_ : "", filter_, browser_.revision()};
  if (found_for_ == asked) return;
  files_ = browser_.files(asked.inside, asked.filter);
  found_for_ = asked;
}

void BrowserDialog::move_by(int cards) {
  if (files_.empty()) return;
  const auto at = std::ranges::find(files_, browser_.chosen());
  const auto most = static_cast<std::ptrdiff_t>(files_.size()) - 1;
  const std::ptrdiff_t now = at == files_.end() ? 0 : at - files_.begin() + cards;
  browser_.choose(files_[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now, 0, most))]);
  follows_ = picked_ = true;
}

void BrowserDialog::draw_folders() {
  for (const PatternRoot& root : roots_) {
    const bool open = root.path == browser_.folder();
    if (ImGui::Selectable(root.title.c_str(), open && inside_.empty())) show(root.path);
    work_.places.note(root.title);
    if (!open) continue;
    for (const std::string& folder : browser_.folders())
      draw_folder(folder, shown_name(folder, &root == &roots_.front()));
  }
  const bool own = std::ranges::find(roots_, browser_.folder(), &PatternRoot::path) == roots_.end();
  if (!own || browser_.folder().empty()) return;
  const std::string name = std::filesystem::path(browser_.folder()).filename().string();
  if (ImGui::Selectable(((name.empty() ? browser_.folder() : name) + "##own").c_str(),
                        inside_.empty())) {
    inside_.clear();
    picked_ = false;
  }
  for (const std::string& folder : browser_.folders()) draw_folder(folder, folder);
}

void BrowserDialog::draw_folder(const std::string& folder, const std::string& name) {
  ImGui::Indent(12 * work_.window.ui_scale());
  if (ImGui::Selectable((name + "##" + folder).c_str(), inside_ == folder)) {
    inside_ = folder;
    filter_.clear();
    picked_ = false;
  }
  work_.places.note(name);
  ImGui::Unindent(12 * work_.window.ui_scale());
}

void BrowserDialog::draw_cards() {
  seen_.clear();
  if (files_.empty()) {
    ImGui::TextDisabled("%s", browser_.listing() ? "Reading the folder..."
                              : filter_.empty()  ? "No patterns in this folder"
                                                 : "No pattern of this name");
    return;
  }
  const float side = 96 * work_.window.ui_scale(), gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = side + 12, height = side + 12 + line();
  columns_ =
      std::max(1, static_cast<int>((ImGui::GetContentRegionAvail().x + gap) / (width + gap)));
  const auto columns = static_cast<std::size_t>(columns_);
  const float row = height + ImGui::GetStyle().ItemSpacing.y;
  if (const auto at = std::ranges::find(files_, browser_.chosen());
      std::exchange(follows_, false) && at != files_.end()) {
    const auto above = static_cast<float>(static_cast<std::size_t>(at - files_.begin()) / columns);
    ImGui::SetScrollFromPosY(ImGui::GetCursorPosY() - ImGui::GetScrollY() + (above + 0.5f) * row);
  }
  // Only rows that are seen are drawn.
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>((files_.size() + columns - 1) / columns), row);
  while (clipper.Step()) {
    const std::size_t first = static_cast<std::size_t>(clipper.DisplayStart) * columns;
    const std::size_t end = static_cast<std::size_t>(clipper.DisplayEnd) * columns;
    for (std::size_t i = first; i < std::min(end, files_.size()); i++) {
      if (i % columns != 0) ImGui::SameLine();
      draw_card(files_[i], width, height);
    }
  }
}

void BrowserDialog::draw_card(const std::string& file, float width, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool chosen = file == browser_.chosen();
  ImGui::PushID(file.c_str());
  if (ImGui::InvisibleButton("##card", {width, height})) {
    browser_.choose(file);
    picked_ = true;
  }
  ImGui::PopID();
  if (!ImGui::IsItemVisible()) return;
  seen_.push_back(file);
  work_.places.note(file);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseDoubleClicked(0)) opens_ = true;
  const PatternCard* card = browser_.card(file);
  const bool refused = card && card->refused;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  if (chosen || hovered)
    list.AddRectFilled(
        at, end,
        ImGui::GetColorU32(chosen ? ImGuiCol_Header : ImGuiCol_HeaderHovered, chosen ? 1.0f : 0.3f),
        4);
  if (card) draw_picture(*card, {at.x + 6, at.y + 6}, width - 12);
  const std::string name = card ? card->name : std::filesystem::path(file).stem().string();
  ImGui::PushStyleColor(ImGuiCol_Text,
                        ImGui::GetColorU32(refused ? ImGuiCol_TextDisabled : ImGuiCol_Text));
  const float right = end.x - 2;
  ImGui::RenderTextEllipsis(&list, {at.x + 6, end.y - line()}, {right, end.y}, right, right,
                            name.c_str(), nullptr, nullptr);
  ImGui::PopStyleColor();
  if (hovered && card) show_tooltip(work_, card->title);
}

// In the middle of a square, with whole window units per cell where that is possible.
void BrowserDialog::draw_picture(const PatternCard& card, ImVec2 at, float side) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme theme = work_.settings.theme;
  list.AddRectFilled(
      at, {at.x + side, at.y + side},
      card.refused ? ImGui::GetColorU32(ImGuiCol_FrameBg, 0.4f) : colours_of(theme).dead);
  const DensityImage& image = card.thumbnail;
  if (image.pixels.empty()) {
    list.PushClipRect(at, {at.x + side, at.y + side}, true);
    list.AddText(ImGui::GetFont(), ImGui::GetFontSize() * 0.8f, {at.x + 4, at.y + 4},
                 ImGui::GetColorU32(ImGuiCol_TextDisabled),
                 card.refused ? card.title.c_str() : "no preview", nullptr, side - 8);
    list.PopClipRect();
    return;
  }
  const float cells = static_cast<float>(std::max(image.width, image.height));
  float zoom = side / (cells + 1);
  if (zoom > 1) zoom = std::min(std::floor(zoom), kMostPixelsPerCell);
  const ImVec2 size{zoom * static_cast<float>(image.width),
                    zoom * static_cast<float>(image.height)};
  const ImVec2 low{std::floor(at.x + (side - size.x) / 2), std::floor(at.y + (side - size.y) / 2)};
  list.AddImage(thumbnails_.texture(card.path, image), low, {low.x + size.x, low.y + size.y});
}

void BrowserDialog::draw_chosen() {
  const PatternCard* card = browser_.chosen_card();
  ImGui::BeginChild("##chosen", {0, -ImGui::GetFrameHeightWithSpacing()}, true, kNoKeys);
  if (card) {
    ImGui::TextWrapped("%s", card->title.c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    for (const std::string& each : card->comments) ImGui::TextWrapped("%s", each.c_str());
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
}

void BrowserDialog::draw_foot() {
  const PatternCard* card = browser_.chosen_card();
  if (card && card->refused) {
    ImGui::TextDisabled("This file cannot be opened");
  } else {
    if (button("Open")) opens_ = true;
    work_.places.note("Open pattern");
  }
  ImGui::SameLine();
  ImGui::Checkbox("Show at the start", &work_.settings.gallery);
  work_.places.note("Show at the start");
}

bool BrowserDialog::accept() {
  work_.open(browser_.chosen_path());
  return true;
}

}  // namespace

std::shared_ptr<Dialog> browser_dialog(Workspace& work, PatternBrowser& browser,
                                       Thumbnails& thumbnails) {
  return std::make_shared<BrowserDialog>(work, browser, thumbnails);
}

}  // namespace tessera
