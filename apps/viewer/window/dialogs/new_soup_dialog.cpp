#include <fmt/format.h>

#include "apps/common/units.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/universe_dialog.h"
#include "apps/viewer/window/flow.h"
#include "core/base/error.h"

namespace tessera {
namespace {

// A soup needs edges.
std::string bounded(const RuleSpec& rule) {
  return rule.bounded() ? to_string(rule) : rules_text(rule) + ":T1024,1024";
}

class NewSoupDialog : public UniverseDialog {
 public:
  explicit NewSoupDialog(Workspace& work)
      : UniverseDialog(work, DialogKind::new_soup, "New soup", bounded(work.status.rule)),
        density_(fmt::format("{}", work.settings.density)) {}

 private:
  bool more_fields() override {
    hint("Density, 0 to 1");
    bool done = field("##density", &density_, ImGuiInputTextFlags_AutoSelectAll);
    hint("Seed");
    done |= field("##seed", &seed_, ImGuiInputTextFlags_AutoSelectAll);
    return done;
  }

  RuleSpec checked(const RuleSpec& spec) const override {
    if (!spec.bounded())
      throw InputError(
          fmt::format("A soup needs a bounded universe, as in {}:T1024,1024", rules_text(spec)));
    return spec;
  }

  Session::Command start(const RuleSpec& spec) override {
    const double density = read(1, [&] { return parse_density("Density", density_); });
    const auto seed = read(2, [&] { return parse_seed("Seed", seed_); });
    const Soup soup = Soup::of(density, seed);
    work_.settings.density = density;
    return [spec, soup](Engine& engine) { engine.start_soup(spec, soup); };
  }

  std::string density_;
  std::string seed_ = "1";
};

}  // namespace

std::shared_ptr<Dialog> new_soup_dialog(Workspace& work) {
  return std::make_shared<NewSoupDialog>(work);
}

}  // namespace tessera
