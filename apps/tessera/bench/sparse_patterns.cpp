#include "apps/tessera/bench/sparse_patterns.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/cells/rasterize.h"
#include "core/cells/soup.h"
#include "core/pattern_io.h"

namespace tessera {

namespace {

constexpr const char* kAcorn = "x = 7, y = 3, rule = B3/S23\nbo$3bo$2o2b3o!\n";
constexpr const char* kPentomino = "x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n";
constexpr const char* kLidka = "x = 9, y = 15, rule = B3/S23\nbo$obo$bo8$8bo$6bobo$5b2obo2$4b3o!\n";
constexpr const char* kGun =
    "x = 36, y = 9, rule = B3/S23\n"
    "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$"
    "11bo3bo$12b2o!\n";
constexpr const char* kSoup = "";

// `cells`: a pattern, kSoup (seed 1, density 0.5, 1000 x 1000 cells), or nothing: Golly's file.
struct Named {
  const char* name;
  const char* cells;
  const char* file;
  std::int64_t generations, population;
  double floor;
};

// Populations are those that QuickLife counts.
constexpr Named kNamed[] = {
    {"acorn", kAcorn, nullptr, 5000, 804, 3},
    {"acorn", kAcorn, nullptr, 50'000, 633, 30},
    {"acorn", kAcorn, nullptr, 1'000'000, 633, 300},
    {"r-pentomino", kPentomino, nullptr, 100'000, 116, 3},
    {"lidka", kLidka, nullptr, 30'000, 1623, 3},
    {"ark1", nullptr, "Life/Methuselahs/ark1.rle", 100'000, 44695, 3},
    {"Gosper gun", kGun, nullptr, 100'000, 16713, 150},
    {"puffer-train", nullptr, "Life/Puffers/puffer-train.rle", 20'000, 63869, 3},
    {"breeder", nullptr, "Life/Breeders/breeder.lif", 10'000, 142528, 20},
    {"spacefiller", nullptr, "Life/Breeders/spacefiller.rle", 5000, 6292700, 3},
    {"switch-engine-breeder", nullptr, "Life/Breeders/switch-engine-breeder.rle", 10'000, 74655, 3},
    {"p90-rake-factory", nullptr, "Life/Breeders/p90-rake-factory.rle", 10'000, 153308, 20},
    {"line-puffer-unstable", nullptr, "Life/Puffers/line-puffer-unstable.rle", 20'000, 35937, 3},
    {"2c5-spaceship-gun-p416", nullptr, "Life/Guns/2c5-spaceship-gun-p416.rle", 20'000, 29861, 12},
    {"twinprimes", nullptr, "Life/Miscellaneous/twinprimes.rle", 20'000, 80720, 3},
    {"Turing-Machine-3-state", nullptr, "Life/Signal-Circuitry/Turing-Machine-3-state.rle", 10'000,
     36431, 3},
    {"Cambrian-Explosion", nullptr, "Life/Miscellaneous/Cambrian-Explosion.rle", 5000, 3327469, 3},
    {"soup 1000x1000", kSoup, nullptr, 300, 67629, 10},
    {"soup 1000x1000", kSoup, nullptr, 20'000, 34218, 4},
    {"soup 1000x1000", kSoup, nullptr, 1'000'000, 34218, 3},
    {"metapixel-galaxy", nullptr, "HashLife/metapixel-galaxy.mc.gz", 500, 7018294, 8},
};

Pattern soup() {
  Pattern out;
  out.width = out.height = 1000;
  out.cells = runs_of(make_soup(Soup{1, 32768}, out.width, out.height), {0, 0});
  out.rule = RuleSpec{kLife, Topology::infinite, 0, 0};
  return out;
}

Pattern read(const Named& named, const std::string& golly) {
  if (named.cells == kSoup) return soup();
  if (named.cells) return parse_pattern(named.cells, std::string(named.name) + ".rle");
  Pattern out = read_pattern(golly + "/" + named.file);
  if (!out.rule) out.rule = RuleSpec{kLife, Topology::infinite, 0, 0};
  return out;
}

bool plain_life(const Pattern& pattern) {
  return !pattern.cells.empty() &&
         (!pattern.rule || (*pattern.rule == RuleSpec{kLife, Topology::infinite, 0, 0}));
}

}  // namespace

std::vector<SparsePattern> sparse_patterns(const std::string& golly) {
  std::vector<SparsePattern> out;
  for (const Named& named : kNamed) {
    const std::string name =
        std::string(named.name) + ", " + std::to_string(named.generations) + " generations";
    out.push_back({name, [&named, golly] { return read(named, golly); }, named.generations,
                   named.population, named.floor});
  }
  return out;
}

std::vector<SparsePattern> golly_patterns(const std::string& golly) {
  if (golly.empty()) return {};
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(golly) / "Life";
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string path = at->path().string();
    if (path.ends_with(".rle") || path.ends_with(".rle.gz")) paths.push_back(path);
  }
  if (failed || paths.empty()) {
    throw InputError("--golly " + printable(golly) +
                     ": there is no folder Life with patterns; Debian's package golly-data has it");
  }
  std::ranges::sort(paths);
  std::vector<SparsePattern> out;
  for (const std::string& path : paths) {
    const std::string name = path.substr(folder.string().size() + 1);
    if (std::ranges::any_of(kNamed, [&](const Named& named) {
          return named.file && named.file == "Life/" + name;
        })) {
      continue;
    }
    try {
      if (!plain_life(read_pattern(path))) continue;
    } catch (const ParseError&) {
      continue;  // a rule of more than two states
    }
    out.push_back({name,
                   [path] {
                     Pattern pattern = read_pattern(path);
                     pattern.rule = RuleSpec{kLife, Topology::infinite, 0, 0};
                     return pattern;
                   },
                   0, -1, 2});
  }
  return out;
}

}  // namespace tessera
