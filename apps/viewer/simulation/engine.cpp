#include "apps/viewer/simulation/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/common/outputs.h"
#include "apps/common/units.h"
#include "core/base/error.h"
#include "core/pattern_io.h"

namespace tessera {
namespace {

using namespace std::chrono_literals;

// What undoing may hold.
constexpr std::int64_t kUndoMemory = std::int64_t{1} << 30;

}  // namespace

Engine::Engine(const DeviceOptions& device)
    : device_(device),
      document_(RuleSpec{}, backend_factory(device), memory_limit(device), kUndoMemory,
                parse_space("--space", device.space)),
      chronicle_(document_),
      pace_(new_pace()),
      leaps_(kBlockSeconds),
      rescue_(kUndoMemory) {
  settle("empty universe", "");
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
  rescue_.forget();
  changed();
}

// After anything but stepping: what is known of the old cells is known no more.
void Engine::changed() {
  pace_anew();
  block_ = 0;
  forget_ages();
  population_known_ = false;
  rate_.begin(universe(), Clock::now());
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
  rate_.begin(universe(), now);
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
  rate_.look(universe(), running_, now);
  status_.generations_per_second = rate_.generations_per_second();
  status_.cells_per_second = rate_.cells_per_second();
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

// For the case that the device fails. The CPU does not; what another driver makes of it may.
void Engine::keep_for_rescue(bool before_step) {
  if (universe().info().backend == "cpu" && (device_.backend == "cpu" || device_.backend == "auto"))
    return;
  rescue_.keep(universe(), document_.revision(), before_step);
}

void Engine::rescue(const std::string& why) {
  running_ = false;
  goal_.reset();
  recorder_.reset();
  device_.backend = "cpu";
  device_.kernel = "auto";
  const bool kept = rescue_.state().has_value();
  const GridState state =
      kept ? *rescue_.state() : GridState{document_.universe().spec(), 0, {}, nullptr};
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
