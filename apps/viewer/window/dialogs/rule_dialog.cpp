#include <fmt/format.h>
#include <imgui.h>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/text_field.h"
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
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled(
        "Rule: B3/S23, 23/3 or a name. Universe: :T512,256 is a torus, :P100 a plane with a dead "
        "outside; without either, the plane is infinite.");
    ImGui::PopTextWrapPos();
    bool done = field("##field", &text_, ImGuiInputTextFlags_AutoSelectAll);
    ImGui::TextDisabled("Named rules");
    ImGui::SetNextItemWidth(-1);
    text_field("##search", &search_, 0, "Search names and descriptions");
    work_.places.note("search rules");
    done |= draw_rules();
    done |= button("Apply", 110);
    ImGui::SameLine();
    if (button("Cancel", 110)) dismiss();
    return done;
  }

  // A click fills in the field; true when a rule is chosen by a double click.
  bool draw_rules() {
    bool chosen = false;
    ImGui::BeginChild("##rules", {0, -ImGui::GetFrameHeightWithSpacing() - 4}, true,
                      ImGuiWindowFlags_NavFlattened);
    const float scale = work_.window.ui_scale();
    for (const NotedRule& rule : find_rules(search_)) {
      const std::string spelling = to_string(rule.rule);
      const bool clicked = ImGui::Selectable(fmt::format("##{}", rule.name).c_str(), false,
                                             ImGuiSelectableFlags_AllowDoubleClick);
      work_.places.note(rule.name);
      ImGui::SameLine(8 * scale);
      ImGui::TextUnformatted(rule.name);
      ImGui::SameLine(185 * scale);
      ImGui::TextDisabled("%s  %s", spelling.c_str(), rule.note);
      if (!clicked) continue;
      text_ = spelling + universe_of(text_);
      chosen = chosen || ImGui::IsMouseDoubleClicked(0);
    }
    ImGui::EndChild();
    return chosen;
  }

  bool accept() override {
    parse_rule_spec(text_);
    work_.post([rule = text_](Engine& engine) { engine.set_rule(rule); });
    return true;
  }

  std::string text_;
  std::string search_;
};

}  // namespace

std::shared_ptr<Dialog> rule_dialog(Workspace& work) { return std::make_shared<RuleDialog>(work); }

}  // namespace tessera
