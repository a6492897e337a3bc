#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/crew.h"
#include "backends/cpu/rule_programs.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_grid.h"
#include "core/stepping/batch.h"

namespace tessera {

/// Many universes in strips: the kernels `simd` and `compiled` over buffers whose bits or lanes
/// belong to different universes (StripTenants), buffers over threads. A buffer steps all
/// generations that are asked for before the next one begins, so that small universes stay in a
/// core's caches.
class StripBatch final : public Batch {
 public:
  /// What fills a buffer of 64-bit words best: which tenants it has, and how it is stepped.
  struct Plan {
    StripTenants tenants = StripTenants::one;
    std::int64_t per_grid = 1;  ///< universes of a buffer
    std::int64_t grids = 1;     ///< buffers
    Tuning tuning;              ///< of a buffer: with the threads that share one
    int threads = 1;            ///< that step different buffers
    double nanoseconds = 0;     ///< that the model expects for a generation of all
  };

  /// The fastest by the model (plan_strips), or that of `tenants`. What `tuning` says is kept.
  static Plan plan(const BatchSpec& spec, const Tuning& tuning, bool compiled,
                   std::optional<StripTenants> tenants = std::nullopt);
  /// Why the kernel, `simd` or `compiled`, does not step the batch; nothing where it does.
  static std::optional<std::string> unsupported(const BatchSpec& spec, bool compiled);
  /// Memory of a plan.
  static std::int64_t bytes_needed(const BatchSpec& spec, const Plan& plan);

  /// `info` with backend, device and kernel. Throws UnsupportedError with what `unsupported` says,
  /// and where more memory is needed than the spec's limit.
  StripBatch(const BatchSpec& spec, BackendInfo info, const Plan& plan, bool compiled);

 private:
  void do_load(const CellsOf& cells) override;
  void do_step(std::int64_t generations, bool odd) override;
  void do_synchronize() override {}
  CellGrid do_download(std::int64_t universe) override;
  std::vector<Survey> do_survey(SurveyParts parts) override;

  // Universes [first, first + count) are in a grid.
  std::int64_t first_of(std::size_t grid) const {
    return static_cast<std::int64_t>(grid) * plan_.per_grid;
  }
  std::int64_t count_of(std::size_t grid) const;
  void for_each_grid(const std::function<void(std::size_t)>& task);
  void load_grid(std::size_t grid, const CellsOf& cells);
  void survey_grid(std::size_t grid, SurveyParts parts, std::vector<Survey>& out) const;
  void compile();

  Plan plan_;
  std::optional<RulePrograms> programs_;  // of machine code
  std::shared_ptr<const StripCode> code_;
  std::vector<StripGrid> grids_;
  std::unique_ptr<Crew> crew_;  // made when first used
};

}  // namespace tessera
