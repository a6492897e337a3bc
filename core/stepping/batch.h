#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/stepping/step_backend.h"
#include "core/stepping/survey.h"

namespace tessera {

/// Many universes of one size, boundary and rule, stepped together.
struct BatchSpec {
  std::int64_t universes = 1;  ///< from 1 to kMostUniverses
  BackendSpec each;            ///< `max_memory` is for all of them
};

/// Most universes of a batch.
inline constexpr std::int64_t kMostUniverses = std::int64_t{1} << 32;

/// Bytes of all universes as canonical grids. Throws InputError where there are too few or too many
/// universes, or where they take more than 2^46 bytes.
std::int64_t batch_bytes(const BatchSpec& spec);

/// What steps, for reports.
struct BatchInfo {
  BackendInfo by;
  /// How universes share the kernel's words, for people: "a universe in every bit".
  std::string packing;
};

/// Steps many equal universes as one job. One interface for every device; universe u has the same
/// bits as a StepBackend of its own would.
///
/// The public calls check their arguments once and then call a private virtual. Coordinates are
/// each universe's own: (0, 0) is its top-left cell. After a DeviceError the object can only be
/// destroyed. Not thread-safe: one thread at a time.
class Batch {
 public:
  virtual ~Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  const BatchSpec& spec() const { return spec_; }
  const BatchInfo& info() const { return info_; }
  std::int64_t universes() const { return spec_.universes; }

  /// The cells of a universe. Called for each once, perhaps from several threads at a time; of the
  /// spec's size and the rule's planes, or InputError is thrown.
  using CellsOf = std::function<CellGrid(std::int64_t universe)>;
  /// Replaces all cells of all universes.
  void load(const CellsOf& cells);
  /// Replaces all cells by soups of consecutive seeds: universe u has that of `first.seed` + u
  /// modulo 2^64.
  void fill(const Soup& first);
  /// Queues `generations` >= 0 generations; may return before they are done. `odd`: as
  /// StepBackend::step has it.
  void step(std::int64_t generations, bool odd = false);
  /// Returns when everything queued is done; throws DeviceError when it failed.
  void synchronize() { do_synchronize(); }
  /// The cells of universe `universe`, 0 .. universes() - 1.
  CellGrid download(std::int64_t universe);
  /// A survey of every universe, in their order, as StepBackend::survey makes it of a whole grid.
  std::vector<Survey> survey(SurveyParts parts);
  /// Seconds of device time spent in `step`, as StepBackend::device_seconds; synchronizes.
  std::optional<double> device_seconds() { return do_device_seconds(); }

 protected:
  Batch(BatchSpec spec, BatchInfo info);

  /// `cells` of a universe; throws InputError where size, planes or states differ from the spec's.
  CellGrid checked(const CellsOf& cells, std::int64_t universe) const;

 private:
  virtual void do_load(const CellsOf& cells) = 0;
  virtual void do_fill(const Soup& first);  ///< default: do_load of soups made by the host
  virtual void do_step(std::int64_t generations, bool odd) = 0;
  virtual void do_synchronize() = 0;
  virtual CellGrid do_download(std::int64_t universe) = 0;
  virtual std::vector<Survey> do_survey(SurveyParts parts) = 0;
  virtual std::optional<double> do_device_seconds() { return std::nullopt; }

  BatchSpec spec_;
  BatchInfo info_;
};

}  // namespace tessera
