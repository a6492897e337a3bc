#include "apps/common/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/rules/rule_spec.h"

namespace tessera {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& accepted) {
  throw InputError(fmt::format("{}: '{}' is not {}", option, text, accepted));
}

// The whole of `text` as a number, without leading '+' or blanks.
template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

// A number >= 0 and the unit after it, such as "1.5" and "GiB".
std::pair<std::optional<double>, std::string> number_and_unit(const std::string& text) {
  const std::size_t split = std::min(text.find_first_not_of("0123456789."), text.size());
  return {whole<double>(std::string_view(text).substr(0, split)), text.substr(split)};
}

}  // namespace

std::int64_t parse_count(const std::string& option, const std::string& text, std::int64_t low,
                         std::int64_t high) {
  const std::optional<std::int64_t> value = whole<std::int64_t>(text);
  if (!value || *value < low || *value > high) {
    refuse(option, text, fmt::format("a whole number in {} .. {}", low, high));
  }
  return *value;
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
  const std::optional<std::uint64_t> value = whole<std::uint64_t>(text);
  if (!value) refuse(option, text, "a whole number in 0 .. 18446744073709551615");
  return *value;
}

double parse_number(const std::string& option, const std::string& text, double low, double high) {
  const std::optional<double> value = whole<double>(text);
  if (!value || !(*value >= low && *value <= high))
    refuse(option, text, fmt::format("a number in {} .. {}", low, high));
  return *value;
}

double parse_density(const std::string& option, const std::string& text) {
  const std::optional<double> value = whole<double>(text);
  if (!value || !(*value >= 0 && *value <= 1))
    refuse(option, text, "a density in 0 .. 1, such as 0.5");
  return *value;
}

GridSize parse_size(const std::string& option, const std::string& text) {
  const std::size_t x = text.find_first_of("xX");
  const std::string_view all = text;
  const auto width = whole<std::int64_t>(all.substr(0, x));
  const auto height =
      x == std::string::npos ? std::nullopt : whole<std::int64_t>(all.substr(x + 1));
  const auto good = [](std::optional<std::int64_t> side) {
    return side && *side >= 1 && *side <= kMaxSide;
  };
  if (!good(width) || !good(height)) {
    refuse(option, text, fmt::format("a size such as 4096x4096, with sides in 1 .. {}", kMaxSide));
  }
  return {*width, *height};
}

std::int64_t parse_memory(const std::string& option, const std::string& text) {
  const auto [number, unit] = number_and_unit(text);
  constexpr std::string_view kPrefixes = "KMGT";
  double factor = 1;
  bool known = unit.empty() || unit == "B";
  if (!known) {
    const std::size_t power = kPrefixes.find(static_cast<char>(unit[0] & ~0x20));
    const std::string_view rest = std::string_view(unit).substr(1);
    known = power != std::string_view::npos && (rest.empty() || rest == "iB" || rest == "B");
    if (known) factor = std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  const double bytes = number.value_or(0) * factor;
  if (!known || !number || bytes < 1 || bytes > 0x1p60) {
    refuse(option, text, "an amount of memory such as 512M, 8G or 1.5GiB");
  }
  return static_cast<std::int64_t>(bytes);
}

double parse_duration(const std::string& option, const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  const auto [number, unit] = number_and_unit(text);
  constexpr const char* kAccepted = "a time above 0 such as 500ms, 90s, 15min, 2h or 1d";
  if (number && unit.empty())
    throw InputError(
        fmt::format("{}: '{}' lacks its unit: {} is accepted", option, text, kAccepted));
  const auto found =
      std::find_if(std::begin(kUnits), std::end(kUnits),
                   [&, &unit = unit](const auto& known) { return known.first == unit; });
  if (!number || found == std::end(kUnits) || *number <= 0 || *number > 1e9) {
    refuse(option, text, kAccepted);
  }
  return *number * found->second;
}

Interval parse_interval(const std::string& option, const std::string& text) {
  Interval interval;
  if (text.ends_with("gens")) {
    interval.generations = whole<std::int64_t>(std::string_view(text).substr(0, text.size() - 4));
    if (!interval.generations || *interval.generations < 1) {
      refuse(option, text, "a number of generations above 0 such as 10000gens");
    }
    return interval;
  }
  try {
    interval.seconds = parse_duration(option, text);
  } catch (const InputError&) {
    refuse(option, text, "a time such as 90s, 15min or 2h, nor generations such as 10000gens");
  }
  return interval;
}

Rect parse_rect(const std::string& option, const std::string& text) {
  const std::size_t first = text.find(','), second = text.find(',', first + 1);
  if (first == std::string::npos || second == std::string::npos) {
    refuse(option, text, "a rectangle X,Y,WxH such as -512,-512,1024x1024");
  }
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const GridSize size = parse_size(option, text.substr(second + 1));
  return {parse_count(option + ": X", text.substr(0, first), -kFar, kFar),
          parse_count(option + ": Y", text.substr(first + 1, second - first - 1), -kFar, kFar),
          size.width, size.height};
}

Scale parse_scale(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;  // as View accepts
  constexpr std::int64_t kMostPixels = 1024;
  const bool enlarges = text.starts_with("1/");
  const auto number = whole<std::int64_t>(std::string_view(text).substr(enlarges ? 2 : 0));
  if (!number || *number < 1 || *number > (enlarges ? kMostPixels : kMost)) {
    refuse(option, text, "a scale such as 8 (8x8 cells per pixel) or 1/4 (4x4 pixels per cell)");
  }
  return enlarges ? Scale{1, *number} : Scale{*number, 1};
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.3g} s", seconds);
  const auto whole_seconds = static_cast<std::int64_t>(std::min(std::round(seconds), 1e15));
  const std::int64_t minutes = whole_seconds / 60, hours = minutes / 60;
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, whole_seconds % 60);
  if (hours < 24) return fmt::format("{} h {:02} min", hours, minutes % 60);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string rate_text(double per_second) {
  if (per_second < 1000) return fmt::format("{:.3g}", per_second);
  const int exponent = static_cast<int>(std::floor(std::log10(per_second)));
  return fmt::format("{:.2f}e{}", per_second / std::pow(10.0, exponent), exponent);
}

}  // namespace tessera
