#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/rank_worker.h"
#include "core/stepping/driver.h"

namespace tessera {

/// A driver whose one device is one device of every rank: "cuda*ranks" that of each rank's own
/// number on its host, "cuda:0*ranks" the first. It offers the kernels of that kind of device.
/// Ranks get as many rows of a grid, or tiles, as their devices are fast, which is measured where
/// these are unlike. The memory limit of a spec is that of all ranks together.
/// `worker`, rank 0's, must outlive it.
class RanksDriver final : public Driver {
 public:
  /// `device`: without "*ranks". Throws UnsupportedError that names the first rank without one.
  RanksDriver(RankWorker& worker, const std::string& device, const BandOptions& options);

  const char* name() const override { return name_.c_str(); }
  std::string device_name(int) const override { return name_; }
  DeviceList devices() const override;
  std::vector<KernelInfo> kernels() const override;
  std::string default_kernel(int, const BackendSpec& spec) const override;

 private:
  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override;

  BackendPlan plan_tiles(const BackendSpec& spec, const Kernel& own, const Tuning& tuning) const;
  std::vector<std::int64_t> memory_of_tiles(std::int64_t limit) const;
  bool equal(const Kernel& kernel) const;
  bool steps_together(const BackendSpec& spec, const KernelInfo& kernel) const;
  bool peers() const;

  RankWorker& worker_;
  std::string device_, name_;
  BandOptions options_;
  PartDevice own_;
  std::vector<RankDevice> ranks_;
};

}  // namespace tessera
