#include "apps/viewer/simulation/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "apps/common/outputs.h"
#include "apps/common/units.h"
#include "core/base/error.h"
#include "core/pattern_io.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

// A block is shorter than a frame, so that what the window asks for is answered within one.
constexpr double kBlockSeconds = 0.006;
// What undoing may hold.
constexpr std::int64_t kUndoMemory = std::int64_t{1} << 30;
// The last generation that is counted.
constexpr std::int64_t kAll = std::int64_t{1} << 62;
constexpr auto kRateWindow = 500ms;
constexpr auto kRescueInterval = 10s;
// Generations per block without a goal: a universe at rest, which is jumped over, would soon be at
// the last number.
constexpr std::int64_t kMostAtOnce = 1 << 20;

double seconds_between(Engine::Clock::time_point a, Engine::Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Engine::Engine(const DeviceOptions& device)
    : device_(device),
      document_(RuleSpec{}, backend_factory(device), memory_limit(device), kUndoMemory,
                parse_space("--space", device.space)),
      chronicle_(document_),
      pace_(new_pace()),
      leaps_(kBlockSeconds) {
  settle("empty universe", "");
}

Pace Engine::new_pace() const {
  const Universe& universe = document_.universe();
  return Pace(16 * universe.cells_per_generation(), universe.info().tuning.generations,
              kBlockSeconds);
}

// What blocks took so far tells nothing of the next ones.
void Engine::pace_anew() {
  pace_ = new_pace();
  leaps_ = Leaps(kBlockSeconds);
  paced_revision_ = document_.revision();
}

// After a new start.
void Engine::settle(const std::string& source, const std::string& path) {
  running_ = false;
  goal_.reset();
  path_ = path;
  from_ = {};
  from_.source = source;
  from_.start_generation = universe().generation();
  chronicle_.clear();
  pattern_.reset();
  rescue_.reset();
  changed();
}

// After anything but stepping: what is known of the old cells is known no more.
void Engine::changed() {
  pace_anew();
  block_ = 0;
  forget_ages();
  population_known_ = false;
  rate_began_ = Clock::now();
  rate_generation_ = universe().generation();
  rate_cells_ = universe().cells_stepped();
}

void Engine::begin(const StartOptions& options) {
  const Start start = resolve_start(options);
  document_.start("Open", start.rule, [&](Universe& universe) { place_start(start, universe); });
  settle(start.source, options.pattern == "-" ? "" : options.pattern);
  if (const Pattern* from = std::get_if<Pattern>(&start.cells)) {
    pattern_ = std::make_shared<PatternInformation>(
        PatternInformation{from->name, from->author, from->comments, from->width, from->height,
                           universe().population()});
  }
}

void Engine::open(const std::string& path) {
  if (is_checkpoint(path)) {
    open_checkpoint(path);
    return;
  }
  StartOptions options;
  options.pattern = path;
  begin(options);
}

void Engine::open_checkpoint(const std::string& path) {
  CheckpointReader reader(path, memory_limit(device_));
  CheckpointInfo info;
  document_.start("Open", reader.info().rule,
                  [&](Universe& universe) { info = load_checkpoint(reader, universe); });
  settle(info.source, path);
  from_ = info;
}

void Engine::recover(const std::string& path) {
  open_checkpoint(path);
  path_.clear();
  document_.mark_unsaved();
}

void Engine::keep(const std::string& path) { write_checkpoint_of(universe(), from_, path); }

void Engine::start_empty(const RuleSpec& spec) {
  document_.start("New", spec, [](Universe&) {});
  settle("empty universe", "");
}

void Engine::start_soup(const RuleSpec& spec, const Soup& soup) {
  document_.start("New soup", spec, [&](Universe& universe) { universe.fill(soup); });
  settle(fmt::format("soup {} seed {}", static_cast<double>(soup.density) / 65536, soup.seed), "");
}

void Engine::save(const std::string& path) {
  write_output("saving", path, universe(), from_);
  if (!path.ends_with(".png")) {
    document_.mark_saved();
    path_ = path;
  }
  messages_.push_back({"Saved " + path, false});
}

void Engine::set_rule(const std::string& text) {
  const std::int64_t lost = document_.set_spec(parse_rule_spec(text));
  changed();
  if (lost > 0) {
    messages_.push_back(
        {fmt::format("{} live cells lay outside {} and were removed; Undo brings them back",
                     grouped(lost), to_string(universe().spec())),
         true});
  }
}

void Engine::use_backend(const std::string& backend, const std::string& kernel) {
  fetch_ages();
  DeviceOptions next = device_;
  next.backend = backend;
  next.kernel = kernel;
  document_.use(backend_factory(next));
  device_ = next;
  const AgeMap ages = ages_;
  changed();
  ages_ = ages;
}

void Engine::set_view(const ViewRequest& view) {
  if (view.history != view_.history) {
    pace_anew();  // generations that are looked at take longer
    forget_ages();
  }
  view_ = view;
}

void Engine::stop() {
  running_ = false;
  goal_.reset();
  back_to_.reset();
}

void Engine::run(bool running) {
  if (!running) {
    see_some();
    stop();
    return;
  }
  goal_.reset();
  back_to_.reset();
  running_ = true;
  const Clock::time_point now = Clock::now();
  throttle_.start(speed_, step_, now, universe().generation());
  rate_began_ = now;
  rate_generation_ = universe().generation();
  rate_cells_ = universe().cells_stepped();
}

void Engine::step(std::int64_t generations) {
  const std::int64_t now = universe().generation();
  if (generations < 0 || generations > kAll - now) {
    throw InputError(fmt::format("{} generations from {} on; generations are counted up to 2^62",
                                 grouped(generations), grouped(now)));
  }
  run(true);
  goal_ = now + generations;
}

void Engine::go_to(std::int64_t generation) {
  if (generation < document_.start_generation()) {
    throw InputError(fmt::format("generation {} lies before the start, generation {}",
                                 grouped(generation), grouped(document_.start_generation())));
  }
  if (chronicle_.travel(generation)) {
    changed();
  } else if (generation < universe().generation()) {
    reset();
  }
  step(generation - universe().generation());
}

void Engine::step_back() {
  const std::int64_t from = goal_ && back_to_ ? *back_to_ : universe().generation();
  if (from <= document_.start_generation())
    throw InputError(fmt::format("Generation {} is the first one", grouped(from)));
  go_to(from - 1);
  back_to_ = from - 1;
}

void Engine::set_speed(Speed speed, std::int64_t step) {
  see_some();
  speed_ = speed;
  step_ = step;
  throttle_.start(speed_, step_, Clock::now(), universe().generation());
}

void Engine::reset() {
  running_ = false;
  goal_.reset();
  chronicle_.reset();
  changed();
}

void Engine::undo() {
  running_ = false;
  goal_.reset();
  if (document_.undo()) changed();
}

void Engine::redo() {
  running_ = false;
  goal_.reset();
  if (document_.redo()) changed();
}

bool Engine::due(Clock::time_point now) {
  if (!running_ || document_.stroking()) return false;
  return goal_ || throttle_.due(now, universe().generation()) > 0;
}

std::optional<Engine::Clock::time_point> Engine::next_due() const {
  if (!running_ || document_.stroking()) return std::nullopt;
  if (goal_) return Clock::time_point{};
  return throttle_.next(document_.universe().generation());
}

// Generations to step at once: not past a goal, nor past a frame of a recording.
std::int64_t Engine::next_block(std::int64_t most) {
  const std::int64_t unseen = leaping() ? leaps_.unseen() : 0;
  std::int64_t block = std::min(most, unseen > 0 ? unseen : pace_.generations());
  if (!goal_) block = std::min(block, kMostAtOnce);
  if (to_see_ > 0) block = std::min(block, to_see_);
  if (recorder_)
    block = std::min(block, record_every_ - floor_mod(universe().generation(), record_every_));
  return block;
}

void Engine::advance() {
  start_block();
  finish_block();
}

// Queues a block, if one is due.
void Engine::start_block() {
  if (!running_ || document_.stroking() || block_ > 0) return;
  const std::int64_t now = universe().generation();
  const std::int64_t most =
      std::min(kAll - now, goal_ ? *goal_ - now : throttle_.due(Clock::now(), now));
  if (most > 0) {
    document_.before_run();
    if (document_.take_undo_lost()) {
      messages_.push_back(
          {"This universe is too large to keep: running can be neither undone nor reset", false});
    }
    keep_for_rescue(true);
    // A block of an empty universe is a million generations, which take minutes once it is not.
    if (paced_revision_ != document_.revision()) pace_anew();
    chronicle_.notice_edits();
    chronicle_.keep_state();
    block_began_ = Clock::now();
    try {
      const std::int64_t block = next_block(most);
      chronicle_.pass(block);
      step_block(block);
    } catch (const MemoryLimitError& error) {
      running_ = false;
      goal_.reset();
      messages_.push_back({error.what(), true});
    }
    population_known_ = false;
    block_ = universe().generation() - now;
  }
  if (goal_ && universe().generation() >= *goal_) {
    running_ = false;
    goal_.reset();
  } else if (running_ && universe().generation() >= kAll) {  // an empty plane gets there
    running_ = false;
    messages_.push_back(
        {fmt::format("Generation {} is the last one that can be counted", grouped(kAll)), false});
  }
}

void Engine::step_block(std::int64_t generations) {
  const bool ages = view_.history && !view_.cells.empty();
  const bool recorded = recorder_ && recorder_->has_ages();
  if (!ages && !recorded) {
    step_unseen(generations);
    return;
  }
  const std::int64_t first = universe().generation();
  if (leaping() && leaps_.unseen() > 0) {
    step_unseen(generations);
    universe().synchronize();
    leaps_.leapt(universe().generation() - first, seconds_between(block_began_, Clock::now()));
    return;
  }
  while (universe().generation() < first + generations) {
    chronicle_.step(1);
    if (ages) see_generation();
    if (recorded) recorder_->watch(universe());
    // Looking may take far longer than it has, and then a block as long as the last one would not
    // end for minutes.
    if (seconds_between(block_began_, Clock::now()) > kBlockSeconds) break;
  }
  const std::int64_t seen = universe().generation() - first;
  to_see_ = std::max<std::int64_t>(0, to_see_ - seen);
  leaps_.saw(seen, seconds_between(block_began_, Clock::now()));
}

// On the infinite plane what was quick may take long from one generation to the next: cells spread,
// and what was far away arrives. So a block ends early where it lasts too long.
void Engine::step_unseen(std::int64_t generations) {
  if (universe().spec().bounded()) {
    chronicle_.step(generations);
    return;
  }
  constexpr std::int64_t kPieces = 64;
  const std::int64_t launch = std::max(1, universe().info().tuning.generations);
  std::int64_t piece = ceil_div(ceil_div(generations, kPieces), launch) * launch;
  for (std::int64_t done = 0; done < generations; piece *= 2) {
    const std::int64_t now = std::min(piece, generations - done);
    chronicle_.step(now);
    done += now;
    if (seconds_between(block_began_, Clock::now()) > kBlockSeconds) break;
  }
}

// Whether generations may pass unseen for the speed's sake though their cells have ages: at full
// speed, where no device keeps them, until somebody wants to know the ages.
bool Engine::leaping() const {
  return to_see_ == 0 && view_.history && !view_.cells.empty() && !goal_ && speed_.unlimited() &&
         ages_on_device_ != view_ && !(recorder_ && recorder_->has_ages());
}

bool Engine::finish_block() {
  const std::int64_t generations = std::exchange(block_, 0);
  if (generations == 0) return false;
  universe().synchronize();
  chronicle_.reached();
  if (!leapt()) pace_.took(generations, seconds_between(block_began_, Clock::now()));
  record();
  return true;
}

const Status& Engine::status() {
  if (!running_) keep_for_rescue(false);
  chronicle_.notice_edits();
  const Clock::time_point now = Clock::now();
  const std::int64_t generation = universe().generation();
  const bool counted = population_known_ && counted_revision_ == document_.revision();
  if (!counted && (!running_ || now >= population_due_)) {
    const Survey survey = universe().survey({.population = true, .bounds = true});
    status_.population = survey.population;
    status_.bounds = survey.bounds;
    const Clock::time_point after = Clock::now();
    // At most a twentieth of the time, and ten times a second.
    population_due_ = after + std::max<Clock::duration>(100ms, 20 * (after - now));
    population_known_ = true;
    counted_revision_ = document_.revision();
    chronicle_.counted(status_.population);
  }
  if (now - rate_began_ >= kRateWindow) {
    const double seconds = seconds_between(rate_began_, now);
    status_.generations_per_second =
        running_ ? static_cast<double>(generation - rate_generation_) / seconds : 0;
    status_.cells_per_second = running_ ? (universe().cells_stepped() - rate_cells_) / seconds : 0;
    rate_began_ = now;
    rate_generation_ = generation;
    rate_cells_ = universe().cells_stepped();
  }
  if (!running_) status_.generations_per_second = status_.cells_per_second = 0;
  status_.rule = universe().spec();
  status_.backend = universe().info();
  status_.space = universe().space();
  status_.backend_name = device_.backend;
  status_.kernel_name = device_.kernel;
  status_.source = from_.source;
  status_.path = path_;
  status_.generation = generation;
  status_.start_generation = document_.start_generation();
  chronicle_.reached();
  status_.first_generation = chronicle_.first();
  status_.last_generation = chronicle_.last();
  status_.pattern = pattern_;
  status_.period = chronicle_.period();
  status_.running = running_;
  status_.goal = goal_;
  status_.speed = speed_;
  status_.step = step_;
  status_.populations = chronicle_.populations();
  status_.selection = document_.selection();
  status_.undo = document_.undo_label();
  status_.redo = document_.redo_label();
  status_.modified = document_.modified();
  status_.recording = recorder_ ? recorder_->path() : "";
  status_.recorded_frames = recorder_ ? recorder_->frames() : 0;
  return status_;
}

// A state in memory to go on from when the device fails; the CPU does not. Edits are kept before a
// step, however long that takes; among themselves, for a tenth of the time at most.
void Engine::keep_for_rescue(bool before_step) {
  // The CPU does not fail; what another driver makes of it may.
  if (universe().info().backend == "cpu" && (device_.backend == "cpu" || device_.backend == "auto"))
    return;
  const Clock::time_point now = Clock::now();
  const bool edited = rescue_revision_ != document_.revision();
  const bool must = edited && before_step;
  if (rescue_ && !must && now < (edited ? rescue_edit_due_ : rescue_due_)) return;
  if (universe().memory() > kUndoMemory) {
    rescue_.reset();
    return;
  }
  rescue_ = capture(universe());
  rescue_revision_ = document_.revision();
  const Clock::time_point after = Clock::now();
  rescue_due_ = after + std::max<Clock::duration>(kRescueInterval, 100 * (after - now));
  rescue_edit_due_ = after + 10 * (after - now);
}

void Engine::rescue(const std::string& why) {
  running_ = false;
  goal_.reset();
  recorder_.reset();
  device_.backend = "cpu";
  device_.kernel = "auto";
  const bool kept = rescue_.has_value();
  const GridState state = kept ? *rescue_ : GridState{document_.universe().spec(), 0, {}, nullptr};
  document_.rescue(state, backend_factory(device_));
  changed();
  messages_.push_back(
      {kept ? fmt::format("{}; the simulation is back at generation {}, on the CPU", why,
                          grouped(state.generation))
            : fmt::format("{}; there were too many cells to keep, and they are lost", why),
       true});
}

std::vector<Message> Engine::take_messages() { return std::exchange(messages_, {}); }

}  // namespace tessera
