#include "apps/common/simulation.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "apps/common/units.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/checkpoint.h"
#include "core/pattern_io.h"
#include "core/spaces/space_choice.h"

namespace tessera {

void add_start_options(CLI::App& app, StartOptions& options) {
  app.add_option(
      "PATTERN", options.pattern,
      "Pattern file (.rle, .mc, .cells, .lif, .mcl, each also .gz), or - for standard input");
  constexpr const char* kGroup = "What is simulated";
  app.add_option("--soup", options.soup,
                 "Start from random cells of this density, 0 to 1, instead of a pattern")
      ->type_name("DENSITY")
      ->group(kGroup);
  app.add_option("--seed", options.seed, "Seed of the soup, 0 to 2^64-1 (default 1)")
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--soup-states", options.soup_states,
                 "States of the soup's live cells where a rule has more than two: 1, or all, each "
                 "as often (default 1)")
      ->type_name("1|all")
      ->group(kGroup);
  app.add_option(
         "--rule", options.rule,
         "Rule and universe, in place of the file's: B3/S23, 23/3, HighLife, B36/S23:T256,128 "
         "(torus), B3/S23:P100 (dead outside), also :T0,20 (a tube without end), :T30+5,20 "
         "(shifted), :K30*,20 (Klein bottle), :C30,20 (cross-surface) and :S30 (sphere); without a "
         "suffix the plane is infinite (default B3/S23). Also the name or the path of a rule file "
         "of Golly (.rule)")
      ->type_name("RULE")
      ->group(kGroup);
  app.add_option("--size", options.size,
                 "A torus of this size, short for the suffix :TW,H of the rule")
      ->type_name("WxH")
      ->group(kGroup);
}

RuleSpec resolve_rule(const StartOptions& options, const std::optional<RuleSpec>& from_file) {
  if (options.size.empty()) {
    return options.rule.empty() ? from_file.value_or(RuleSpec{})
                                : parse_rule_spec(options.rule, "--rule");
  }
  const GridSize size = parse_size("--size", options.size);
  if (options.rule.find(':') != std::string::npos) {
    throw InputError(fmt::format("--rule {} and --size {} both name a universe; give one of them",
                                 options.rule, options.size));
  }
  const std::string suffix = fmt::format(":T{},{}", size.width, size.height);
  // Parsed together, so that errors have their column.
  if (!options.rule.empty()) return parse_rule_spec(options.rule + suffix, "--rule");
  const RuleSpec file = from_file.value_or(RuleSpec{});
  return {file.rule, Topology::torus, size.width, size.height, {}, file.odd_rule};
}

Start resolve_start(const StartOptions& options) {
  if (!options.pattern.empty() && !options.soup.empty()) {
    throw InputError("a PATTERN and --soup were both given; a simulation starts from one of them");
  }
  if (!options.seed.empty() && options.soup.empty()) {
    throw InputError("--seed needs --soup DENSITY, which is missing");
  }
  const std::string& states = options.soup_states;
  if (!states.empty() && options.soup.empty())
    throw InputError("--soup-states needs --soup DENSITY, which is missing");
  if (!states.empty() && states != "1" && states != "all") {
    throw InputError(fmt::format("--soup-states {}: 1 or all is expected", printable(states)));
  }
  Start start;
  if (!options.soup.empty()) {
    const std::uint64_t seed = options.seed.empty() ? 1 : parse_seed("--seed", options.seed);
    Soup soup = Soup::of(parse_density("--soup", options.soup), seed);
    start.rule = resolve_rule(options, std::nullopt);
    if (states == "all") soup.states = static_cast<std::uint16_t>(start.rule.rule.states());
    if (!start.rule.bounded()) {
      throw InputError(fmt::format(
          "--soup needs a bounded universe: add --size 4096x4096 or --rule {}:T4096,4096",
          rules_text(start.rule)));
    }
    start.source =
        fmt::format("soup {} seed {}{}", options.soup, seed, soup.states > 2 ? ", all states" : "");
    start.cells = soup;
    return start;
  }
  // Errors in the command line are reported before a large file is read.
  resolve_rule(options, std::nullopt);
  if (options.pattern != "-" && is_checkpoint(options.pattern)) {
    throw InputError(options.pattern + ": this is a checkpoint; continue it with --resume " +
                     options.pattern);
  }
  Pattern pattern = read_pattern(options.pattern);
  start.rule = resolve_rule(options, pattern.rule);
  start.source = options.pattern == "-" ? "standard input" : options.pattern;
  start.cells = std::move(pattern);
  return start;
}

void place_start(const Start& start, Universe& universe) {
  if (const Soup* soup = std::get_if<Soup>(&start.cells)) {
    universe.fill(*soup);
    return;
  }
  const Pattern& pattern = std::get<Pattern>(start.cells);
  try {
    universe.place(pattern);
  } catch (const InputError& error) {
    throw InputError(start.source + ": " + error.what());
  }
  universe.set_generation(pattern.generation);
}

void add_device_options(CLI::App& app, DeviceOptions& options) {
  constexpr const char* kGroup = "What steps it";
  app.add_option(
         "--backend", options.backend,
         "auto, cpu, cuda or vulkan, or one device of it as in cuda:1, or several that "
         "step one grid together as in cuda:all, cuda:0,cuda:1 and cpu*3 (default auto: the "
         "fastest single one that supports it); under mpirun, one of each rank")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--kernel", options.kernel,
                 "Kernel of the backend; 'tessera devices' lists them (default auto)")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--space", options.space,
                 "How the cells are held: grid, one array; tiles, of which only what moves is "
                 "stepped (the infinite plane); auto, tiles where there are some (default auto)")
      ->type_name("KIND")
      ->group(kGroup);
  app.add_option("--threads", options.threads, "Threads of the cpu backend (default all)")
      ->type_name("N")
      ->group(kGroup);
  app.add_option(
         "--max-memory", options.max_memory,
         "Memory limit for the cells on the device, such as 512M or 8G (default all that is free)")
      ->type_name("SIZE")
      ->group(kGroup);
  add_band_options(app, kGroup, options.halo, options.link);
}

void add_band_options(CLI::App& app, const std::string& group, std::string& halo,
                      std::string& link) {
  app.add_option("--halo", halo,
                 "Generations between two exchanges where several devices step one grid (default "
                 "auto)")
      ->type_name("K")
      ->group(group);
  app.add_option(
         "--link", link,
         "How halos travel between devices: peer, from device to device; nccl, by NVIDIA's "
         "library; host, through the host's memory; auto, peer where it can be had (default "
         "auto)")
      ->type_name("KIND")
      ->group(group);
}

BandOptions band_options(const std::string& halo, const std::string& link,
                         const std::vector<std::string>& backends) {
  BandOptions out;
  if (halo != "auto") out.halo = parse_count("--halo", halo, 1, std::int64_t{1} << 40);
  out.link = parse_link("--link", link);
  if (halo == "auto" && link == "auto") return out;
  if (std::none_of(backends.begin(), backends.end(), names_several)) {
    throw InputError(fmt::format(
        "{} needs several devices that step one grid, as --backend cuda:all or cpu*3 names them",
        halo != "auto" ? "--halo" : "--link"));
  }
  return out;
}

std::int64_t memory_limit(const DeviceOptions& options) {
  return options.max_memory.empty() ? 0 : parse_memory("--max-memory", options.max_memory);
}

std::unique_ptr<Universe> make_universe(const RuleSpec& rule, BackendFactory factory,
                                        const DeviceOptions& options) {
  return std::make_unique<Universe>(rule, std::move(factory), memory_limit(options),
                                    parse_space("--space", options.space));
}

BackendFactory backend_factory(const DeviceOptions& options, TunedBy* by) {
  Tuning tuning;
  if (!options.threads.empty()) {
    tuning.threads = static_cast<int>(parse_count("--threads", options.threads, 1, 4096));
  }
  const std::string backend = on_ranks(options.backend);
  return make_factory(backend, options.kernel, tuning, by,
                      band_options(options.halo, options.link, {backend}));
}

}  // namespace tessera
