#pragma once

#include <memory>
#include <string>

#include "apps/viewer/window/workspace.h"

namespace tessera {

/// Cells between copying and pasting: here, and as RLE in the system's clipboard.
class Clipboard {
 public:
  explicit Clipboard(Workspace& work) : work_(work) {}

  /// Copies the selection, and kills its cells when it is `cut`.
  void copy(bool cut);
  /// What was copied here last, or what another program has put into the system's clipboard since.
  /// Null, with a message, when there is nothing that can be pasted.
  std::shared_ptr<const CellGrid> paste() const;

 private:
  Workspace& work_;
  std::shared_ptr<const CellGrid> cells_;
  std::string text_;  // of the cells, or empty when they are too many
};

}  // namespace tessera
