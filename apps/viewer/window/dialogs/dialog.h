#pragma once

#include <memory>
#include <string>

#include "apps/viewer/window/workspace.h"

namespace tessera {

/// Which dialog is open, numbered as in a script's `state`.
enum class DialogKind {
  none,
  open,
  save,
  new_universe,
  new_soup,
  go_to,
  rule,
  record,
  browser,
  help,
  quit
};

/// A window that asks for something. It owns its fields; one is open at a time.
class Dialog {
 public:
  virtual ~Dialog() = default;
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;

  DialogKind kind() const { return kind_; }
  /// Draws it for a frame, and executes what was asked for. False when it should be closed.
  bool draw();

 protected:
  /// `width` and `height` in window units at the usual size of fonts; height 0: as much as needed.
  Dialog(Workspace& work, DialogKind kind, const char* title, float width, float height = 0)
      : work_(work), kind_(kind), title_(title), width_(width), height_(height) {}

  /// Draws the contents. True when the user has confirmed.
  virtual bool content() = 0;
  /// Executes what was asked for. False: the dialog stays open, with the keyboard in its first
  /// field. An Error is shown and keeps it open, too.
  virtual bool accept() { return true; }

  /// Gives the keyboard to the item that follows, when the dialog was opened or has refused.
  void focus() const;
  /// A field as wide as the dialog. True when Enter is pressed in it.
  bool field(const char* id, std::string* text) const;
  /// A button of a width in window units.
  bool button(const char* title, float width) const;
  /// The error of the last accept, or nothing.
  void draw_error() const;

  Workspace& work_;
  std::string error_;

 private:
  DialogKind kind_;
  const char* title_;
  float width_, height_;
  bool fresh_ = true;
};

}  // namespace tessera
