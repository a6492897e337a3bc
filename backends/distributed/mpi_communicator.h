#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/communicator.h"
#include "backends/distributed/mpi_module.h"
#include "backends/distributed/polled_requests.h"

namespace tessera {

/// The processes that one mpirun or srun started, each a part, through the module of an MPI, which
/// one thread at a time calls (PolledRequests). A failing connection is a PartLost.
class MpiCommunicator final : public Communicator {
 public:
  /// Loads the module and starts MPI. Throws UnsupportedError with the reason where there is none.
  /// Once per process.
  MpiCommunicator();
  ~MpiCommunicator() override = default;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override;
  void broadcast(std::vector<std::byte>& bytes) override;
  void reduce(Reduction how, std::span<std::uint64_t> numbers) override;
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override;

  /// "Open MPI v4.1.4".
  std::string library() const { return module_->library(); }
  /// Comes before PartLost is thrown, and need not return.
  void on_lost(std::function<void()> hear) { hear_ = std::move(hear); }
  /// Ranks share cores from now on: polling gives way at once.
  void share_cores() { requests_.share_cores(); }
  /// Whether a second thread may call those from `beat` to `hushed` at any time.
  bool takes_beats() const { return module_->threads() == 1; }
  /// TesseraMpiModule's.
  int beat(int to, bool last) const { return module_->beat(to, last ? 1 : 0); }
  int heard(int from) const { return module_->heard(from); }
  void hush(int to) const { module_->hush(to); }
  bool hushed() const { return module_->hushed() == 1; }
  /// Ends the processes of all ranks on all hosts; from any thread.
  void abort(int code) const { module_->abort(code); }
  /// Ends MPI, when all ranks call it; nothing else may be called afterwards.
  void finish();

 private:
  void complete(const std::function<std::vector<void*>()>& begin);

  const TesseraMpiModule* module_;
  int rank_ = 0, size_ = 1;
  PolledRequests requests_{[this](void* request) { return module_->test(request); }};
  std::function<void()> hear_;
};

}  // namespace tessera
