#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/outputs.h"
#include "apps/common/simulation.h"
#include "apps/tessera/command.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/spaces/space.h"
#include "core/stepping/survey.h"

namespace tessera {
namespace {

struct ConvertOptions {
  std::string in, out;
  std::string rule, size;
};

Rect live_box(const std::string& path) {
  CheckpointReader reader(path);
  const std::optional<Bounds> box = survey_of(reader).bounds;
  return box ? box->rect() : Rect{0, 0, 1, 1};
}

// A picture of the whole of a bounded universe, or of the live cells' box.
void convert_to_picture(const ConvertOptions& options, CheckpointReader& reader) {
  const RuleSpec& rule = reader.info().rule;
  const Rect box = rule.bounded() ? reader.extent() : live_box(options.in);
  check_picture(options.out, box);
  CellGrid cells(box.width, box.height, reader.planes());
  while (const std::optional<Piece> piece = reader.next()) {
    const Rect rect = piece->rect();
    const Rect part = rect.common(box);
    if (part.empty()) continue;
    cells.paste(part.x - box.x, part.y - box.y,
                piece->cells.window({part.x - rect.x, part.y - rect.y, part.width, part.height}));
  }
  write_picture(options.out, cells, rule.rule);
}

// Piece by piece, without a universe: on the plane, live cells may lie far apart.
int convert_checkpoint(const ConvertOptions& options, OutputKind kind) {
  if (!options.rule.empty() || !options.size.empty()) {
    throw InputError(
        "--rule and --size are not accepted for a checkpoint, which has its own universe");
  }
  CheckpointReader reader(options.in);
  const CheckpointInfo& info = reader.info();
  switch (kind) {
    case OutputKind::pattern:
      write_pattern(options.out, pattern_of(reader, info.rule, info.generation));
      break;
    case OutputKind::picture:
      convert_to_picture(options, reader);
      break;
    case OutputKind::checkpoint:
      write_checkpoint(options.out, info, reader);
      break;
  }
  return 0;
}

int convert(const ConvertOptions& options) {
  const OutputKind kind = check_output("OUT", options.out);
  if (options.in != "-" && is_checkpoint(options.in)) return convert_checkpoint(options, kind);
  Start start = resolve_start({options.in, "", "", options.size, options.rule});
  if (kind == OutputKind::pattern) {
    // Without a universe, so that names, comments and a pattern of any extent are preserved.
    Pattern& pattern = std::get<Pattern>(start.cells);
    if (pattern.rule || !options.rule.empty() || !options.size.empty()) pattern.rule = start.rule;
    check_planes(pattern.planes, start.rule);
    write_pattern(options.out, pattern);
    return 0;
  }
  // A universe that only holds cells, on the plane as tiles, so that they may lie far apart.
  Universe universe(start.rule, make_factory("cpu", "auto", {}));
  place_start(start, universe);
  CheckpointInfo from;
  from.source = start.source;
  from.start_generation = universe.generation();
  from.start_bounds = universe.bounds();
  write_output("OUT", options.out, universe, from);
  return 0;
}

}  // namespace

Command add_convert(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("convert", "Convert a pattern or a checkpoint to another format");
  const auto options = std::make_shared<ConvertOptions>();
  sub->add_option("IN", options->in,
                  "Pattern (.rle, .mc, .cells, .lif, .mcl, each also .gz), checkpoint, or - for "
                  "standard input")
      ->required();
  sub->add_option("OUT", options->out,
                  "Pattern .rle, .mc, .cells, .lif or .l (Life 1.06 or 1.05; each also .gz), "
                  "picture .png, checkpoint .tsr, or - for RLE on standard output")
      ->required();
  sub->add_option("--rule", options->rule, "Rule and universe to write, in place of the file's")
      ->type_name("RULE");
  sub->add_option("--size", options->size,
                  "A torus of this size, short for the suffix :TW,H of the rule")
      ->type_name("WxH");
  return {sub, [options] { return convert(*options); }};
}

}  // namespace tessera
