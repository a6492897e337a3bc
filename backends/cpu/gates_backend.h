#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "backends/cpu/crew.h"
#include "backends/cpu/gate_plan.h"
#include "backends/cpu/ringed_backend.h"
#include "core/stepping/kernel_info.h"

namespace tessera {

/// Steps every rule of NeighbourhoodTable: a program of three-input gates, interpreted over blocks
/// of words with the vectors of the processor, bands of rows over threads.
///
/// It begins with a program that is found at once, and looks for a shorter one when it has done so
/// much work that the search pays.
class GatesBackend final : public RingedBackend {
 public:
  /// A gate of one word each: about a second's, beside which the search takes a half.
  static constexpr std::int64_t kPatience = std::int64_t{1} << 32;

  /// `patience`: gates of one word each before the search.
  GatesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
               std::int64_t patience = kPatience);

  static KernelInfo kernel_info();

 private:
  using Scratch = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;

  // How a rule is stepped; two of them take turns.
  struct Program {
    NeighbourhoodTable table;
    std::optional<GatePlan> plan{};
    std::int64_t gates = 0;
    bool searched = false;
  };

  void do_step(std::int64_t generations) override;

  void add_program(const Rule& rule);
  void use(const GateProgram& found, Program& program);
  void search_when_due();
  std::int64_t work_of(const Program& program) const;
  int tasks_of(const Program& program) const;
  void make_scratch(int tasks);
  void step_once(const Program& program, int tasks);
  void step_band(std::int64_t first, std::int64_t last, std::uint64_t* scratch);
  void step_block(std::int64_t y, std::int64_t rows, std::int64_t column, std::uint64_t* scratch);
  void load_row(std::int64_t y, std::int64_t column, std::uint64_t* to);

  int threads_;
  std::vector<Program> programs_;   // of even and, where there is one, of odd generations
  const GatePlan* plan_ = nullptr;  // of the generation under way
  std::int64_t patience_ = 0;       // gates of one word that are left before the search
  std::vector<Scratch> scratch_;    // one per task
  std::unique_ptr<Crew> crew_;      // made when first used
};

}  // namespace tessera
