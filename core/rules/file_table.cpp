#include "core/rules/file_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "core/base/paths.h"

namespace tessera {
namespace {

constexpr std::size_t kMostChoices = 1 << 16;
constexpr std::size_t kMostLines = 1 << 18;

struct NamedNeighbourhood {
  const char* name;
  FileNeighbourhood neighbourhood;
};

constexpr NamedNeighbourhood kNeighbourhoods[] = {
    {"vonNeumann", FileNeighbourhood::von_neumann},
    {"Moore", FileNeighbourhood::moore},
    {"hexagonal", FileNeighbourhood::hexagonal},
    {"oneDimensional", FileNeighbourhood::one_dimensional},
};

struct NamedSymmetry {
  FileNeighbourhood neighbourhood;
  const char* name;
  FileSymmetry symmetry;
};

using enum FileNeighbourhood;

constexpr NamedSymmetry kSymmetries[] = {
    {von_neumann, "none", {}},
    {von_neumann, "rotate4", {4}},
    {von_neumann, "rotate4reflect", {4, true}},
    {von_neumann, "reflect_horizontal", {1, true}},
    {von_neumann, "permute", {1, false, true}},
    {moore, "none", {}},
    {moore, "rotate4", {4}},
    {moore, "rotate8", {8}},
    {moore, "rotate4reflect", {4, true}},
    {moore, "rotate8reflect", {8, true}},
    {moore, "reflect_horizontal", {1, true}},
    {moore, "permute", {1, false, true}},
    {hexagonal, "none", {}},
    {hexagonal, "rotate2", {2}},
    {hexagonal, "rotate3", {3}},
    {hexagonal, "rotate6", {6}},
    {hexagonal, "rotate6reflect", {6, true}},
    {hexagonal, "permute", {1, false, true}},
    {one_dimensional, "none", {}},
    {one_dimensional, "reflect", {1, true}},
    {one_dimensional, "permute", {1, false, true}},
};

class TableReader {
 public:
  TableReader(FileLines& lines, FileRule& rule) : lines_(lines), rule_(rule) {}

  void read() {
    while (lines_.next() && !lines_.section()) {
      if (!lines_.line().empty()) read_line();
    }
    if (!states_ || !neighbourhood_ || !symmetry_)
      lines_.fail(
          "the table ended without one of the lines n_states:, neighborhood: and symmetries:");
    rule_.table = std::move(table_);
  }

 private:
  void read_line() {
    if (lines_.accept("n_states:")) {
      set_once(states_);
      rule_.states =
          static_cast<int>(lines_.number(lines_.word(""), 2, kMostStates, "the number of states"));
    } else if (lines_.accept("neighborhood:")) {
      set_once(neighbourhood_);
      read_neighbourhood();
    } else if (lines_.accept("symmetries:")) {
      if (!neighbourhood_) lines_.fail("the line neighborhood: must come before symmetries:");
      set_once(symmetry_);
      read_symmetry();
    } else {
      if (!states_ || !neighbourhood_ || !symmetry_) {
        lines_.fail(
            "the lines n_states:, neighborhood: and symmetries: must come before variables and "
            "transitions");
      }
      if (lines_.accept("var ") || lines_.accept("var\t")) {
        read_variable();
      } else {
        read_transition();
      }
    }
  }

  void set_once(bool& seen) {
    if (seen) lines_.fail("this line stands twice");
    if (begun_) lines_.fail("this line must come before variables and transitions");
    seen = true;
  }

  void read_neighbourhood() {
    const std::string_view name = lines_.rest();
    const auto found = std::ranges::find(kNeighbourhoods, name, &NamedNeighbourhood::name);
    if (found == std::end(kNeighbourhoods)) {
      lines_.fail(fmt::format(
          "the neighborhood '{}' is not known; accepted are vonNeumann, Moore, hexagonal and "
          "oneDimensional",
          printable(name, 40)));
    }
    table_.neighbourhood = found->neighbourhood;
    inputs_ = cells_seen(table_.neighbourhood).size();
  }

  void read_symmetry() {
    const std::string_view name = lines_.rest();
    std::string accepted;
    for (const NamedSymmetry& each : kSymmetries) {
      if (each.neighbourhood != table_.neighbourhood) continue;
      if (each.name == name) {
        table_.symmetry = each.symmetry;
        return;
      }
      if (!accepted.empty()) accepted.append(", ");
      accepted.append(each.name);
    }
    lines_.fail(
        fmt::format("the symmetries '{}' are not known for this neighborhood; accepted are {}",
                    printable(name, 40), accepted));
  }

  void read_variable() {
    begun_ = true;
    constexpr std::string_view kEnds = "= {,}";
    const std::string name(lines_.word(kEnds));
    if (name.empty()) lines_.fail("a variable is spelled as in var a={0,1,2}");
    StateChoice choice;
    bool any = false;
    for (std::string_view word = lines_.word(kEnds); !word.empty(); word = lines_.word(kEnds)) {
      any = true;
      if (const auto found = variables_.find(word); found != variables_.end()) {
        for (const std::uint8_t state : table_.choices[found->second].order) add(choice, state);
      } else {
        add(choice, state_of(word));
      }
    }
    if (!any) lines_.fail("a variable has at least one state, as in var a={0,1,2}");
    variables_[name] = kept(std::move(choice));
  }

  static void add(StateChoice& choice, std::uint8_t state) {
    if (choice.set[state]) return;
    choice.set.set(state);
    choice.order.push_back(state);
  }

  std::uint32_t kept(StateChoice choice) {
    if (table_.choices.size() == kMostChoices)
      lines_.fail(fmt::format("a table has at most {} variables", kMostChoices));
    table_.choices.push_back(std::move(choice));
    return static_cast<std::uint32_t>(table_.choices.size() - 1);
  }

  std::uint8_t state_of(std::string_view word) const {
    if (!FileLines::digits(word)) {
      lines_.fail(fmt::format("'{}' is neither a state nor a variable of a line above",
                              printable(word, 40)));
    }
    return static_cast<std::uint8_t>(lines_.number(word, 0, rule_.states - 1, "a state"));
  }

  std::uint32_t single(std::uint8_t state) {
    if (const std::uint32_t known = single_[state]; known != 0) return known - 1;
    StateChoice choice;
    add(choice, state);
    const std::uint32_t number = kept(std::move(choice));
    single_[state] = number + 1;
    return number;
  }

  // The words of a transition, as many as it has cells and one more.
  std::vector<std::string_view> read_words() {
    std::vector<std::string_view> words;
    const std::string_view line = lines_.line();
    if (rule_.states <= 10 && variables_.empty() && line.find(',') == std::string_view::npos) {
      // Digits without anything between them.
      if (line.size() != inputs_ + 1) {
        lines_.fail(fmt::format("a transition of this neighborhood has {} states", inputs_ + 1));
      }
      for (std::size_t i = 0; i < line.size(); i++) words.push_back(line.substr(i, 1));
      return words;
    }
    while (words.size() <= inputs_ + 1) {
      const std::string_view word = lines_.word(",");
      if (word.empty()) break;
      words.push_back(word);
    }
    if (words.size() != inputs_ + 1) {
      lines_.fail(
          fmt::format("a transition of this neighborhood has {} states or variables", inputs_ + 1));
    }
    return words;
  }

  void read_transition() {
    begun_ = true;
    const std::vector<std::string_view> words = read_words();
    if (table_.lines.size() == kMostLines)
      lines_.fail(fmt::format("a table has at most {} transitions", kMostLines));
    // Variables that stand more than once, by name.
    std::vector<std::string_view> bound;
    for (std::size_t i = 0; i < words.size(); i++) {
      if (variables_.contains(words[i]) && std::ranges::count(words, words[i]) > 1 &&
          std::ranges::find(bound, words[i]) == bound.end())
        bound.push_back(words[i]);
    }
    std::ranges::sort(bound);
    const auto number_of = [&](std::string_view word) {
      const auto found = std::ranges::find(bound, word);
      return static_cast<std::int8_t>(found == bound.end() ? -1 : found - bound.begin());
    };
    TableLine line;
    line.bound.fill(-1);
    line.bound_count = static_cast<int>(bound.size());
    for (std::size_t i = 0; i < inputs_; i++) {
      const auto variable = variables_.find(words[i]);
      line.choice[i] = variable != variables_.end() ? variable->second : single(state_of(words[i]));
      line.bound[i] = number_of(words[i]);
    }
    const std::string_view next = words.back();
    line.next_bound = number_of(next);
    if (const auto variable = variables_.find(next); variable == variables_.end()) {
      line.next = state_of(next);
    } else if (line.next_bound < 0) {
      const StateChoice& choice = table_.choices[variable->second];
      if (choice.order.size() > 1) {
        lines_.fail(
            "the next state is a variable of several states that the line names nowhere "
            "else");
      }
      line.next = choice.order.front();
    }
    count(line);
    table_.lines.push_back(line);
  }

  // Adds what the line is when it is written out.
  void count(const TableLine& line) {
    std::array<std::int64_t, TableLine::kMostBound> values{};
    for (std::size_t i = 0; i < inputs_; i++) {
      if (line.bound[i] >= 0)
        values[static_cast<std::size_t>(line.bound[i])] =
            std::ssize(table_.choices[line.choice[i]].order);
    }
    std::int64_t forms = table_.symmetry.rotations * (table_.symmetry.reflected ? 2 : 1);
    if (table_.symmetry.permuted) {
      std::map<std::pair<std::uint32_t, int>, int> equal;
      for (std::size_t i = 1; i < inputs_; i++)
        forms = forms * static_cast<std::int64_t>(i) / ++equal[{line.choice[i], line.bound[i]}];
    }
    for (int b = 0; b < line.bound_count; b++)
      forms = std::min(forms * values[static_cast<std::size_t>(b)], kMostFileLines + 1);
    written_out_ += forms;
    if (written_out_ > kMostFileLines) {
      lines_.fail(fmt::format(
          "with this line the table has more than {} transitions once variables and symmetries are "
          "written out, which is the limit",
          kMostFileLines));
    }
  }

  FileLines& lines_;
  FileRule& rule_;
  RuleTable table_;
  std::map<std::string, std::uint32_t, std::less<>> variables_;
  std::array<std::uint32_t, kMostStates> single_{};  // one more than the choice of one state
  std::size_t inputs_ = 0;
  std::int64_t written_out_ = 0;
  bool states_ = false, neighbourhood_ = false, symmetry_ = false, begun_ = false;
};

}  // namespace

void read_file_table(FileLines& lines, FileRule& rule) { TableReader(lines, rule).read(); }

}  // namespace tessera
