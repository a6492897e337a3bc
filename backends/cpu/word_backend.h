#pragma once

#include <cstdint>

#include "backends/cpu/ringed_backend.h"

namespace tessera {

/// The paper's bit-per-cell kernels, one generation per pass over 64-bit words: SINGLE-WORD (34
/// operations per word) and DOUBLE-WORD (59 operations for two). Fujita et al. 2015, sections IV-B
/// and V-A. Rules other than Life use the same sums and choose by counts.
class WordBackend final : public RingedBackend {
 public:
  WordBackend(const BackendSpec& spec, BackendInfo info, bool two_rows);

 private:
  void do_step(std::int64_t generations) override;

  bool two_rows_;
};

}  // namespace tessera
