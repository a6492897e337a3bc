#pragma once

#include <string>
#include <utility>

#include "apps/viewer/window/dialogs/dialog.h"

namespace tessera {

/// A dialog of one field, Enter and OK.
class LineDialog : public Dialog {
 protected:
  LineDialog(Workspace& work, DialogKind kind, const char* title, const char* hint,
             std::string text)
      : Dialog(work, kind, title, 460), hint_(hint), text_(std::move(text)) {}

  bool content() override;
  const std::string& text() const { return text_; }

 private:
  const char* hint_;
  std::string text_;
};

}  // namespace tessera
