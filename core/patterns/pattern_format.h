#pragma once

namespace tessera {

/// File formats of patterns. The content decides when reading, the suffix when writing. MCell's is
/// read and not written.
enum class PatternFormat { rle, cells, life105, life106, macrocell, mcell };

}  // namespace tessera
