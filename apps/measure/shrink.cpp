#include "apps/measure/shrink.h"

#include <algorithm>
#include <vector>

#include "core/stepping/backend_spec.h"

namespace tessera {
namespace {

// Smaller values to try instead of one that is at least `low`, boldest first.
std::vector<std::int64_t> smaller(std::int64_t value, std::int64_t low) {
  std::vector<std::int64_t> out;
  for (const std::int64_t candidate :
       {low, value / 4, value / 2, value - value / 4, value - value / 16, value - 1}) {
    if (candidate >= low && candidate < value && (out.empty() || candidate > out.back()))
      out.push_back(candidate);
  }
  return out;
}

// Another size. A sphere stays a square, and a shift what its side allows.
void resize(VerifyCase& trial, std::int64_t width, std::int64_t height) {
  if (!trial.rule.bounded()) {
    RuleSpec& rule = trial.rule;
    if (rule.width != 0) rule.width = width, trial.patch.x = rule.origin().x;
    if (rule.height != 0) rule.height = height, trial.patch.y = rule.origin().y;
    trial.patch.width = width;
    trial.patch.height = height;
    return;
  }
  if (trial.rule.topology == Topology::sphere) width = height = std::min(width, height);
  trial.rule.width = width;
  trial.rule.height = height;
  trial.rule = parse_rule_spec(to_string(trial.rule));
}

// Cases that are one step simpler, boldest first.
std::vector<VerifyCase> simpler(const VerifyCase& trial) {
  std::vector<VerifyCase> out;
  const auto add = [&](auto&& change) {
    VerifyCase next = trial;
    change(next);
    out.push_back(next);
  };
  if (trial.edit) add([](VerifyCase& c) { c.edit.reset(); });
  if (trial.steps.size() > 1) {
    add([&](VerifyCase& c) { c.steps = {trial.generations()}; });
    for (std::size_t i = 0; i < trial.steps.size(); i++) {
      add([&](VerifyCase& c) { c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
  }
  for (std::size_t i = 0; i < trial.steps.size(); i++) {
    for (const std::int64_t n : smaller(trial.steps[i], 0))
      add([&](VerifyCase& c) { c.steps[i] = n; });
  }
  // Edits lie inside the soup's rectangle, which must therefore stay.
  if (!trial.edit) {
    const Rect rect = trial.soup_rect();
    const bool bounded = trial.rule.bounded();
    for (const std::int64_t n : smaller(rect.height, 1)) {
      add([&](VerifyCase& c) { resize(c, rect.width, n); });
    }
    for (const std::int64_t n : smaller(rect.width, 1)) {
      add([&](VerifyCase& c) { resize(c, n, rect.height); });
    }
    if (bounded && !backend_spec(trial.rule).plain_edges()) {
      add([](VerifyCase& c) {
        c.rule.topology = Topology::torus;
        c.rule.seam = {};
      });
    }
    const Cell origin = trial.rule.origin();
    if (!bounded && (rect.x != origin.x || rect.y != origin.y)) {
      add([&](VerifyCase& c) { c.patch.x = origin.x, c.patch.y = origin.y; });
    }
  }
  if (trial.soup.density != 32768) add([](VerifyCase& c) { c.soup.density = 32768; });
  if (trial.soup.seed != 1) add([](VerifyCase& c) { c.soup.seed = 1; });
  return out;
}

}  // namespace

VerifyCase shrink(const VerifyCase& trial, const std::function<bool(const VerifyCase&)>& fails,
                  int attempts) {
  VerifyCase smallest = trial;
  bool found = true;
  while (found) {
    found = false;
    for (const VerifyCase& candidate : simpler(smallest)) {
      if (attempts-- <= 0) return smallest;
      if (!fails(candidate)) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

}  // namespace tessera
