#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/console.h"
#include "apps/common/exit_codes.h"
#include "apps/common/units.h"
#include "apps/tessera/command.h"
#include "apps/tessera/json.h"
#include "apps/tessera/text_table.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/cells/state_hash.h"
#include "core/files/checkpoint.h"
#include "core/pattern_io.h"
#include "core/stepping/survey.h"

namespace tessera {
namespace {

std::string universe_text(const RuleSpec& rule) {
  const char* name = name_of(rule.topology);
  if (rule.bounded()) return fmt::format("{} {}x{}", name, rule.width, rule.height);
  if (!rule.has_edges()) return name;
  return rule.width == 0 ? fmt::format("{} of endless width and height {}", name, rule.height)
                         : fmt::format("{} of width {} and endless height", name, rule.width);
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
    case PatternFormat::mcell:
      return "MCell";
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
std::string lines(const Json& object) {
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

Json describe(const std::string& path) {
  return path != "-" && is_checkpoint(path) ? checkpoint_json(path) : pattern_json(path);
}

// A row of the table of several files.
std::vector<std::string> row_of(const std::string& path, const Json& object) {
  const auto text = [&](const char* key) {
    const Json& value = object.contains(key) ? object[key] : Json();
    return value.is_string() ? printable(value.get<std::string>()) : std::string();
  };
  const auto number = [&](const char* key) { return grouped(object[key].get<std::int64_t>()); };
  return {printable(path),
          text("name"),
          text("format"),
          text("rule"),
          fmt::format("{}x{}", object["width"].dump(), object["height"].dump()),
          number("population"),
          number("generation")};
}

// One that cannot be read does not hide the others: each such is a line on standard error.
int info_of_all(const std::vector<std::string>& paths, bool json) {
  TextTable table({"file", "name", "format", "rule", "box", "population", "generation"}, 4);
  Json all = Json::array();
  int code = 0;
  for (const std::string& path : paths) {
    try {
      Json object = describe(path);
      table.add(row_of(path, object));
      object["path"] = path;
      all.push_back(std::move(object));
    } catch (const Error& error) {
      print_error(error.what());
      const bool bad = dynamic_cast<const InputError*>(&error) != nullptr;
      if (code == 0 || !bad) code = bad ? kBadInput : kFailed;
      all.push_back({{"path", path}, {"error", error.what()}});
    }
  }
  if (json) {
    print(text_of(all));
  } else if (!table.empty()) {
    print(table.text());
  }
  return code;
}

int info(const std::vector<std::string>& paths, bool json) {
  if (paths.size() > 1) return info_of_all(paths, json);
  const Json object = describe(paths.front());
  print(json ? text_of(object) : lines(object));
  return 0;
}

}  // namespace

Command add_info(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("info", "Describe pattern and checkpoint files");
  struct Options {
    std::vector<std::string> paths;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  sub->add_option("PATTERN", options->paths,
                  "Patterns or checkpoints, or - for a pattern on standard input; several are a "
                  "row of a table each")
      ->type_name("")
      ->required();
  sub->add_flag("--json", options->json, "Print one JSON object, or an array for several files");
  sub->footer(
      "A file that cannot be read is told on standard error and does not hide the others; the "
      "exit\n"
      "code is 2 then.\n\n"
      "Examples:\n"
      "  tessera info gun.rle\n"
      "  tessera info --json *.rle *.mc");
  return {sub, [options] { return info(options->paths, options->json); }};
}

}  // namespace tessera
