#pragma once

#include <string>

#include "apps/tessera/json.h"

namespace tessera {

/// What `tessera bench` writes and reads; run_bench_case describes an element of `results`.

/// Reads such a file. Throws InputError when it does not exist and ParseError, naming the place,
/// when it is not a result of `tessera bench`.
Json read_bench(const std::string& option, const std::string& path);

/// Adds the results of another such file, `path`, to a document. Throws InputError when the two
/// come from different machines, that is when a device of the same name, such as cuda:0, is not the
/// same.
void merge_bench(Json& document, const Json& other, const std::string& path);

/// For each device that is not a CPU, the size from which it is faster than the CPU, interpolated
/// between the sizes of the suite `sizes` on logarithmic scales; an array of {backend, against,
/// cells_a_side or null, text}.
Json crossovers(const Json& results);

/// Tables for people: one per suite and heading, with published figures and ratios beside ours, and
/// the skipped or refused cases with the reason.
std::string bench_text(const Json& document);

/// How `document` compares with an older one: an array of {suite, row, column, backend, kernel,
/// old, new, ratio (above 1: better now), change: "faster", "slower" or "same"}. A change within
/// both spreads counts as the same.
Json bench_changes(const Json& document, const Json& old);
std::string changes_text(const Json& changes);

/// Draws the suites `sizes` and `habr` as lines over the sizes, and every other suite as one bar
/// per kernel, with the ceilings. Throws InputError when the document holds no result of the suite.
void bench_plot(const std::string& path, const Json& document, const std::string& suite);

}  // namespace tessera
