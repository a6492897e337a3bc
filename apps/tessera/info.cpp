#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/console.h"
#include "apps/common/units.h"
#include "apps/tessera/command.h"
#include "apps/tessera/json.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/cells/state_hash.h"
#include "core/files/checkpoint.h"
#include "core/pattern_io.h"
#include "core/stepping/survey.h"

namespace tessera {
namespace {

std::string universe_text(const RuleSpec& rule) {
  if (!rule.bounded()) return "infinite plane";
  return fmt::format("{} {}x{}", rule.topology == Topology::torus ? "torus" : "plane", rule.width,
                     rule.height);
}

const char* format_text(PatternFormat format) {
  switch (format) {
    case PatternFormat::rle:
      return "RLE";
    case PatternFormat::cells:
      return "plaintext (.cells)";
    case PatternFormat::life105:
      return "Life 1.05";
    case PatternFormat::macrocell:
      return "macrocell";
    default:
      return "Life 1.06";
  }
}

Json rule_json(const std::optional<RuleSpec>& rule) {
  if (!rule) return {{"rule", nullptr}, {"universe", nullptr}};
  return {{"rule", to_string(*rule)}, {"universe", universe_text(*rule)}};
}

Json pattern_json(const std::string& path) {
  Json out;
  PatternFormat format{};
  const PatternSummary summary = read_summary(path, &format);
  const Pattern& pattern = summary.pattern;
  out["format"] = format_text(format);
  out["name"] = pattern.name;
  out["author"] = pattern.author;
  out.update(rule_json(pattern.rule));
  out["width"] = pattern.width;
  out["height"] = pattern.height;
  out["position"] = nullptr;
  if (pattern.position) out["position"] = {pattern.position->x, pattern.position->y};
  out["generation"] = pattern.generation;
  out["population"] = summary.population;
  const std::optional<Bounds>& box = summary.bounds;
  const Cell at = pattern.position.value_or(Cell{});
  out["bounds"] = json_of(box ? box->shifted(at.x, at.y) : box);
  out["comments"] = pattern.comments;
  return out;
}

Json checkpoint_json(const std::string& path) {
  CheckpointReader reader(path);
  const CheckpointInfo& info = reader.info();
  const Survey all = survey_of(reader);
  Json out;
  out["format"] = "checkpoint";
  out["source"] = info.source;
  out.update(rule_json(info.rule));
  out["width"] = reader.extent().width;
  out["height"] = reader.extent().height;
  out["position"] = {reader.extent().x, reader.extent().y};
  out["generation"] = info.generation;
  out["start_generation"] = info.start_generation;
  out["population"] = all.population;
  out["bounds"] = json_of(all.bounds);
  return out;
}

// "label value" lines; missing values are left out.
std::string table(const Json& object) {
  std::string text;
  const auto line = [&](const std::string& label, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<17} {}\n", label, printable(value));
  };
  const auto list = [](const Json& values, const char* between) {
    std::string out;
    for (const Json& value : values) out += (out.empty() ? "" : between) + value.dump();
    return out;
  };
  for (const auto& [key, value] : object.items()) {
    if (key == "width" || value.is_null()) continue;
    if (key == "height") {
      line("box", fmt::format("{} x {} cells", object["width"].dump(), value.dump()));
    } else if (key == "bounds") {
      line("live cells", fmt::format("x {} .. {}, y {} .. {}", value[0].dump(), value[2].dump(),
                                     value[1].dump(), value[3].dump()));
    } else if (key == "comments") {
      for (const Json& comment : value) line("comment", comment.get<std::string>());
    } else if (key == "start_generation") {
      line("start generation", grouped(value.get<std::int64_t>()));
    } else if (value.is_number()) {
      line(key, grouped(value.get<std::int64_t>()));
    } else if (value.is_array()) {
      line(key, list(value, ", "));
    } else {
      line(key, value.get<std::string>());
    }
  }
  return text;
}

int info(const std::string& path, bool json) {
  const Json object =
      path != "-" && is_checkpoint(path) ? checkpoint_json(path) : pattern_json(path);
  print(json ? text_of(object) : table(object));
  return 0;
}

}  // namespace

Command add_info(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("info", "Describe a pattern or checkpoint file");
  struct Options {
    std::string path;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  sub->add_option("PATTERN", options->path,
                  "Pattern or checkpoint, or - for a pattern on standard input")
      ->required();
  sub->add_flag("--json", options->json, "Print one JSON object");
  return {sub, [options] { return info(options->path, options->json); }};
}

}  // namespace tessera
