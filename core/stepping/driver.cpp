#include "core/stepping/driver.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest_word.h"

namespace tessera {

std::string Driver::device_name(int device) const {
  return std::string(name()) + ":" + std::to_string(device);
}

namespace {

// What a kernel cannot step of a spec, or nothing.
std::optional<std::string> refusal(const KernelInfo& info, const BackendSpec& spec) {
  const bool ranged = spec.ranged();
  const bool filed = spec.rule.from_file() || (spec.odd_rule && spec.odd_rule->from_file());
  if (filed && !info.files) return "steps no rules of rule files";
  if (!filed && !info.near && info.files) return "steps only rules of rule files";
  if (ranged && !info.ranges)
    return "steps rules of a cell and its eight neighbours, none of longer range";
  if (!filed && !ranged && !info.near) return "steps only rules of longer range";
  if (!filed && !ranged && !info.any_rule && !spec.rule.outer_totalistic())
    return "steps only rules of two states that count all eight neighbours, as B3/S23 does";
  if (!info.any_edges && !spec.plain_edges()) {
    return "steps tori and bounded planes whose edges are neither shifted nor twisted, and no "
           "other "
           "surfaces";
  }
  if (!info.two_rules && spec.odd_rule) {
    return "steps under one rule, not under two in turns, as B3/S23|B2/S and on the infinite plane "
           "B0 without S8 need";
  }
  return std::nullopt;
}

}  // namespace

std::string Driver::default_kernel(int /*device*/, const BackendSpec& spec) const {
  const std::vector<KernelInfo> all = kernels();
  for (const KernelInfo& info : all) {
    if (!refusal(info, spec)) return info.name;
  }
  return all.front().name;
}

BackendPlan Driver::plan_named(int device, const BackendSpec& spec, const std::string& kernel,
                               const Tuning& tuning) const {
  const std::string wanted = kernel == "auto" ? default_kernel(device, spec) : kernel;
  std::vector<std::string> names;
  for (const KernelInfo& info : kernels()) {
    if (info.name == wanted) {
      if (spec.tiles && !info.tiles) {
        throw UnsupportedError("the kernel " + wanted + " of " + name() + " has no tiles");
      }
      if (const auto why = refusal(info, spec))
        throw UnsupportedError("the kernel " + wanted + " of " + name() + " " + *why);
      check_tuning(info, tuning);
      return plan(device, spec, wanted, tuning);
    }
    names.push_back(info.name);
  }
  throw UnsupportedError(fmt::format("the {} backend has no kernel '{}'{}{}", name(), kernel,
                                     meant_or_accepted(kernel, names), fmt::join(names, ", ")));
}

void Driver::check_tuning(const KernelInfo& kernel, const Tuning& tuning) const {
  if (const auto why = kernel.objection(tuning))
    throw InputError("kernel " + kernel.name + " of the " + name() + " backend: " + *why);
}

std::optional<std::string> Driver::unsupported(int device, const BackendSpec& spec,
                                               const std::string& kernel) const {
  try {
    plan_named(device, spec, kernel, {});
    return std::nullopt;
  } catch (const UnsupportedError& error) {
    return error.what();
  } catch (const DeviceError& error) {
    return error.what();
  }
}

std::unique_ptr<StepBackend> Driver::create(int device, const BackendSpec& spec,
                                            const std::string& kernel, const Tuning& tuning) const {
  return plan_named(device, spec, kernel, tuning)();
}

}  // namespace tessera
