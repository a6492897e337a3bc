#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/distributed/communicator.h"
#include "core/stepping/host_crew.h"

namespace tessera {

/// Ranks of one host that step one grid together, in memory which each of them maps at the same
/// address: a file without a name (memfd_create) of rank 0 that the others open by way of /proc,
/// which unlike /dev/shm has no limit of its own in containers.
class RankCrew final : public HostCrew {
 public:
  /// All ranks make one. Throws as allocate() does.
  explicit RankCrew(Communicator& us);
  ~RankCrew() override;
  RankCrew(const RankCrew&) = delete;
  RankCrew& operator=(const RankCrew&) = delete;

  /// Whether the ranks can, on all of them: all call it.
  static bool works(Communicator& us);

  int rank() const override { return us_.rank(); }
  int size() const override { return us_.size(); }
  std::byte* allocate(std::int64_t bytes) override;
  void meet() override;
  void give_up() override;

 private:
  // What ranks that meet count.
  struct Meeting {
    std::atomic<int> come{0};
    std::atomic<std::uint32_t> round{0};
    std::atomic<bool> over{false};
  };
  struct Mapping {
    std::byte* first = nullptr;
    std::size_t bytes = 0;
  };

  Communicator& us_;
  std::vector<Mapping> mappings_;
  Meeting* meeting_ = nullptr;
};

}  // namespace tessera
