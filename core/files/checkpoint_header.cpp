#include "core/files/checkpoint_header.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/rules/file_rule.h"
#include "core/rules/rule_folders.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSource = 4096;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
// Positions are limited so that sums with sizes cannot overflow.
constexpr std::int64_t kFarthest = kMaxCoordinate;

// The fields of a header, each with its check.
class Fields {
 public:
  Fields(const Json& object, const CheckpointInput& input) : object_(object), input_(input) {}

  const Json& field(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) input_.damaged(fmt::format("the header has no {}", name));
    return *found;
  }
  std::string text(const char* name) const {
    if (!field(name).is_string()) input_.damaged(fmt::format("the header's {} must be text", name));
    return field(name).get<std::string>();
  }
  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high) const {
    return checked(field(name), name, low, high);
  }
  std::optional<Bounds> bounds(const char* name) const {
    const Json& box = field(name);
    if (box.is_null()) return std::nullopt;
    if (!box.is_array() || box.size() != 4) {
      input_.damaged(fmt::format("the header's {} must be [xmin, ymin, xmax, ymax] or null", name));
    }
    const auto side = [&](int i) { return checked(box[i], name, -kFarthest, kFarthest); };
    if (side(0) > side(2) || side(1) > side(3))
      input_.damaged(fmt::format("the header's {} are inside out", name));
    return Bounds{side(0), side(1), side(2), side(3)};
  }

 private:
  std::int64_t checked(const Json& value, const char* name, std::int64_t low,
                       std::int64_t high) const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) ||
        value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
      input_.damaged(
          fmt::format("the header's {} must be a whole number in {} .. {}", name, low, high));
    }
    return value.get<std::int64_t>();
  }

  const Json& object_;
  const CheckpointInput& input_;
};

// What the rule's file says, of one rule or of two in turns; empty where no file says anything.
std::string rule_checksums(const RuleSpec& rule) {
  if (!rule.rule.from_file()) return "";
  std::string text = fmt::format("{:016x}", rule.rule.file->checksum);
  if (rule.odd_rule) text += fmt::format("|{:016x}", rule.odd_rule->file->checksum);
  return text;
}

// A run goes on under the rule with which it began, or not at all.
void check_rule_file(const Fields& fields, const RuleSpec& rule, const CheckpointInput& input) {
  if (!rule.rule.from_file()) return;
  if (fields.text("rule_file") == rule_checksums(rule)) return;
  throw InputError(fmt::format(
      "{}: the file of the rule {} says something else than when the checkpoint was written",
      input.path(), rules_text(rule)));
}

CheckpointHeader parse(const std::string& text, std::uint32_t version,
                       const CheckpointInput& input) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) input.damaged("the header is not a JSON object");
  const Fields fields(object, input);
  CheckpointHeader out;
  CheckpointInfo& info = out.info;
  {
    const RulesBeside beside(input.path());
    info.rule = parse_rule_spec(fields.text("rule"), input.path() + ":header's rule");
  }
  check_rule_file(fields, info.rule, input);
  info.source = fields.text("source");
  info.generation = fields.integer("generation", 0, kMost);
  info.start_generation = fields.integer("start_generation", 0, info.generation);
  info.start_bounds = fields.bounds("start_bounds");
  out.extent = {fields.integer("x", -kFarthest, kFarthest),
                fields.integer("y", -kFarthest, kFarthest), fields.integer("width", 1, kFarthest),
                fields.integer("height", 1, kFarthest)};
  out.version = version;
  if (version > 1) out.planes = static_cast<int>(fields.integer("planes", 1, 8));
  if (object.contains("shard"))
    out.shard = static_cast<int>(fields.integer("shard", 0, std::numeric_limits<int>::max()));

  const Rect& extent = out.extent;
  if (!is_near_enough(extent)) {
    input.damaged(fmt::format("{}x{} cells at ({}, {}) reach beyond 2^62", extent.width,
                              extent.height, extent.x, extent.y));
  }
  const RuleSpec& rule = info.rule;
  if (rule.bounded() ? extent != rule.cells()
                     : rule.has_edges() && !rule.cells().contains(extent)) {
    input.damaged(fmt::format("a grid of {}x{} cells at ({}, {}) is not that of the universe {}",
                              extent.width, extent.height, extent.x, extent.y, to_string(rule)));
  }
  return out;
}

}  // namespace

std::string to_string(const CheckpointHeader& header) {
  const CheckpointInfo& info = header.info;
  Json out;
  out["rule"] = to_string(info.rule);
  if (info.rule.rule.from_file()) out["rule_file"] = rule_checksums(info.rule);
  out["generation"] = info.generation;
  out["width"] = header.extent.width;
  out["height"] = header.extent.height;
  out["x"] = header.extent.x;
  out["y"] = header.extent.y;
  out["planes"] = header.planes;
  out["source"] = info.source.substr(0, kMaxSource);
  out["start_generation"] = info.start_generation;
  out["start_bounds"] = nullptr;
  if (const std::optional<Bounds>& box = info.start_bounds) {
    out["start_bounds"] = {box->xmin, box->ymin, box->xmax, box->ymax};
  }
  // Paths need not be UTF-8; JSON must be.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shard_header(const std::string& header, int number) {
  Json out = Json::parse(header);
  out["shard"] = number;
  return out.dump();
}

void check_extent(const std::string& path, const Rect& extent) {
  if (is_near_enough(extent)) return;
  throw InputError(
      fmt::format("{}: {}x{} cells at ({}, {}) reach beyond 2^62, which a checkpoint cannot hold",
                  printable(path), extent.width, extent.height, extent.x, extent.y));
}

CheckpointHeader read_checkpoint_header(CheckpointInput& input) {
  char magic[8] = {};
  if (input.left() >= 8) input.read(magic, sizeof magic);
  if (std::string_view(magic, sizeof magic) != kCheckpointMagic) {
    throw ParseError(input.path() + ":byte 0",
                     "this is not a checkpoint of Tessera, which begins with the bytes "
                     "89 54 53 52 0d 0a 1a 0a");
  }
  const std::uint32_t version = input.read_u32();
  if (version < 1 || version > kCheckpointVersion) {
    input.damaged(
        fmt::format("the checkpoint has version {} of the format; versions 1 to {} are accepted",
                    version, kCheckpointVersion));
  }
  const std::uint32_t size = input.read_u32();
  if (size > kMaxCheckpointText || size > input.left()) {
    input.damaged(
        fmt::format("a header of {} bytes; at most {} and no more than the file has are accepted",
                    size, kMaxCheckpointText));
  }
  std::string text(size, '\0');
  input.read(text.data(), text.size());
  input.check_checksum();
  return parse(text, version, input);
}

}  // namespace tessera
