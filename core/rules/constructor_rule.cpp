#include "core/rules/constructor_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/rules/file_rule.h"

namespace tessera {
namespace {

enum class Constructor : std::uint8_t { von_neumann, nobili, hutton };

struct Named {
  const char* name;
  Constructor rule;
  int states;
};
constexpr Named kConstructors[] = {
    {"JvN29", Constructor::von_neumann, 29},
    {"Nobili32", Constructor::nobili, 32},
    {"Hutton32", Constructor::hutton, 32},
};

// The first state of each kind. Arrows follow in the order of directions: right, up, left, down.
constexpr int kGround = 0, kBuilt = 1, kOrdinary = 9, kOrdinaryExcited = 13, kSpecial = 17,
              kSpecialExcited = 21, kConfluent = 25, kCrossing = 29;

constexpr bool is_arrow(int s) { return s >= kOrdinary && s < kConfluent; }
constexpr int direction_of(int arrow) { return (arrow - kOrdinary) % 4; }
constexpr int opposite(int direction) { return (direction + 2) % 4; }

// Arrows that point here.
enum class Input : std::uint8_t { none, ordinary, ordinary_excited, special, special_excited };

// All that a transition asks of a neighbour. States that look alike share a branch of the tree.
struct Seen {
  Input input = Input::none;
  bool output = false;    // an arrow that points elsewhere
  bool fires = false;     // a confluent cell or crossing whose signal comes here
  std::uint8_t kind = 9;  // of ground and cells being built the state; kSpecial at rest; or 9
  bool operator<(const Seen& other) const {
    return std::tie(input, output, fires, kind) <
           std::tie(other.input, other.output, other.fires, other.kind);
  }
};

// A neighbour of this state, of which an arrow in `direction` would point here.
Seen seen(int s, int direction) {
  Seen out;
  if (is_arrow(s)) {
    if (direction_of(s) != direction) {
      out.output = true;
    } else {
      out.input = s < kOrdinaryExcited  ? Input::ordinary
                  : s < kSpecial        ? Input::ordinary_excited
                  : s < kSpecialExcited ? Input::special
                                        : Input::special_excited;
    }
  }
  // Confluent cells fire in their third and fourth state; crossings along one axis, or both.
  out.fires = s == 27 || s == 28 || s == 31 || s == (direction % 2 == 0 ? 29 : 30);
  if (s < kOrdinary) out.kind = static_cast<std::uint8_t>(s);
  if (s >= kSpecial && s < kSpecialExcited) out.kind = kSpecial;
  return out;
}

class Neighbours {
 public:
  explicit Neighbours(const std::array<Seen, 4>& from) : from_(from) {}

  const Seen& from(int direction) const { return from_[static_cast<std::size_t>(direction)]; }
  const Seen& ahead_of(int direction) const { return from(opposite(direction)); }
  bool comes(Input input, int direction) const { return from(direction).input == input; }
  bool ordinary(int direction) const { return comes(Input::ordinary_excited, direction); }
  bool special(int direction) const { return comes(Input::special_excited, direction); }

  template <class Holds>
  int count(const Holds& holds) const {
    int n = 0;
    for (int d = 0; d < 4; d++) n += holds(d) ? 1 : 0;
    return n;
  }
  bool any_ordinary() const {
    return count([&](int d) { return ordinary(d); }) > 0;
  }
  bool any_special() const {
    return count([&](int d) { return special(d); }) > 0;
  }
  int inputs() const {
    return count([&](int d) { return from(d).input != Input::none; });
  }
  int outputs() const {
    return count([&](int d) { return from(d).output; });
  }
  // Whether something of this kind comes to an arrow from behind or a side.
  bool into(int arrow, Input input) const {
    return count([&](int d) { return d != opposite(arrow) && comes(input, d); }) > 0;
  }
  bool fired_into(int arrow) const {
    return count([&](int d) { return d != opposite(arrow) && from(d).fires; }) > 0;
  }

 private:
  std::array<Seen, 4> from_;
};

// What a cell being built becomes without an input, and with one.
constexpr std::array<std::array<int, 2>, 9> kBuilding{{{kGround, kBuilt},
                                                       {2, 3},
                                                       {4, 5},
                                                       {6, 7},
                                                       {8, 11},
                                                       {12, 17},
                                                       {18, 19},
                                                       {20, kConfluent},
                                                       {9, 10}}};

int arrow_of_signals(int s, const Neighbours& near) {
  const bool ordinary = s < kSpecial;
  if (ordinary ? near.any_special() : near.any_ordinary()) return kGround;
  const int way = direction_of(s);
  const Input own = ordinary ? Input::ordinary_excited : Input::special_excited;
  const bool excited = near.into(way, own) || near.fired_into(way);
  return (ordinary ? kOrdinary : kSpecial) + way + (excited ? 4 : 0);
}

// Whether all ordinary arrows that point here are excited, and there is one.
bool all_excited(const Neighbours& near) {
  return near.any_ordinary() &&
         near.count([&](int d) { return near.comes(Input::ordinary, d); }) == 0;
}

int crossing(const Neighbours& near) {
  const bool across = near.ordinary(0) || near.ordinary(2);
  const bool along = near.ordinary(1) || near.ordinary(3);
  if (!across && !along) return kConfluent;
  return across && along ? kCrossing + 2 : kCrossing + (along ? 1 : 0);
}

int confluent(int s, const Neighbours& near) {
  const bool next_fires = s == 26 || s == 28;
  return kConfluent + (next_fires ? 2 : 0) + (all_excited(near) ? 1 : 0);
}

int next_of_von_neumann(int s, const Neighbours& near) {
  if (s < kOrdinary)
    return kBuilding[static_cast<std::size_t>(s)][near.any_ordinary() || near.any_special()];
  if (s < kConfluent) return arrow_of_signals(s, near);
  return near.any_special() ? kGround : confluent(s, near);
}

// Two ordinary arrows that meet at a right angle, each with an output ahead of it.
bool crosses(const Neighbours& near) {
  const auto comes = [&](int d) { return near.comes(Input::ordinary, d) || near.ordinary(d); };
  for (const int axis : {0, 1}) {
    if (comes(axis) == comes(axis + 2)) return false;
    if (!near.ahead_of(comes(axis) ? axis : axis + 2).output) return false;
  }
  return true;
}

int next_of_nobili(int s, const Neighbours& near) {
  if (s < kConfluent || near.any_special()) return next_of_von_neumann(s, near);
  if (crosses(near)) return crossing(near);
  if (s >= kCrossing) return kConfluent + (all_excited(near) ? 1 : 0);
  // A signal waits in a confluent cell until there is a way out.
  if (near.outputs() == 0 && !all_excited(near)) return s;
  return confluent(s, near);
}

// In which direction, and of which kind, a cell is built depends on where the signals come from.
int built_by_hutton(int s, const Neighbours& near) {
  constexpr std::array<int, 9> kAlone{0, 2, 4, 6, 8, 7, 17, 15, 8};
  int way = 0;
  while (way < 4 && !near.ordinary(way) && !near.special(way)) way++;
  if (way == 4) return kAlone[static_cast<std::size_t>(s)];
  const bool ordinary = near.any_ordinary();
  const auto turned = [&](int quarters) { return (way + quarters) % 4; };
  switch (s) {
    case 0:
      return ordinary ? kBuilt : kOrdinary + way;
    case 4:
      return ordinary ? kOrdinary + turned(2) : 8;
    case 5:
      if (near.ordinary(way)) return kSpecial + way;
      return ordinary ? kConfluent + way : kOrdinary + turned(3);
    case 6:
      return kSpecial + turned(ordinary ? 2 : 1);
    case 7:
      return ordinary ? kConfluent : kSpecial + turned(3);
    case 8:
      return kOrdinary + turned(ordinary ? 1 : 0);
    default:
      return kBuilding[static_cast<std::size_t>(s)][ordinary];
  }
}

int ordinary_of_hutton(int s, const Neighbours& near) {
  if (near.any_special()) return kGround;
  const int way = direction_of(s), rest = kOrdinary + way;
  const int ahead = near.ahead_of(way).kind;
  const bool excited = near.into(way, Input::ordinary_excited) || near.fired_into(way);
  if (s < kOrdinaryExcited) {
    if (!excited) return rest;
    return ahead == 5 || ahead == 8 || ahead == kSpecial ? kGround : rest + 4;
  }
  if (excited) {
    if (ahead == 7) return kBuilt;
    return ahead == 4 || ahead == 8 || ahead == kSpecial ? kGround : rest + 4;
  }
  if (ahead == 7) return kGround;
  return ahead < 4 ? kSpecialExcited + way : rest;
}

int special_of_hutton(int s, const Neighbours& near) {
  const int way = direction_of(s), rest = kSpecial + way;
  if (s < kSpecialExcited) return arrow_of_signals(s, near);
  if (near.ordinary(opposite(way))) return kGround;
  const int ahead = near.ahead_of(way).kind;
  const bool ground = ahead == kGround, young = ahead >= 1 && ahead <= 4;
  const bool excited = near.into(way, Input::special_excited);
  if (near.any_ordinary()) {
    if (ground) return rest + (excited ? 4 : 0);
    return young ? kOrdinaryExcited + way : kGround;
  }
  const bool led = near.into(way, Input::ordinary);
  if (led && ahead >= 5 && ahead <= 8) return kOrdinary + way;
  if (excited) return rest + 4;
  if (near.fired_into(way)) return rest + (ground ? 0 : 4);
  return rest + (led && young ? 4 : 0);
}

int next_of_hutton(int s, const Neighbours& near) {
  if (s < kOrdinary) return built_by_hutton(s, near);
  if (s < kSpecial) return ordinary_of_hutton(s, near);
  if (s < kConfluent) return special_of_hutton(s, near);
  if (near.any_special()) return kGround;
  const bool meeting = s == kConfluent && near.inputs() >= 2 && near.outputs() >= 2;
  return s >= kCrossing || meeting ? crossing(near) : confluent(s, near);
}

int next_of(Constructor rule, int s, const Neighbours& near) {
  switch (rule) {
    case Constructor::von_neumann:
      return next_of_von_neumann(s, near);
    case Constructor::nobili:
      return next_of_nobili(s, near);
    case Constructor::hutton:
      break;
  }
  return next_of_hutton(s, near);
}

// Writes the lines of a tree, equal nodes once.
class TreeWriter {
 public:
  explicit TreeWriter(const Named& rule) : rule_(rule) {
    for (int d = 0; d < 4; d++) {
      for (int s = 0; s < rule.states; s++)
        alike_[static_cast<std::size_t>(d)][seen(s, d)].push_back(s);
    }
    node(5);
  }

  std::string text() const {
    return "num_states=" + std::to_string(rule_.states) +
           "\nnum_neighbors=4\nnum_nodes=" + std::to_string(nodes_.size()) + "\n" + lines_;
  }

 private:
  // The number of the node of a level that decides after those above it.
  int node(int level) {
    std::vector<int> line(static_cast<std::size_t>(rule_.states) + 1, level);
    if (level == 1) {
      const Neighbours near(from_);
      for (int s = 0; s < rule_.states; s++)
        line[static_cast<std::size_t>(s) + 1] = next_of(rule_.rule, s, near);
    } else {
      // The arrows that point here from N, W, E and S.
      constexpr std::array<std::size_t, 4> kDirections{3, 0, 2, 1};
      const std::size_t direction = kDirections[static_cast<std::size_t>(5 - level)];
      for (const auto& [look, states] : alike_[direction]) {
        from_[direction] = look;
        const int child = node(level - 1);
        for (const int s : states) line[static_cast<std::size_t>(s) + 1] = child;
      }
    }
    const auto [at, added] = nodes_.try_emplace(line, static_cast<int>(nodes_.size()));
    if (added) {
      for (const int number : line) lines_.append(std::to_string(number)).push_back(' ');
      lines_.back() = '\n';
    }
    return at->second;
  }

  const Named& rule_;
  std::array<std::map<Seen, std::vector<int>>, 4> alike_;
  std::array<Seen, 4> from_;
  std::map<std::vector<int>, int> nodes_;
  std::string lines_;
};

std::string name_of(int s) {
  static constexpr const char* kParts[] = {"", "0", "1", "00", "01", "10", "11", "000"};
  static constexpr const char* kWays[] = {" right", " up", " left", " down"};
  static constexpr const char* kLast[] = {"confluent",
                                          "confluent, next excited",
                                          "confluent, excited",
                                          "confluent, excited and next excited",
                                          "crossing, excited across",
                                          "crossing, excited along",
                                          "crossing, excited across and along"};
  if (s == kGround) return "ground";
  if (s < kOrdinary) return std::string("sensitized ") + kParts[s - kBuilt];
  if (s >= kConfluent) return kLast[s - kConfluent];
  const bool excited = s >= kSpecialExcited || (s >= kOrdinaryExcited && s < kSpecial);
  return (s < kSpecial ? "ordinary" : "special") + std::string(kWays[direction_of(s)]) +
         (excited ? ", excited" : "");
}

// Ordinary arrows are blue and special ones red, bright when excited; what is being built grows
// from brown to yellow; confluent cells are green and crossings cyan.
FileColour colour_of(int s) {
  const auto colour = [](int red, int green, int blue) {
    return FileColour{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                      static_cast<std::uint8_t>(blue)};
  };
  if (s == kGround) return colour(24, 24, 28);
  if (s < kOrdinary) return colour(110 + 16 * s, 70 + 18 * s, 30);
  const int step = 10 * ((s - kOrdinary) % 4);
  if (s < kOrdinaryExcited) return colour(40 + step, 80 + step, 180 + step);
  if (s < kSpecial) return colour(130 + step, 190 + step, 225 + step);
  if (s < kSpecialExcited) return colour(150 + step, 35 + step, 50 + step);
  if (s < kConfluent) return colour(225 + step, 110 + step, 130 + step);
  if (s < kCrossing) return colour(40, 140 + 35 * (s - kConfluent), 70);
  return colour(60, 200 + 20 * (s - kCrossing), 210 + 20 * (s - kCrossing));
}

std::string text_of(const Named& rule) {
  std::string text = std::string("@RULE ") + rule.name + "\n@TREE\n" + TreeWriter(rule).text();
  text += "@COLORS\n";
  for (int s = 0; s < rule.states; s++) {
    const FileColour colour = colour_of(s);
    for (const int number : {s, int{colour.red}, int{colour.green}, int{colour.blue}})
      text.append(std::to_string(number)).push_back(' ');
    text.back() = '\n';
  }
  text += "@NAMES\n";
  for (int s = 0; s < rule.states; s++) text += std::to_string(s) + " " + name_of(s) + "\n";
  return text;
}

}  // namespace

std::optional<Rule> constructor_rule(std::string_view name) {
  const auto found =
      std::ranges::find_if(kConstructors, [&](const Named& each) { return name == each.name; });
  if (found == std::end(kConstructors)) return std::nullopt;
  return kept_file_rule(parse_rule_file(text_of(*found), std::string(name) + ".rule"));
}

std::vector<std::string> constructor_names() {
  std::vector<std::string> names;
  for (const Named& each : kConstructors) names.emplace_back(each.name);
  return names;
}

}  // namespace tessera
