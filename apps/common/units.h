#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/geometry.h"

namespace tessera {

/// Parsers of the numbers, sizes, amounts of memory and times that users type. Every parser
/// receives the option's name for its message, accepts the whole text or nothing, and throws
/// InputError that says what would be accepted.

/// A whole number in low .. high, with an optional minus sign: "1500000", "1.5e6" or "1.5M". k, M,
/// G and T are 10^3, 10^6, 10^9 and 10^12, as are their exponents; the number is exact, so that
/// what is left behind the decimal point must be zeros. Every other whole number on the command
/// line is spelled the same way.
std::int64_t parse_count(const std::string& option, const std::string& text, std::int64_t low,
                         std::int64_t high);
/// A whole number in 0 .. 2^64-1.
std::uint64_t parse_seed(const std::string& option, const std::string& text);
/// A number in low .. high.
double parse_number(const std::string& option, const std::string& text, double low, double high);
/// A number in 0 .. 1.
double parse_density(const std::string& option, const std::string& text);

/// "4096x2048": cells, or pixels.
struct GridSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};
GridSize parse_size(const std::string& option, const std::string& text);

/// "512M", "8G", "1.5GiB", "2GB" or plain bytes, in bytes: K, M, G, T and KiB ... TiB are powers of
/// 1024, KB ... TB of 1000.
std::int64_t parse_memory(const std::string& option, const std::string& text);

/// "500ms", "90s", "15min", "2h", "1.5d", or "5" for seconds; in seconds, above 0.
double parse_duration(const std::string& option, const std::string& text);

/// How often something happens: by the clock or by generations; exactly one is set.
struct Interval {
  std::optional<double> seconds;
  std::optional<std::int64_t> generations;
};
/// A duration with its unit, or "10000gens".
Interval parse_interval(const std::string& option, const std::string& text);

/// "X,Y,WxH": a rectangle by its top-left cell and size.
Rect parse_rect(const std::string& option, const std::string& text);

/// Cells per side of a pixel, or pixels per side of a cell; one of them is 1.
struct Scale {
  std::int64_t cells = 1;
  std::int64_t pixels = 1;
};
/// "8": 8x8 cells per pixel; "1/4": 4x4 pixels per cell.
Scale parse_scale(const std::string& option, const std::string& text);
/// As parse_scale reads it.
std::string to_string(const Scale& scale);

/// "12,345,678".
std::string grouped(std::int64_t number);
/// "24.9 us", "85 ms", "12.3 s", "4 min 05 s", "2 h 03 min", "3 d 04 h".
std::string duration_text(double seconds);
/// "4.52e+11" becomes "4.52e11"; "0" for nothing.
std::string rate_text(double per_second);

}  // namespace tessera
