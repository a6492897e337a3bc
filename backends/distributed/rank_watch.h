#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tessera {

/// A rank of this host, as its system knows it.
struct RankProcess {
  int rank = 0;
  pid_t pid = 0;
};

/// Ends this process with exit code 1 when another rank of its host has died, whatever the main
/// thread waits for: MPI itself may wait for ever, and a launcher tells nobody which one it was.
/// The lowest survivor says on standard error which rank was lost and what `note` told last, and
/// then ends the others by SIGUSR2, and those of other hosts as it is told to.
class RankWatch {
 public:
  /// `host` is for the message. Processes that cannot be watched are not. `end_others`, where it is
  /// given, ends the ranks of other hosts, and may end this process, too; it is called by a thread
  /// of the watch's own.
  RankWatch(int rank, std::string host, const std::vector<RankProcess>& processes,
            std::function<void()> end_others = {});
  /// Stops watching.
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  /// What a run can go on from, for the message.
  void note(const std::string& text);
  /// For a thread that was told that another rank cannot be reached: waits until the watch has
  /// found out which one is lost, for some seconds, and ends the process by itself if it has not.
  [[noreturn]] void unreachable();
  /// For a thread that found out that another host, with these ranks, does not answer: says so and
  /// ends all.
  [[noreturn]] void host_lost(const std::string& host, const std::vector<int>& ranks);
  /// For a thread whose device failed while others may wait for it for ever: says so and ends all.
  [[noreturn]] void device_lost(const std::string& why);

 private:
  struct Watched {
    RankProcess process;
    int descriptor = -1;  // ready when it has died; -1 where the system has none
    bool dead = false;
  };

  void watch();
  void look(int milliseconds);
  [[noreturn]] void end();
  void speak_alone();
  void tell(const std::string& what);
  [[noreturn]] void end_all(const std::string& what);
  std::string noted();

  int rank_;
  std::string host_;
  std::function<void()> end_others_;
  std::vector<Watched> watched_;
  int wake_[2] = {-1, -1};  // a pipe that the destructor closes
  std::mutex mutex_;
  std::string note_;
  std::atomic<bool> ending_{false}, said_{false};
  std::thread thread_;
};

}  // namespace tessera
