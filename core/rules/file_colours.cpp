#include "core/rules/file_colours.h"

#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

constexpr std::size_t kOfState = 4, kOfGradient = 6;  // numbers

// Up to six numbers between spaces and `ends`.
std::vector<int> colour_numbers(FileLines& lines, std::string_view ends) {
  std::vector<int> numbers;
  for (std::string_view word = lines.word(ends);
       FileLines::digits(word) && numbers.size() < kOfGradient; word = lines.word(ends))
    numbers.push_back(static_cast<int>(lines.number(word, 0, 255, "a state or part of a colour")));
  return numbers;
}

// Takes four numbers or six.
void set_colours(const std::vector<int>& numbers, std::vector<std::optional<FileColour>>& colours) {
  const auto part = [&](std::size_t i) { return static_cast<std::uint8_t>(numbers[i]); };
  if (numbers.size() < kOfGradient) {
    const auto state = static_cast<std::size_t>(numbers[0]);
    if (state < colours.size()) colours[state] = FileColour{part(1), part(2), part(3)};
    return;
  }
  const int last = static_cast<int>(colours.size()) - 1;
  for (int s = 1; s <= last; s++) {
    const auto between = [&](std::size_t i) {
      const int from = numbers[i], to = numbers[i + 3];
      return static_cast<std::uint8_t>(last > 1 ? from + (to - from) * (s - 1) / (last - 1) : from);
    };
    colours[static_cast<std::size_t>(s)] = FileColour{between(0), between(1), between(2)};
  }
}

}  // namespace

void read_colours(FileLines& lines, std::vector<std::optional<FileColour>>& colours) {
  const std::vector<int> numbers = colour_numbers(lines, ",");
  if (numbers.size() < kOfState) {
    lines.fail(
        "a colour is spelled as state, red, green and blue, or as two colours that others "
        "lie between; numbers of 0 to 255 are accepted");
  }
  set_colours(numbers, colours);
}

void read_old_colours(std::string_view text, const std::string& path,
                      std::vector<std::optional<FileColour>>& colours) {
  FileLines lines(text, path);
  while (lines.next()) {
    if (lines.line().empty()) continue;
    const bool gradient = lines.accept("gradient");
    const std::size_t wanted = gradient ? kOfGradient : kOfState;
    std::vector<int> numbers;
    if (gradient || lines.accept("color")) numbers = colour_numbers(lines, "=,");
    if (numbers.size() < wanted) {
      lines.fail(
          "a line of colours is spelled as color = state red green blue or gradient = red green "
          "blue red green blue; numbers of 0 to 255 are accepted");
    }
    numbers.resize(wanted);
    set_colours(numbers, colours);
  }
}

}  // namespace tessera
