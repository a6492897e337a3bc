#include "backends/distributed/rank_spec.h"

#include <string>

#include "core/rules/file_rule.h"

namespace tessera {

namespace {

// What a rule points to lies elsewhere in the memory of other ranks, or is not there yet: they read
// its file, or its spelling where it has a longer range.
void put_rule(RankMessage& message, const Rule& rule) {
  const FileRule* const file = rule.file;
  message.put(rule)
      .put(file ? file->text : "")
      .put(file ? file->path : "")
      .put(file ? file->old_colours : "")
      .put(rule.ranged() ? to_string(rule) : "");
}

Rule take_rule(RankMessage& message) {
  const auto rule = message.take<Rule>();
  const std::string text = message.take_text(), path = message.take_text();
  const std::string old_colours = message.take_text(), spelling = message.take_text();
  if (!path.empty()) return kept_file_rule(parse_rule_file(text, path, old_colours));
  return spelling.empty() ? rule : parse_rule(spelling);
}

}  // namespace

void put_spec(RankMessage& message, const BackendSpec& spec) {
  message.put(spec);
  put_rule(message, spec.rule);
  if (spec.odd_rule) put_rule(message, *spec.odd_rule);
}

BackendSpec take_spec(RankMessage& message) {
  auto spec = message.take<BackendSpec>();
  spec.rule = take_rule(message);
  if (spec.odd_rule) spec.odd_rule = take_rule(message);
  return spec;
}

void put_order(RankMessage& message, const ShardOrder& order) {
  message.put(order.path).put(order.series).put(order.header).put(order.extent).put(order.planes);
}

ShardOrder take_order(RankMessage& message) {
  ShardOrder order;
  order.path = message.take_text();
  order.series = message.take<std::int64_t>();
  order.header = message.take_text();
  order.extent = message.take<Rect>();
  order.planes = message.take<int>();
  return order;
}

}  // namespace tessera
