#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace tessera {

class MpiCommunicator;

/// Notices that another host has vanished, with its ranks or behind a broken network, which MPI
/// tells nobody: a thread of one rank of each host tells a rank of the next host ten times a
/// second that it lives, and hears the same of one of the host before. A process that was stopped
/// and goes on begins to wait anew.
///
/// A launcher may notice first, and asks the ranks to end (asked_to_end) before it kills them a
/// second later: then the silence of a moment tells that it is so.
class HostWatch {
 public:
  /// Calls `lost`, which need not return, when rank `from` was silent for seven seconds, or,
  /// while this process is asked to end and nobody has said why, for 0.6.
  HostWatch(const MpiCommunicator& us, int to, int from, std::function<void()> lost);
  /// Says goodbye, and waits some seconds for that of `from`, so that nothing is on its way when
  /// MPI ends. All watches of a team end at about the same time.
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

 private:
  void watch();

  const MpiCommunicator& us_;
  int to_, from_;
  std::function<void()> lost_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace tessera
