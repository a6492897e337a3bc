#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/geometry.h"

namespace tessera {

/// JSON whose fields stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// [xmin, ymin, xmax, ymax], or null.
inline Json json_of(const std::optional<Bounds>& bounds) {
  if (!bounds) return nullptr;
  return {bounds->xmin, bounds->ymin, bounds->xmax, bounds->ymax};
}

/// A member that is there and has this type. Throws Json::exception where not.
inline std::string text_at(const Json& json, const char* key) {
  return json.at(key).get<std::string>();
}
inline double number_at(const Json& json, const char* key) { return json.at(key).get<double>(); }

/// The text of a document and a line feed. Bytes that are not UTF-8, as paths and comments may
/// hold, become U+FFFD.
inline std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tessera
