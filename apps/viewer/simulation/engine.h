#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/pace.h"
#include "apps/common/simulation.h"
#include "apps/viewer/simulation/chronicle.h"
#include "apps/viewer/simulation/document.h"
#include "apps/viewer/simulation/leaps.h"
#include "apps/viewer/simulation/recorder.h"
#include "apps/viewer/simulation/rescue.h"
#include "apps/viewer/simulation/speed.h"
#include "apps/viewer/simulation/status.h"
#include "apps/viewer/simulation/stepping_rate.h"
#include "core/files/checkpoint.h"
#include "core/pictures/age_map.h"

namespace tessera {

/// What the simulation thread works on: a document, its files, running and stepping, and views of
/// it. Knows neither window nor thread; every call but `advance` of a single slow generation and
/// those that read or write files takes milliseconds.
class Engine {
 public:
  using Clock = std::chrono::steady_clock;

  /// An empty universe of Life on a device. Throws what making a backend throws.
  explicit Engine(const DeviceOptions& device);

  Document& document() { return document_; }
  Universe& universe() { return document_.universe(); }

  // Files and starts. What cannot be read or made leaves everything as it was.

  /// The simulation that the options of `tessera run` ask for.
  void begin(const StartOptions& options);
  /// A pattern or a checkpoint.
  void open(const std::string& path);
  void open_checkpoint(const std::string& path);
  /// An empty universe.
  void start_empty(const RuleSpec& spec);
  void start_soup(const RuleSpec& spec, const Soup& soup);
  /// Work that was kept: unsaved, and of no file.
  void recover(const std::string& path);
  /// A checkpoint that is none of the user's files.
  void keep(const std::string& path);
  /// A pattern, picture or checkpoint, as the suffix says.
  void save(const std::string& path);

  // Rules and devices.

  /// Rule and universe as typed, "B36/S23:T512"; cells that a smaller universe does not hold are
  /// lost, which is told.
  void set_rule(const std::string& text);
  /// Another backend and kernel, while it runs or not.
  void use_backend(const std::string& backend, const std::string& kernel);

  // Time.

  /// Runs from now on, or no longer: then some more generations are stepped where ages are shown
  /// and the last ones were not looked at.
  void run(bool running);
  /// Runs no longer, whatever has happened.
  void stop();
  bool running() const { return running_; }
  /// Steps so many generations as fast as possible, then stops.
  void step(std::int64_t generations);
  /// Goes to a generation by way of the last state that was kept before it, or of the start.
  void go_to(std::int64_t generation);
  /// Goes one generation back. Throws InputError at the first one.
  void step_back();
  /// Steps per second, and generations per step.
  void set_speed(Speed speed, std::int64_t step);
  void reset();

  /// True when there is something to step at `now`.
  bool due(Clock::time_point now);
  /// When there is something to step next; nothing when it stands still.
  std::optional<Clock::time_point> next_due() const;
  /// Steps a block of at most a few milliseconds, or a single generation that takes longer.
  void advance();

  // Undo, which stops running.

  void undo();
  void redo();

  // Views.

  void set_view(const ViewRequest& view);
  const ViewRequest& view() const { return view_; }
  /// Who draws the pictures: they stay on the device where that is the same one.
  void share_pictures(const std::optional<DeviceIdentity>& with) { sharing_ = with; }
  /// Looks at the cells as the view asks. Where the device can go on meanwhile, the next block is
  /// under way then: finish_block comes next.
  void look(Picture& picture);
  /// Waits for the block that is under way; false when none is.
  bool finish_block();
  /// Everything to tell; counts the population when a good while passed or nothing runs.
  const Status& status();

  /// Records every generation that is a multiple of `every` from now on.
  void start_recording(const std::string& path, const RecordingLook& look, std::int64_t every);
  void stop_recording();
  /// Writes a PNG of a view. Throws InputError as check_look does, and FileError.
  void save_picture(const std::string& path, const RecordingLook& look);

  /// After a DeviceError: goes on from the last state that was kept, on the CPU, standing still.
  void rescue(const std::string& why);

  /// What there is to tell; empties the list.
  std::vector<Message> take_messages();

 private:
  // A block is shorter than a frame, so that what the window asks for is answered within one.
  static constexpr double kBlockSeconds = 0.006;
  // The last generation that is counted.
  static constexpr std::int64_t kAll = std::int64_t{1} << 62;

  void settle(const std::string& source, const std::string& path);
  void changed();
  std::int64_t next_block(std::int64_t most);
  void start_block();
  void step_block(std::int64_t generations);
  bool leaping() const;
  std::int64_t leap() const;
  std::int64_t take_passed();
  void forget_ages();
  void see_generation();
  bool leapt();
  void see_some();
  bool begin_look(const ViewRequest& view, const std::optional<DeviceIdentity>& sharing = {});
  void look_here(const ViewRequest& view, DensityImage& image);
  bool sees_states(const ViewRequest& view);
  RecordingLook coloured(RecordingLook look);
  static View seen(const ViewRequest& view);
  void keep_ages();
  void fetch_ages();
  void record();
  void keep_for_rescue(bool before_step);
  Pace new_pace() const;
  void pace_anew();
  void step_unseen(std::int64_t generations);

  DeviceOptions device_;
  Document document_;
  Chronicle chronicle_;
  CheckpointInfo from_;
  std::string path_;
  bool running_ = false;
  std::optional<std::int64_t> goal_;
  Speed speed_;
  std::int64_t step_ = 1;
  Throttle throttle_;
  Pace pace_;
  Leaps leaps_;
  std::int64_t block_ = 0;  // generations under way
  Clock::time_point block_began_{};

  ViewRequest view_;
  std::optional<DeviceIdentity> sharing_;
  AgeMap ages_;
  std::optional<ViewRequest> ages_on_device_;  // the view whose ages the device keeps
  std::int64_t seen_at_ = 0;                   // the generation in which they were seen last
  std::int64_t to_see_ = 0;  // generations to look at before others may pass unseen
  DensityImage scratch_;
  std::optional<Recorder> recorder_;
  std::int64_t record_every_ = 1;

  Status status_;
  std::optional<std::int64_t> back_to_;  // while it goes back step by step
  std::shared_ptr<const PatternInformation> pattern_;
  bool population_known_ = false;
  std::uint64_t counted_revision_ = 0;
  std::uint64_t paced_revision_ = 0;  // of the cells that pace_ and leaps_ know
  Clock::time_point population_due_{};
  SteppingRate rate_;
  std::uint64_t pictures_ = 0;

  Rescue rescue_;
  std::vector<Message> messages_;
};

}  // namespace tessera
