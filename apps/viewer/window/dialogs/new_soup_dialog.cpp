#include <fmt/format.h>
#include <imgui.h>

#include "apps/common/units.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/universe_dialog.h"
#include "core/base/error.h"

namespace tessera {
namespace {

// A soup needs edges.
std::string bounded(const RuleSpec& rule) {
  return rule.bounded() ? to_string(rule) : to_string(rule.rule) + ":T1024,1024";
}

class NewSoupDialog : public UniverseDialog {
 public:
  explicit NewSoupDialog(Workspace& work)
      : UniverseDialog(work, DialogKind::new_soup, "New soup", bounded(work.status.rule)),
        density_(fmt::format("{}", work.settings.density)) {}

 private:
  bool more_fields() override {
    ImGui::TextDisabled("Density, 0 to 1");
    bool done = field("##density", &density_);
    ImGui::TextDisabled("Seed");
    done |= field("##seed", &seed_);
    return done;
  }

  void start(const RuleSpec& spec) override {
    if (!spec.bounded())
      throw InputError(
          fmt::format("a soup needs a bounded universe, as in {}:T1024,1024", to_string(spec)));
    const double density = parse_density("density", density_);
    const Soup soup = Soup::of(density, parse_seed("seed", seed_));
    work_.settings.density = density;
    work_.post([spec, soup](Engine& engine) { engine.start_soup(spec, soup); });
  }

  std::string density_;
  std::string seed_ = "1";
};

}  // namespace

std::shared_ptr<Dialog> new_soup_dialog(Workspace& work) {
  return std::make_shared<NewSoupDialog>(work);
}

}  // namespace tessera
