#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backends/drivers.h"
#include "core/cells/soup.h"
#include "core/patterns/pattern.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/driver.h"
#include "core/universe.h"

namespace CLI {
class App;
}

namespace tessera {

/// The options of the simulation, as typed; shared by every subcommand that steps.
struct StartOptions {
  std::string pattern;
  std::string soup;
  std::string seed;
  std::string size;
  std::string rule;
  std::string soup_states{};

  bool any() const { return !(pattern + soup + soup_states + seed + size + rule).empty(); }
};

/// Declares PATTERN, --soup, --seed, --soup-states, --size and --rule.
void add_start_options(CLI::App& app, StartOptions& options);

/// Where a simulation starts: rule and universe, and a pattern or a soup.
struct Start {
  RuleSpec rule;
  std::variant<Pattern, Soup> cells;
  std::string source;  ///< the path, or a description of the soup
};

/// Rule and universe that the options name, or those of a file, or Life on the infinite plane.
/// Throws InputError and ParseError.
RuleSpec resolve_rule(const StartOptions& options, const std::optional<RuleSpec>& from_file);

/// Reads the pattern and chooses the rule: the command line overrides the file, and Life on the
/// infinite plane is the default. Throws InputError for options that contradict each other, and
/// what read_pattern throws.
Start resolve_start(const StartOptions& options);

/// Puts the cells and their generation into an empty universe.
void place_start(const Start& start, Universe& universe);

/// The options of the device, as typed; shared by every subcommand that steps.
struct DeviceOptions {
  std::string backend = "auto";
  std::string kernel = "auto";
  std::string threads;
  std::string max_memory;
  std::string space = "auto";
  std::string halo = "auto";
  std::string link = "auto";
};

/// Declares --backend, --kernel, --space, --threads, --max-memory, --halo and --link.
void add_device_options(CLI::App& app, DeviceOptions& options);
/// Declares --halo and --link.
void add_band_options(CLI::App& app, const std::string& group, std::string& halo,
                      std::string& link);
/// Their values. Throws InputError for malformed ones, and where one is given though none of
/// `backends` stands for several parts.
BandOptions band_options(const std::string& halo, const std::string& link,
                         const std::vector<std::string>& backends);

/// --max-memory in bytes, or 0.
std::int64_t memory_limit(const DeviceOptions& options);
/// An empty universe as the options want it, its backends made by `factory`. Throws InputError for
/// malformed options, and what Universe throws.
std::unique_ptr<Universe> make_universe(const RuleSpec& rule, BackendFactory factory,
                                        const DeviceOptions& options);
/// Makes the backends that the options ask for, with the best tuning known (make_factory); `by`,
/// where it is given, must outlive the factory and hears where that came from. Throws InputError
/// for malformed options.
BackendFactory backend_factory(const DeviceOptions& options, TunedBy* by = nullptr);

}  // namespace tessera
