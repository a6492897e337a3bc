#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stepping/tuning.h"

namespace tessera {

/// A parameter of a kernel: which member of Tuning holds it, what it means to this kernel, and the
/// values that the kernel accepts.
struct TuningParameter {
  int Tuning::*member;
  const char* name;             ///< the kernel's own word for it
  const char* meaning;          ///< one line
  std::vector<int> candidates;  ///< all accepted values, ascending, which a tuner tries; or none,
  int least = 0, most = 0;      ///< and a range from which a person chooses and no tuner

  /// Whether a tuner tries its values.
  bool searched() const { return !candidates.empty(); }
  /// Whether the kernel accepts `value`. 0, its own choice, is always accepted.
  bool accepts(int value) const;
};

/// A way to step: its name, its source and its parameters.
struct KernelInfo {
  std::string name;
  std::string summary;  ///< one line: idea and source
  std::vector<TuningParameter> parameters;
  bool tiles = false;      ///< its backends offer StepBackend::tiles() or tile_device()
  bool any_rule = false;   ///< steps rules of every family, not only outer-totalistic ones
  bool any_edges = false;  ///< steps grids with any boundary, not only tori and planes
  bool two_rules = false;  ///< steps under two rules in turns (BackendSpec::odd_rule)
  bool ranges = false;     ///< steps rules of longer range (RuleFamily::range)
  bool near = true;        ///< steps rules that are neither of longer range nor of a file
  bool crews = false;      ///< steps grids of two states in several processes (HostCrew)
  bool files = false;      ///< steps rules of files (RuleFamily::file)

  /// The parameter that a member of Tuning holds, or null where the kernel does not read it.
  const TuningParameter* parameter(int Tuning::*member) const;
  /// Whether a tuner has anything to try.
  bool tunable() const;
  /// Why the kernel does not accept `tuning`: the first value that is not accepted, and what would
  /// be; nothing when it accepts all of it. Values that it accepts may still exclude each other.
  std::optional<std::string> objection(const Tuning& tuning) const;
};

}  // namespace tessera
