#pragma once

#include <imgui.h>

#include <functional>
#include <initializer_list>
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
  quit,
  picture
};

/// A window that asks for something. It owns its fields; one is open at a time.
class Dialog {
 public:
  virtual ~Dialog() = default;
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;

  DialogKind kind() const { return kind_; }
  /// What was wrong with what was entered, in the dialog's own words, or empty.
  const std::string& error() const { return error_; }
  /// Draws it for a frame, and executes what was asked for. False when it should be closed.
  bool draw();

 protected:
  /// `width` and `height` in window units at the usual size of fonts; height 0: as much as needed.
  Dialog(Workspace& work, DialogKind kind, const char* title, float width, float height = 0)
      : work_(work), kind_(kind), title_(title), width_(width), height_(height) {}

  /// Draws the contents. True when the user has confirmed.
  virtual bool content() = 0;
  /// Executes what was asked for. False: the dialog stays open, with the keyboard in its first
  /// field. An Error is shown beneath the field that was read, and keeps it open, too.
  virtual bool accept() { return true; }

  /// A field as wide as the dialog. True when Enter is pressed in it. What was wrong with it is
  /// said beneath. The first field, or else that which was refused, gets the keyboard.
  bool field(const char* id, std::string* text, ImGuiInputTextFlags flags = 0);
  /// A field without an error of its own, which Tab leads to, too. True when Enter is pressed in
  /// it.
  bool plain_field(const char* id, std::string* text, const char* hint);
  /// A button, `width` window units wide at the usual size of fonts, less in a narrow window, more
  /// for a long title. True when it is pressed, by Enter or Space, too.
  bool button(const char* title, float width = kButton);
  /// Another one, beside the last where it has room.
  bool button_beside(const char* title, float width = kButton);
  /// The height of such buttons.
  float buttons_height(std::initializer_list<const char*> titles, float width = kButton) const;
  /// What a field, counted from 0, holds, as `read` reads it; a refusal is said beneath that field.
  template <class Read>
  auto read(int field, Read&& read) {
    wrong_ = field;
    auto value = read();
    wrong_ = 0;
    return value;
  }
  /// Lets the simulation do what was asked for: `accept` returns this. The dialog closes when that
  /// is done, and `then` follows, which must not need the dialog: it may have been left meanwhile.
  /// An Error is shown beneath the field that was read last, as one of `accept` is; when the dialog
  /// was left, it becomes a message.
  bool attempt(Session::Command command, std::function<void()> then = {});
  /// Whether a file may be written: there is none of this name, or the user has agreed to replace
  /// it. Otherwise a question stands in the place of the contents, and `accept`, which asks this,
  /// gives false; it is called again when the answer is yes.
  bool may_write(const std::string& path);
  /// Closes it after this frame, without doing anything.
  void dismiss() { dismissed_ = true; }
  /// Gives the keyboard to the item that follows, when the dialog was opened or has refused.
  void focus() const;

  static constexpr float kButton = 110;

  Workspace& work_;

 private:
  float button_width(const char* title, float width) const;
  void leave_button_by_tab();
  bool ask_to_replace();

  DialogKind kind_;
  const char* title_;
  float width_, height_;
  bool fresh_ = true;
  bool dismissed_ = false;
  int stops_ = 0;     // fields and buttons drawn so far in this frame
  int at_stop_ = -1;  // the button that has the keyboard, counted among them
  int to_stop_ = -1;  // where Tab leads to in the next frame
  int fields_ = 0;    // drawn so far in this frame
  struct Attempt {
    bool answered = false;
    std::string wrong;
  };

  std::string error_;
  int wrong_ = 0;                     // the field that an error is about
  std::shared_ptr<Attempt> attempt_;  // while the simulation does what was asked for
  std::string asked_;                 // the file about which a question is open, or empty
  std::string replaced_;              // the one that the user has agreed to replace
};

}  // namespace tessera
