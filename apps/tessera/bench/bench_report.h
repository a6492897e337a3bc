#pragma once

#include <string>

#include "apps/tessera/json.h"

namespace tessera {

/// What `tessera bench` writes and reads: see run_bench_case for an element of `results`.

/// Reads such a file. Throws InputError when there is none and ParseError, naming the place, for
/// what is no result of `tessera bench`.
Json read_bench(const std::string& option, const std::string& path);

/// Adds the results of another such file, `path`, to a document. Throws InputError when the two
/// come from different machines: from devices of one name, cuda:0 for one, that are not the same.
void merge_bench(Json& document, const Json& other, const std::string& path);

/// For each device that is no CPU, from which size on it is the faster of the two: interpolated
/// between the sizes of the suite `sizes`, on logarithmic scales; an array of {backend, against,
/// cells_a_side or null, text}.
Json crossovers(const Json& results);

/// Tables for people: one a suite and heading, published figures and ratios beside ours, and the
/// cases that were skipped or refused with the reason.
std::string bench_text(const Json& document);

/// How `document` compares with an older one: an array of {suite, row, column, backend, kernel,
/// old, new, ratio (above 1: better now), change: "faster", "slower" or "same"}. What lies within
/// both spreads is the same.
Json bench_changes(const Json& document, const Json& old);
std::string changes_text(const Json& changes);

/// Draws the suites `sizes` and `habr` as lines over the sizes, every other one as bars, a kernel
/// each, with the ceilings. Throws InputError when the document holds no result of the suite.
void bench_plot(const std::string& path, const Json& document, const std::string& suite);

}  // namespace tessera
