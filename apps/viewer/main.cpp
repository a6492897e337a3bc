#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/pages/pages.h"
#include "apps/common/stop_signal.h"
#include "apps/common/units.h"
#include "apps/viewer/options.h"
#include "apps/viewer/played/bench_frames.h"
#include "apps/viewer/played/script.h"
#include "apps/viewer/window/viewer.h"
#include "core/base/error.h"

namespace {

using namespace tessera;

const std::vector<std::string> kPictureWays{"auto", "host"};

void declare(CLI::App& app, ViewerOptions& o) {
  add_start_options(app, o.start);
  add_device_options(app, o.device);
  const auto text = [&](const char* group, const char* name, std::string& value, const char* type,
                        const char* help) {
    app.add_option(name, value, help)->type_name(type)->group(group);
  };
  text("What is simulated", "--resume", o.resume, "FILE", "Continue from a checkpoint");
  text("What is simulated", "-g,--gens", o.gens, "N",
       "Step this many generations first, as fast as possible");
  text("Window", "--window", o.size, "WxH", "Size of the window (default as last time)");
  text("Window", "--ui-scale", o.ui_scale, "S",
       "Size of text, 0.5 to 4 (default as the display asks)");
  app.add_option("--pictures", o.pictures,
                 "Way of pictures to the window: auto (they stay on the device where OpenGL can "
                 "draw them there) or host (they pass through the host's memory)")
      ->type_name("WAY")
      ->check(CLI::IsMember(kPictureWays))
      ->group("Window");
  text("Tests", "--script", o.script, "FILE",
       "Play input from a file, then end; default settings, and none are saved");
  text("Tests", "--monkey", o.monkey, "N",
       "Play N random events, then end; default settings, and none are saved");
  text("Tests", "--bench-frames", o.bench_frames, "N",
       "Run N frames at full speed, print frame times and the simulation's speed with and without "
       "drawing as JSON; after --script, if there is one");
  app.add_flag("--keep-settings", o.keep_settings,
               "With --script: read settings and save them at the end")
      ->group("Tests");
  app.add_flag("--list-actions", o.list_actions,
               "Print every action: name, menu, title and keys, between tabs")
      ->group("Tests");
  // For packages, and not listed by --help.
  app.add_option("--pages", o.pages, "Write manual page and completions into this folder")
      ->group("");
  app.footer(
      "The window opens with the gallery of patterns where none is named; F1 shows the keys.\n\n"
      "Examples:\n"
      "  tessera-viewer acorn.rle\n"
      "  tessera-viewer --soup 0.37 --size 4096x4096\n"
      "  tessera-viewer gun.rle --gens 100k --backend cuda");
}

int write_pages(const CLI::App& app, const std::string& folder) {
  tessera::write_pages(outline_of(app), {{"--pictures", kPictureWays}}, {"tessera"},
                       TESSERA_VERSION, folder);
  return 0;
}

int list_actions() {
  for (const Action& action : actions()) {
    print(std::string(action.name) + '\t' + action.menu + '\t' + action.title + '\t' + action.keys +
          '\n');
  }
  return 0;
}

int view(const ViewerOptions& options) {
  const bool played =
      !options.script.empty() || !options.monkey.empty() || !options.bench_frames.empty();
  if (!options.resume.empty() && options.start.any()) {
    throw InputError(
        "--resume takes cells, rule and size from the checkpoint; leave out PATTERN, --soup, "
        "--seed, --size and --rule");
  }
  const std::string file = played && !options.keep_settings ? "" : settings_path();
  std::string warning;
  Settings settings = file.empty() ? Settings{} : load_settings(file, &warning);
  if (!options.size.empty()) {
    const GridSize size = parse_size("--window", options.size);
    if (size.width > 16384 || size.height > 16384)
      throw InputError("--window " + options.size + ": up to 16384x16384 is accepted");
    settings.width = static_cast<int>(size.width);
    settings.height = static_cast<int>(size.height);
  }
  const std::int64_t frames =
      options.bench_frames.empty()
          ? 0
          : parse_count("--bench-frames", options.bench_frames, 1, 1'000'000);
  const std::int64_t events =
      options.monkey.empty() ? 0 : parse_count("--monkey", options.monkey, 1, 1'000'000'000);
  std::optional<Script> script;
  if (!options.script.empty()) script.emplace(options.script);
  if (events > 0) script.emplace(events, 1);
  catch_stop_signals();
  Viewer viewer(options, settings, file);
  if (!warning.empty()) viewer.work().tell(warning, true);
  if (script) script->play(viewer);
  if (frames > 0) bench_frames(viewer, frames);
  if (!script && frames == 0) viewer.run();
  return stop_signal() == 0 ? 0 : stopped_by(stop_signal());
}

int run(int argc, char** argv) {
  CLI::App app("Shows cellular automata of the Life family and lets you edit them.",
               "tessera-viewer");
  set_up(app, TESSERA_VERSION);
  ViewerOptions options;
  declare(app, options);
  if (const std::optional<int> code = parse(app, argc, argv)) return *code;
  if (!options.pages.empty()) return write_pages(app, options.pages);
  return options.list_actions ? list_actions() : view(options);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] { return run(argc, argv); });
}
