#pragma once

#include <string>
#include <utility>

#include "apps/viewer/window/dialogs/dialog.h"

namespace tessera {

/// A dialog that makes a universe: a field for rule and size, and those of its kind.
class UniverseDialog : public Dialog {
 protected:
  UniverseDialog(Workspace& work, DialogKind kind, const char* title, std::string rule)
      : Dialog(work, kind, title, 460), rule_(std::move(rule)) {}

  bool content() override;
  bool accept() override;

  /// Draws the other fields. True when Enter is pressed in one.
  virtual bool more_fields() { return false; }
  /// The universe that was typed, which a dialog may refuse. Throws InputError.
  virtual RuleSpec checked(const RuleSpec& spec) const { return spec; }
  /// What starts a simulation in that universe. Throws InputError when a field cannot be read.
  virtual Session::Command start(const RuleSpec& spec) = 0;

 private:
  std::string rule_;
};

}  // namespace tessera
