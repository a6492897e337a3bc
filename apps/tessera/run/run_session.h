#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/frame_painter.h"
#include "apps/common/frame_sink.h"
#include "apps/common/pace.h"
#include "apps/common/units.h"
#include "apps/tessera/progress.h"
#include "apps/tessera/run/run_report.h"
#include "apps/tessera/run/stats_file.h"
#include "core/files/checkpoint.h"
#include "core/universe.h"

namespace tessera {

/// What a run does besides stepping.
struct RunPlan {
  std::optional<std::int64_t> end;    ///< absolute generation to stop at
  std::optional<double> max_seconds;  ///< wall time of the run
  std::int64_t every = 1;  ///< generations between samples, counted from the simulation's start
  std::string stats;       ///< file, or empty
  std::unique_ptr<FrameSink> frames;    ///< or none
  std::optional<FramePainter> painter;  ///< of frames and framed outputs
  std::string checkpoint;               ///< file, or empty
  Interval checkpoint_every;
  std::vector<std::string> outputs;
  bool framed_outputs = false;  ///< pictures among them are frames
  bool resumed = false;         ///< continues files of an earlier part of the run
  bool progress = true;
};

/// Steps a universe by a plan: samples, frames and checkpoints on the way, outputs at the end.
class RunSession {
 public:
  /// `from`: source and start of the simulation, for checkpoints.
  RunSession(Universe& universe, CheckpointInfo from, RunPlan plan);

  /// Runs until the plan's end, its time limit, or a signal, and then writes everything that was
  /// asked for. When the plane cannot grow any further, it does the same and the report says so.
  /// Throws FileError, and DeviceError that names the last checkpoint when there is one.
  RunReport run();

  /// Why the plane could not grow, when the report says `memory`.
  const std::string& memory_message() const { return memory_message_; }

 private:
  using Clock = std::chrono::steady_clock;

  Stopped step_all();
  std::int64_t next_block() const;
  void step_block();
  void step(std::int64_t generations);
  void sample();
  void write_outputs();
  RunReport run_to_end();
  void save_checkpoint();
  bool checkpoint_due() const;
  std::string way_back() const;
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  std::int64_t left() const { return end_ - universe_.generation(); }

  Universe& universe_;
  CheckpointInfo from_;
  RunPlan plan_;
  std::int64_t first_;  // generation at which this process began
  std::int64_t end_;
  Schedule schedule_;
  Pace pace_;
  Clock::time_point began_;
  std::optional<StatsFile> stats_;
  double seconds_ = 0;
  double last_checkpoint_seconds_ = 0;
  std::optional<std::int64_t> checkpointed_;  // generation of the newest checkpoint
  std::string memory_message_;
};

}  // namespace tessera
