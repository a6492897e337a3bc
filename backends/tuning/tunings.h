#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stepping/kernel.h"

namespace tessera {

/// What a tuning applies to: all of this must be equal.
struct TuningKey {
  std::string backend;  ///< "cuda"
  std::string device;   ///< as the vendor names it
  std::string driver;   ///< from the device's properties; empty where they have none
  std::string kernel;
  std::string rule;  ///< "B3/S23", or two in turns
  int size = 0;      ///< class: the exponent of the number of cells, rounded up to a power of 2

  bool operator==(const TuningKey&) const = default;
};

/// The key of a kernel on a device for a grid.
TuningKey tuning_key(const Kernel& kernel, const BackendSpec& spec);

/// A tuning, and where it came from.
struct ChosenTuning {
  Tuning tuning;
  TunedBy by = TunedBy::own_choice;
};

/// The tunings that are known here: those that `tessera tune` stored on this machine, read when
/// first asked for, and those of known devices.
class Tunings {
 public:
  /// The best one: stored by this version of the program for this key or for the next size class
  /// above or below; else from the table of known devices; else the kernel's own choice. One that
  /// the kernel does not accept is passed over.
  ChosenTuning choose(const Kernel& kernel, const BackendSpec& spec);
  /// `fixed` where it says anything but the number of threads, else `choose` with that number. A
  /// kernel that has no such parameter is not told how many threads a person allows.
  ChosenTuning complete(const Kernel& kernel, const BackendSpec& spec, const Tuning& fixed);

 private:
  struct Stored {
    TuningKey key;
    Tuning tuning;
  };
  static std::vector<Stored> read();

  std::optional<std::vector<Stored>> stored_;
};

/// Remembers a tuning in the user's cache folder (core/files/cache_folder.h).
/// Throws FileError when it cannot be written, and when there is no such folder.
void store_tuning(const TuningKey& key, const Tuning& tuning, double cells_per_second);

/// The file, or empty where there is no cache folder.
std::string tuning_store_path();

}  // namespace tessera
