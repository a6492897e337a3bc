#pragma once

#include <exception>

#include "backends/distributed/rank_message.h"

namespace tessera {

/// What failed on a rank, to be sent to another: the kind of the error and its text.
RankMessage letter_of(const std::exception_ptr& error);

/// Throws what letter_of wrote as an error of the same kind that names the rank it came from.
[[noreturn]] void throw_letter(RankMessage& letter, int rank);

}  // namespace tessera
