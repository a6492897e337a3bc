#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/viewer/simulation/speed.h"
#include "core/base/geometry.h"
#include "core/pictures/density_image.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What the window shows: which cells, how many per pixel, in which colours.
struct ViewRequest {
  Rect cells;
  std::int64_t scale = 1;  ///< cells per pixel side
  bool history = false;    ///< bytes of AgeMap instead of greys
  bool operator==(const ViewRequest&) const = default;
};

/// A view of the cells at a generation.
struct Picture {
  ViewRequest view;
  DensityImage image;  ///< greys, or bytes of AgeMap, or states where they are shown_by_state()
  Rule rule;           ///< whose cells these are
  /// The bytes, when they have stayed on the device and the image has none; otherwise null.
  std::shared_ptr<const SharedPicture> shared;
  std::int64_t generation = 0;
  std::uint64_t serial = 0;  ///< increases with each picture
  double seconds = 0;        ///< that it took
};

/// A part of the population graph: generations and their least and greatest known population.
struct PopulationSample {
  std::int64_t first = 0, last = 0;
  std::int64_t low = 0, high = 0;
  bool operator==(const PopulationSample&) const = default;
};

/// What an opened pattern file tells.
struct PatternInformation {
  std::string name, author;  ///< or empty
  std::vector<std::string> comments;
  std::int64_t width = 0, height = 0;  ///< of its box, in cells
  std::int64_t population = 0;
  bool operator==(const PatternInformation&) const = default;
};

/// Everything that the window shows besides the picture.
struct Status {
  RuleSpec rule;
  BackendInfo backend;
  std::string space;         ///< how the cells are held (Universe::space)
  std::string backend_name;  ///< as --backend names it: "cpu", "cuda:1"
  std::string kernel_name;   ///< as asked for: "auto" or a name
  std::string source;        ///< where the cells came from
  std::string path;          ///< file that saving writes again, or empty
  std::int64_t generation = 0;
  std::int64_t start_generation = 0;
  std::int64_t first_generation = 0;                  ///< that can be gone back to
  std::int64_t last_generation = 0;                   ///< that is known to follow
  std::shared_ptr<const PatternInformation> pattern;  ///< of the file, or null
  std::optional<std::int64_t> period;                 ///< once a run has shown it
  std::int64_t population = 0;
  std::optional<Bounds> bounds;  ///< of the live cells, as of the population
  bool running = false;
  std::optional<std::int64_t> goal;  ///< generation to stop at
  Speed speed;
  std::int64_t step = 1;  ///< generations per step
  double generations_per_second = 0;
  double cells_per_second = 0;
  std::optional<Rect> selection;
  std::string undo, redo;  ///< labels, or empty
  bool modified = false;
  std::string recording;  ///< file, or empty
  std::int64_t recorded_frames = 0;
  std::vector<PopulationSample> populations;
  std::uint64_t commands = 0;  ///< number of commands done
};

/// A message to the user.
struct Message {
  std::string text;
  bool error = false;
};

}  // namespace tessera
