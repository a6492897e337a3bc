#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "backends/distributed/communicator.h"
#include "backends/distributed/rank_message.h"

namespace tessera {

/// What rank 0 may ask of all ranks; a command begins with it.
enum class RankTask : std::uint8_t {
  end,
  devices,
  speeds,
  create,
  destroy,
  fill,
  edit,
  step,
  synchronize,
  download,
  survey,
  view,
  write_shards,
  open_tiles,
  share_memory,
  note
};

/// How ranks do things together: rank 0 commands, all carry out, and all learn whether any failed.
/// Except for `command`, all ranks call a function here at the same time.
class RankAssembly {
 public:
  explicit RankAssembly(Communicator& us) : us_(us) {}

  Communicator& us() const { return us_; }

  /// Called on rank 0 before each command, while the others may wait for something else.
  void before_commands(std::function<void()> call) { before_ = std::move(call); }

  static RankMessage begin(RankTask task) { return RankMessage().put(task); }
  /// Rank 0 tells the others, and leaves of the message what they find after the task.
  void command(RankMessage& message);
  /// Waits, on every rank but 0, for what `command` tells there.
  RankMessage wait();

  /// Everybody learns whether anybody failed. The lowest rank that did tells rank 0 why, where it
  /// is thrown as an error of the same kind that names the rank; on others Error is thrown.
  void agree(const std::exception_ptr& error);

  /// Work that may fail on any rank: all return, or all throw what `agree` does. PartLost is thrown
  /// as it is: there is nobody left to agree with.
  template <class Work>
  void together(Work&& work) {
    std::exception_ptr error;
    try {
      work();
    } catch (const PartLost&) {
      throw;
    } catch (...) {
      error = std::current_exception();
    }
    agree(error);
  }

  /// On rank 0 what every rank has to say, by rank; on others nothing.
  std::vector<RankMessage> gather(RankMessage mine);

 private:
  Communicator& us_;
  std::function<void()> before_;
};

}  // namespace tessera
