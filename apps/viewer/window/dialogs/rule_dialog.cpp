#include <fmt/format.h>
#include <imgui.h>

#include <optional>
#include <utility>
#include <vector>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/flow.h"
#include "core/rules/rule_notes.h"

namespace tessera {
namespace {

// What follows the rule in a universe's spelling, ":T512,256", or nothing.
std::string universe_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? "" : text.substr(colon);
}

// A field for rule and universe, and the named rules to choose from.
class RuleDialog : public Dialog {
 public:
  explicit RuleDialog(Workspace& work)
      : Dialog(work, DialogKind::rule, "Rule and universe", 620, 480),
        text_(to_string(work.status.rule)) {}

 private:
  bool content() override {
    hint(
        "Rule: B3/S23, 23/3 or a name; on the CPU also B2-a/S12, B2/S34H, B13/S13V, W110 and MAP. "
        "Universe: :T512,256 is a torus, :P100 a plane with a dead outside, on the CPU also "
        ":K30*,20 "
        "a Klein bottle, :C30,20 a cross-surface, :S30 a sphere; without any, the plane is "
        "infinite.");
    bool done = field("##field", &text_, ImGuiInputTextFlags_AutoSelectAll);
    hint("Named rules");
    ImGui::SetNextItemWidth(-1);
    if (plain_field("##search", &search_, "Search names and descriptions")) done |= take_first();
    work_.places.note("search rules");
    done |= draw_rules();
    done |= button("Apply");
    if (button_beside("Cancel")) dismiss();
    return done;
  }

  // By Enter in the search: the first rule found is put into the field, which then has the
  // keyboard.
  bool take_first() {
    const std::vector<NotedRule>& all = found();
    if (search_.empty() || all.empty()) return false;
    take(all.front());
    return filled_in_ = true;
  }

  // Looked for when the search changes.
  const std::vector<NotedRule>& found() {
    if (found_for_ != search_) {
      found_ = find_rules(search_);
      found_for_ = search_;
    }
    return found_;
  }

  void take(const NotedRule& rule) { text_ = to_string(rule.rule) + universe_of(text_); }

  // A click fills in the field; true when a rule is chosen by a double click, or by Enter.
  bool draw_rules() {
    bool chosen = false;
    const float below = buttons_height({"Apply", "Cancel"}) + 4;
    ImGui::BeginChild("##rules", {0, list_height(below)}, true, ImGuiWindowFlags_NavFlattened);
    for (const NotedRule& rule : found()) {
      if (!draw_rule(rule)) continue;
      take(rule);
      chosen = chosen || ImGui::IsMouseDoubleClicked(0) || !ImGui::IsMouseReleased(0);
    }
    ImGui::EndChild();
    return chosen;
  }

  // Name and description, beside each other where they have room.
  bool draw_rule(const NotedRule& rule) {
    const std::string note = fmt::format("{}  {}", to_string(rule.rule), rule.note);
    const float wide = ImGui::GetContentRegionAvail().x, column = 180 * work_.window.ui_scale();
    const bool aside = wide > 2.2f * column;
    const float left = aside ? column : ImGui::GetTextLineHeight();
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float high = ImGui::CalcTextSize(note.c_str(), nullptr, false, wide - left).y;
    const ImVec2 at = ImGui::GetCursorPos();
    const bool clicked =
        ImGui::Selectable(fmt::format("##{}", rule.name).c_str(), false,
                          ImGuiSelectableFlags_AllowDoubleClick, {0, high + (aside ? 0 : line)});
    work_.places.note(rule.name);
    const ImVec2 next = ImGui::GetCursorPos();
    ImGui::SetCursorPos(at);
    ImGui::TextUnformatted(rule.name);
    ImGui::SetCursorPos({at.x + left, at.y + (aside ? 0 : line)});
    hint(note.c_str());
    ImGui::SetCursorPos(next);
    return clicked;
  }

  bool accept() override {
    if (std::exchange(filled_in_, false)) return false;
    return attempt([rule = text_](Engine& engine) { engine.set_rule(rule); });
  }

  std::string text_;
  std::string search_;
  std::optional<std::string> found_for_;
  std::vector<NotedRule> found_;  // what found_for_ finds
  bool filled_in_ = false;        // by the search, in this frame
};

}  // namespace

std::shared_ptr<Dialog> rule_dialog(Workspace& work) { return std::make_shared<RuleDialog>(work); }

}  // namespace tessera
