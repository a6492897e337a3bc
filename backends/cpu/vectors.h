#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Instruction sets that the kernels are compiled for and this processor has, best first: Highway's
/// names, such as AVX3 (AVX-512), AVX2, SSE4.
std::vector<std::string> vector_sets();

/// Kernels use none better than the named one from now on; "" takes the limit away. To be called
/// before the first kernel is chosen. Throws InputError for a name that vector_sets() lacks.
void limit_vectors(const std::string& name);

/// The same with what the environment variable TESSERA_VECTORS says, once: to measure and to test
/// what older processors do. Throws likewise.
void limit_vectors_as_asked();

}  // namespace tessera
