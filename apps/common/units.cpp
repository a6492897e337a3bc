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
std::optional<double> number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

constexpr const char* kDigits = "0123456789";
// Options that accept so much are often given counts such as 10k.
constexpr std::int64_t kShortened = 100'000;

// Takes the decimal exponent at the end of a count: "e6", or k, M, G or T for 3, 6, 9 or 12.
std::optional<std::size_t> take_exponent(std::string_view& text) {
  const std::size_t at = text.find_first_not_of("0123456789.");
  if (at == std::string_view::npos) return 0;
  const std::string_view mark = text.substr(at);
  text = text.substr(0, at);
  constexpr std::string_view kPrefixes = "kMGT";
  const char first = mark[0] == 'K' ? 'k' : mark[0];
  if (const std::size_t prefix = kPrefixes.find(first); prefix != std::string_view::npos) {
    if (mark.size() > 1) return std::nullopt;
    return 3 * (prefix + 1);
  }
  const std::string_view digits = mark.substr(1);
  if ((first != 'e' && first != 'E') || digits.empty() || digits.size() > 3 ||
      digits.find_first_not_of(kDigits) != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t exponent = 0;
  for (const char c : digits) exponent = 10 * exponent + static_cast<std::size_t>(c - '0');
  return exponent;
}

// A whole number below 2^64 as people write it: "1500000", "1.5M" or "1.5e6". Exact: the decimal
// point is moved through the digits, and whatever stays behind it must be zeros.
std::optional<std::uint64_t> magnitude(std::string_view text) {
  const std::optional<std::size_t> exponent = take_exponent(text);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string behind(text.substr(std::min(point + 1, text.size())));
  const bool lone_point = point < text.size() && behind.empty();
  if (!exponent || digits.empty() || lone_point ||
      behind.find_first_not_of(kDigits) != std::string::npos) {
    return std::nullopt;
  }
  behind.resize(std::max(behind.size(), *exponent), '0');
  digits += behind.substr(0, *exponent);
  if (behind.find_first_not_of('0', *exponent) != std::string::npos) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The same with an optional minus sign, in 63 bits.
std::optional<std::int64_t> count(std::string_view text) {
  const bool minus = text.starts_with('-');
  const std::optional<std::uint64_t> value = magnitude(text.substr(minus ? 1 : 0));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value || *value > kMost) return std::nullopt;
  return minus ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

// A number >= 0 and the unit after it, such as "1.5" and "GiB".
std::pair<std::optional<double>, std::string> number_and_unit(const std::string& text) {
  const std::size_t split = std::min(text.find_first_not_of("0123456789."), text.size());
  return {number(std::string_view(text).substr(0, split)), text.substr(split)};
}

}  // namespace

std::int64_t parse_count(const std::string& option, const std::string& text, std::int64_t low,
                         std::int64_t high) {
  const std::optional<std::int64_t> value = count(text);
  if (!value || *value < low || *value > high) {
    refuse(option, text,
           fmt::format("a whole number from {} to {}{}", low, high,
                       high >= kShortened ? ", such as 5000, 5k or 5e3" : ""));
  }
  return *value;
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
  const std::optional<std::uint64_t> value = magnitude(text);
  if (!value) refuse(option, text, "a whole number from 0 to 18446744073709551615");
  return *value;
}

double parse_number(const std::string& option, const std::string& text, double low, double high) {
  const std::optional<double> value = number(text);
  if (!value || !(*value >= low && *value <= high))
    refuse(option, text, fmt::format("a number from {} to {}", low, high));
  return *value;
}

double parse_density(const std::string& option, const std::string& text) {
  const std::optional<double> value = number(text);
  if (!value || !(*value >= 0 && *value <= 1))
    refuse(option, text, "a density from 0 to 1, such as 0.5");
  return *value;
}

GridSize parse_size(const std::string& option, const std::string& text) {
  const std::size_t x = text.find_first_of("xX");
  const std::string_view all = text;
  const auto width = count(all.substr(0, x));
  const auto height = x == std::string::npos ? std::nullopt : count(all.substr(x + 1));
  const auto good = [](std::optional<std::int64_t> side) {
    return side && *side >= 1 && *side <= kMaxSide;
  };
  if (!good(width) || !good(height)) {
    refuse(option, text,
           fmt::format("a size such as 4096x4096, with sides from 1 to {}", kMaxSide));
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
      {"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  const auto [number, unit] = number_and_unit(text);
  const auto found =
      std::find_if(std::begin(kUnits), std::end(kUnits),
                   [&, &unit = unit](const auto& known) { return known.first == unit; });
  if (!number || found == std::end(kUnits) || *number <= 0 || *number > 1e9) {
    refuse(option, text, "a time above 0 such as 5 (seconds), 500ms, 90s, 15min, 2h or 1d");
  }
  return *number * found->second;
}

Interval parse_interval(const std::string& option, const std::string& text) {
  Interval interval;
  if (text.ends_with("gens")) {
    interval.generations = count(std::string_view(text).substr(0, text.size() - 4));
    if (!interval.generations || *interval.generations < 1) {
      refuse(option, text, "a number of generations above 0 such as 10000gens");
    }
    return interval;
  }
  try {
    // A number alone could mean either.
    const bool alone = number_and_unit(text).second.empty();
    if (!alone) interval.seconds = parse_duration(option, text);
  } catch (const InputError&) {
  }
  if (!interval.seconds) {
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
  const auto number = count(std::string_view(text).substr(enlarges ? 2 : 0));
  if (!number || *number < 1 || *number > (enlarges ? kMostPixels : kMost)) {
    refuse(option, text, "a scale such as 8 (8x8 cells per pixel) or 1/4 (4x4 pixels per cell)");
  }
  return enlarges ? Scale{1, *number} : Scale{*number, 1};
}

std::string to_string(const Scale& scale) {
  return scale.pixels > 1 ? fmt::format("1/{}", scale.pixels) : std::to_string(scale.cells);
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.3g} us", seconds * 1e6);
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
