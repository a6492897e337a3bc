#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Shape parameters of a kernel; 0 means "the kernel's own choice". Which of them a kernel has,
/// what they mean to it and which values it accepts is declared by its KernelInfo.
struct Tuning {
  int generations = 0;  ///< T: generations per launch or pass
  int rows = 0;         ///< R: rows per lane, or per group on the CPU
  int words = 0;        ///< W: words per row of a strip tile
  int group = 0;        ///< warps or subgroups per block; segments per row on the CPU
  int threads = 0;      ///< threads on the CPU; 0: all
  bool operator==(const Tuning&) const = default;
};

/// A member of Tuning and its name in JSON, in stored tunings and in messages.
struct TuningField {
  const char* name;
  int Tuning::*member;
};

/// All of them, in the order in which they are written.
std::span<const TuningField> tuning_fields();

/// The field of that name; throws InputError for another name.
const TuningField& tuning_field(std::string_view name);
/// The field of that member.
const TuningField& tuning_field(int Tuning::*member);

/// "generations=4 rows=8 threads=3", zeros left out; "own choice" when all are zero.
std::string to_string(const Tuning& tuning);

/// Where a tuning came from.
enum class TunedBy {
  own_choice,  ///< the kernel's, by a model of the device
  built_in,    ///< a table of known devices
  stored,      ///< an earlier `tessera tune` on this machine
};
/// "own choice", "built-in", "stored".
const char* to_string(TunedBy by);

}  // namespace tessera
