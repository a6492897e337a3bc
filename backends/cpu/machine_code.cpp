#include "backends/cpu/machine_code.h"

#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
#include <xbyak/xbyak.h>
#endif

namespace tessera {
namespace {

constexpr int kWide = 8;  // lanes of AVX-512
// As good as 6 or 12; with 3 or less, rules with many copies are 5 to 10 % slower.
[[maybe_unused]] constexpr int kFreshOnZen = 8;

#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)

// Whether the system gives out memory that becomes executable after it was written.
std::optional<std::string> refused() {
  try {
    struct Probe : Xbyak::CodeGenerator {
      Probe() : CodeGenerator(4096, Xbyak::AutoGrow) {
        ret();
        readyRE();
      }
    } probe;
    return std::nullopt;
  } catch (const Xbyak::Error& error) {
    return std::string("the system refuses executable memory: ") + error.what();
  }
}

#endif

}  // namespace

std::optional<std::string> missing_machine_code([[maybe_unused]] int lanes) {
#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
  if (lanes != kWide && lanes != kWide / 2)
    return "it needs AVX2 or AVX-512, which are not in use here";
  static const std::optional<std::string> kRefused = refused();
  return kRefused;
#elif defined(__x86_64__)
  return "not in this build: CMake did not find the headers of Xbyak";
#else
  return "it makes code for x86-64 alone";
#endif
}

bool has_three_input_gates(int lanes) { return lanes == kWide; }

int code_registers(int lanes) { return lanes == kWide ? 32 : 16; }

int fresh_steps() {
#ifdef __x86_64__
  if (__builtin_cpu_is("amd")) return kFreshOnZen;
#endif
  return 0;
}

}  // namespace tessera
