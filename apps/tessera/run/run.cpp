#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/outputs.h"
#include "apps/common/simulation.h"
#include "apps/common/stop_signal.h"
#include "apps/tessera/command.h"
#include "apps/tessera/run/batch_run.h"
#include "apps/tessera/run/frame_view.h"
#include "apps/tessera/run/picture_options.h"
#include "apps/tessera/run/run_checks.h"
#include "apps/tessera/run/run_options.h"
#include "apps/tessera/run/run_session.h"
#include "apps/tessera/tune.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"
#include "core/rules/state_looks.h"
#include "core/spaces/space_choice.h"
#include "core/stepping/batch.h"

namespace tessera {
namespace {

// The values of the numeric options, before anything is read or made.
struct RunNumbers {
  std::optional<std::int64_t> gens;
  std::optional<double> max_seconds;
  std::int64_t every = 1;
  std::int64_t fps = 30;
  Interval checkpoint_every;
  std::optional<FrameLook> look;
};

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

RunNumbers parse_numbers(const RunOptions& options) {
  RunNumbers out;
  if (!options.gens.empty()) out.gens = parse_count("--gens", options.gens, 0, kMost);
  if (!options.max_time.empty()) out.max_seconds = parse_duration("--max-time", options.max_time);
  if (!options.every.empty()) out.every = parse_count("--every", options.every, 1, kMost);
  if (!options.fps.empty()) out.fps = parse_count("--fps", options.fps, 1, 1000);
  out.checkpoint_every = parse_interval(
      "--checkpoint-every", options.checkpoint_every.empty() ? "15min" : options.checkpoint_every);
  out.look = parse_look(options.pictures);
  return out;
}

BatchPlan batch_plan(const RunOptions& options, const RunNumbers& numbers) {
  BatchPlan plan;
  plan.universes = parse_count("--batch", options.batch, 1, kMostUniverses);
  plan.start = options.start;
  plan.patterns = options.more_patterns;
  plan.device = options.device;
  plan.end = numbers.gens;
  plan.max_seconds = numbers.max_seconds;
  if (!options.every.empty()) plan.every = numbers.every;
  plan.stats = options.stats;
  plan.json = options.json;
  plan.quiet = options.quiet;
  return plan;
}

struct Simulation {
  std::unique_ptr<Universe> universe;
  CheckpointInfo from;
};

Simulation load(const std::string& path, const BackendFactory& factory,
                const DeviceOptions& device) {
  CheckpointReader reader(path, memory_limit(device));
  Simulation out;
  out.universe = make_universe(reader.info().rule, factory, device);
  out.from = load_checkpoint(reader, *out.universe);
  return out;
}

// A checkpoint that is missing or damaged is never replaced silently by the older one beside it.
Simulation resume(const std::string& path, const BackendFactory& factory,
                  const DeviceOptions& device) {
  const std::string previous = previous_of(path);
  const auto hint = [&](const std::string& why) {
    return fmt::format("{}; an older checkpoint is there: --resume {}", why, printable(previous));
  };
  std::error_code unknown;  // opening the path reports what is wrong with it
  if (!std::filesystem::exists(path, unknown) && is_checkpoint(previous)) {
    throw InputError(hint(printable(path) + ": there is no such file"));
  }
  std::string why;
  try {
    return load(path, factory, device);
  } catch (const ParseError& error) {  // damaged
    if (!is_checkpoint(previous)) throw;
    why = error.what();
  } catch (const FileError& error) {  // a shard is missing
    if (!is_checkpoint(previous)) throw;
    why = error.what();
  }
  throw InputError(hint(why));
}

Simulation begin(const RunOptions& options, const RunNumbers& numbers,
                 const BackendFactory& factory) {
  const Start start = resolve_start(options.start);
  if (options.tune) {
    std::optional<double> work;
    if (numbers.gens) {
      work = static_cast<double>(*numbers.gens) * static_cast<double>(start.rule.width) *
             static_cast<double>(start.rule.height);
    }
    tune_before_run(options.device, start.rule, work, options.quiet);
  }
  Simulation out;
  out.universe = make_universe(start.rule, factory, options.device);
  place_start(start, *out.universe);
  out.from.source = start.source;
  out.from.start_generation = out.universe->generation();
  out.from.start_bounds = out.universe->bounds();
  return out;
}

std::optional<std::int64_t> end_of(const RunNumbers& numbers, const Simulation& simulation) {
  if (!numbers.gens) return std::nullopt;
  const std::int64_t start = simulation.from.start_generation,
                     now = simulation.universe->generation();
  if (*numbers.gens > kMost - start) {
    throw InputError(fmt::format("--gens {}: from generation {} on, at most {} are accepted",
                                 *numbers.gens, start, kMost - start));
  }
  if (start + *numbers.gens < now) {
    throw InputError(fmt::format(
        "--gens {}: the checkpoint is already at generation {}, {} from the start; that or more is "
        "accepted",
        *numbers.gens, now, now - start));
  }
  return start + *numbers.gens;
}

// What was asked for, or, where states have colours, these in the light theme.
std::optional<FrameLook> look_for(const RunNumbers& numbers, const Rule& rule) {
  std::optional<FrameLook> look = numbers.look;
  if (!look && shown_by_state(rule)) look.emplace(FrameLook{Theme::light});
  if (look) look->rule = rule;
  return look;
}

RunPlan make_plan(const RunOptions& options, const RunNumbers& numbers,
                  const Simulation& simulation) {
  RunPlan plan;
  plan.end = end_of(numbers, simulation);
  plan.max_seconds = numbers.max_seconds;
  plan.every = numbers.every;
  plan.stats = options.stats;
  plan.checkpoint = options.checkpoint;
  plan.checkpoint_every = numbers.checkpoint_every;
  plan.outputs = options.outputs;
  plan.resumed = !options.resume.empty();
  plan.progress = !options.quiet;
  plan.framed_outputs = options.pictures.any();
  if (options.frames.empty() && options.video.empty() && !plan.framed_outputs) return plan;
  const std::optional<FrameLook> look = look_for(numbers, simulation.universe->spec().rule);
  const FrameView view = choose_view(options.pictures.view, options.pictures.scale,
                                     simulation.universe->spec(), simulation.from.start_bounds);
  std::optional<Palette> palette;
  if (look) {
    if (look->grid_lines) check_grid_lines("--grid-lines", view.scale, *look);
    palette = look->palette();
  }
  plan.painter.emplace(view, look);
  if (!options.frames.empty()) {
    plan.frames = make_frame_folder(options.frames, palette);
  } else if (!options.video.empty()) {
    plan.frames = make_video(options.video, view.width(), view.height(), numbers.fps, palette);
  }
  return plan;
}

void tell(const RunReport& report, const RunOptions& options) {
  if (options.json) print(report_json(report));
  if (options.quiet) return;
  if (report.stopped == Stopped::signal || report.stopped == Stopped::time) {
    print_status(fmt::format(
        "tessera: stopped at generation {} by {}\n", report.generation,
        report.stopped == Stopped::time ? "--max-time" : stop_signal_name(stop_signal())));
  }
  if (options.json) return;
  bool stdout_taken = options.stats == "-";
  for (const std::string& path : options.outputs) stdout_taken |= path == "-";
  const std::string text = report_text(report);
  if (stdout_taken) {
    print_status(text);
  } else {
    print(text);
  }
}

int run(const RunOptions& options) {
  check_combinations(options);
  const RunNumbers numbers = parse_numbers(options);
  check_paths(options);
  // What is malformed is told before anything is read.
  memory_limit(options.device);
  parse_space("--space", options.device.space);
  if (!options.batch.empty()) return run_batch(batch_plan(options, numbers));
  TunedBy tuned_by = TunedBy::own_choice;
  const BackendFactory factory = backend_factory(options.device, &tuned_by);
  Simulation simulation = options.resume.empty() ? begin(options, numbers, factory)
                                                 : resume(options.resume, factory, options.device);
  check_states(options, simulation.universe->spec().rule);
  // From here on there is something to finish after a signal.
  catch_stop_signals();
  RunSession session(*simulation.universe, simulation.from,
                     make_plan(options, numbers, simulation));
  RunReport report = session.run();
  report.tuned_by = tuned_by;
  tell(report, options);
  if (report.stopped == Stopped::memory) throw MemoryLimitError(session.memory_message());
  return 0;
}

void declare(CLI::App& app, RunOptions& o) {
  add_start_options(app, o.start);
  app.add_option("MORE", o.more_patterns, "Further patterns, with --batch alone");
  const auto text = [&](const char* group, const char* name, std::string& value, const char* type,
                        const char* help) {
    app.add_option(name, value, help)->type_name(type)->group(group);
  };
  text("What is simulated", "--batch", o.batch, "N",
       "Step N universes as one job: soups of consecutive seeds from --seed on, or the patterns in "
       "turns; results are a row of each");
  constexpr const char* kLength = "How long";
  text(kLength, "-g,--gens", o.gens, "N",
       "Generations from the simulation's start, such as 5000, 10k or 1e6; a resumed run ends at "
       "the "
       "same one");
  text(kLength, "--max-time", o.max_time, "TIME",
       "Stop after this time, such as 90s, 15min or 2h (seconds where no unit is given), and write "
       "all results");
  add_device_options(app, o.device);
  app.add_flag("--tune", o.tune,
               "Before a long run on a bounded universe, search the kernel's fastest shape for "
               "half a minute and "
               "remember it, unless one is known")
      ->group("What steps it");

  constexpr const char* kResults = "Results";
  app.add_option("-o,--out", o.outputs,
                 "Write the last generation: pattern .rle, .mc, .cells, .lif, .life or .l (each "
                 "also .gz), picture .png, checkpoint .tsr; - is RLE on standard output; may be "
                 "repeated")
      ->type_name("FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->group(kResults);
  text(kResults, "--stats", o.stats, "FILE.csv",
       "Write a row at the start, every K generations and at the end: generation, population, "
       "bounds, hash; - is "
       "standard output");
  text(kResults, "--frames", o.frames, "DIR",
       "Write a PNG every K generations, named by generation; not with --video");
  text(kResults, "--video", o.video, "FILE",
       "Write a video with a frame every K generations (.mp4, .mkv, .mov, .webm, .avi, .gif); "
       "needs ffmpeg; not with --frames");
  text(kResults, "--every", o.every, "K", "Generations between rows and frames (default 1)");
  add_picture_options(app, o.pictures, kResults);
  text(kResults, "--fps", o.fps, "N", "Frames per second of the video (default 30)");
  app.add_flag("--json", o.json, "Print one JSON object on standard output instead of the summary")
      ->group(kResults);
  app.add_flag("-q,--quiet", o.quiet, "Print no summary and no progress")->group(kResults);

  constexpr const char* kCheckpoints = "Checkpoints";
  text(kCheckpoints, "--checkpoint", o.checkpoint, "FILE",
       "Save the state periodically and at the end; the previous one stays as FILE.prev");
  text(kCheckpoints, "--checkpoint-every", o.checkpoint_every, "TIME|Ngens",
       "How often, such as 90s, 2h or 10000gens (default 15min)");
  text(kCheckpoints, "--resume", o.resume, "FILE",
       "Continue from a checkpoint, on any backend; --stats FILE is continued, too");
  app.footer(
      "SIGINT (Ctrl-C), SIGTERM and SIGHUP stop the run after a moment; everything asked for is\n"
      "still written and the exit code is 130, 143 or 129. A second signal ends it at once.\n\n"
      "Examples:\n"
      "  tessera run gun.rle --gens 1000 --out later.rle\n"
      "  tessera run --soup 0.37 --seed 7 --size 4096x4096 --gens 100000 --every 1000 --stats "
      "soup.csv\n"
      "  tessera run acorn.rle --gens 5206 --every 4 --video acorn.mp4 --colours age\n"
      "  tessera run --soup 0.5 --batch 100k --size 64x64 --gens 10k --stats ends.csv\n"
      "  tessera run big.rle --gens 1000000000 --checkpoint big.tsr     and, after a crash:\n"
      "  tessera run --resume big.tsr --gens 1000000000 --checkpoint big.tsr");
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("run", "Step a pattern or a soup and write the results");
  const auto options = std::make_shared<RunOptions>();
  declare(*sub, *options);
  return {sub, [options] { return run(*options); }};
}

}  // namespace tessera
