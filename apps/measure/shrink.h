#pragma once

#include <functional>

#include "apps/measure/verify_case.h"

namespace tessera {

/// The smallest case found that still fails, by trying simpler ones: no edit, one call, fewer
/// generations, a smaller universe or patch, a plainer soup. `fails` is asked at most `attempts`
/// times; a case that does not fail reliably is returned almost unchanged.
VerifyCase shrink(const VerifyCase& trial, const std::function<bool(const VerifyCase&)>& fails,
                  int attempts = 400);

}  // namespace tessera
