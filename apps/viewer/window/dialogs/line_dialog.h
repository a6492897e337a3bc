#pragma once

#include <string>
#include <utility>

#include "apps/viewer/window/dialogs/dialog.h"

namespace tessera {

/// A dialog of one field, a button that confirms it, and Cancel.
class LineDialog : public Dialog {
 protected:
  /// `button`: what confirms it.
  LineDialog(Workspace& work, DialogKind kind, const char* title, const char* button,
             const char* hint, std::string text)
      : Dialog(work, kind, title, 460), button_(button), hint_(hint), text_(std::move(text)) {}

  bool content() override;
  const std::string& text() const { return text_; }

 private:
  const char* button_;
  const char* hint_;
  std::string text_;
};

}  // namespace tessera
