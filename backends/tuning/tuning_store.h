#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/tuning/entrant.h"
#include "core/rules/rule.h"

namespace tessera {

/// What a tuning is good for: nothing else may be different.
struct TuningKey {
  std::string backend;  ///< "cuda"
  std::string device;   ///< as the vendor names it
  std::string driver;   ///< as the device's properties tell it; empty where they do not
  std::string kernel;
  std::string rule;  ///< "B3/S23"
  int size = 0;      ///< class: the cells' number to the next power of 2, its exponent

  bool operator==(const TuningKey&) const = default;
};

/// The key of a kernel on a device for a grid.
TuningKey tuning_key(const Entrant& entrant, const BackendSpec& spec);

/// Where a tuning came from.
enum class TunedBy {
  own_choice,  ///< the kernel's, by a model of the device
  built_in,    ///< a table of known devices
  stored,      ///< an earlier `tessera tune` on this machine
};
/// "own choice", "built-in", "stored".
const char* to_string(TunedBy by);

/// A tuning, and where it came from.
struct ChosenTuning {
  Tuning tuning;
  TunedBy by = TunedBy::own_choice;
};

/// The best known tuning: stored by this version of the program for this key or for the next size
/// class above or below; else from the table of known devices; else the kernel's own choice. What
/// the kernel does not declare is passed over.
ChosenTuning choose_tuning(const Entrant& entrant, const BackendSpec& spec);

/// `fixed` where it says anything but the number of threads, else choose_tuning with that number.
ChosenTuning complete_tuning(const Entrant& entrant, const BackendSpec& spec, const Tuning& fixed);

/// Remembers a tuning in the user's cache folder ($XDG_CACHE_HOME/tessera or ~/.cache/tessera).
/// Throws FileError when it cannot be written, and when there is no such folder.
void store_tuning(const TuningKey& key, const Tuning& tuning, double cells_per_second);

/// The file, or empty without HOME.
std::string tuning_store_path();

/// As make_factory, with complete_tuning; `by`, where it is given, hears where the tuning of the
/// last backend came from.
BackendFactory make_tuned_factory(const std::string& backend, const std::string& kernel,
                                  const Tuning& fixed, TunedBy* by = nullptr);

}  // namespace tessera
