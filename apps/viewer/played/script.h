#pragma once

#include <string>
#include <vector>

#include "apps/viewer/played/script_steps.h"

namespace tessera {

/// Plays input from a file into a viewer as SDL events, one step per frame, and prints what is
/// asked for. Each line is a step, and '#' begins a comment. Pixels are those of the cells' view,
/// from its top left:
///
///     key Ctrl+Shift+Z        a key is pressed and released
///     hold Space              a key is pressed, and stays down
///     let-go Space
///     text B36/S23            typed into the field that has the keyboard
///     move X Y                the mouse moves
///     press BUTTON            left, middle, right; where the mouse is
///     release BUTTON
///     wheel N                 up (in) when positive
///     drop PATH               a file is dropped
///     point TITLE             the mouse moves to a menu, menu item or button
///     resize W H              of the window
///     clipboard TEXT          into the system's clipboard; \n is a line's end
///     wait                    until everything asked for is done and seen
///     until N                 until generation N is reached
///     until-file PATH         until the file exists, with frames as slow as 30 ms: real input
///     comes
///                             meanwhile
///     state                   prints a line of JSON: generation, population, hash, view, ...
///     layout                  prints where windows and items are, as JSON
///     pixels X Y W H          prints the colours of a rectangle of the cells' view, as JSON
///     screenshot FILE.png     the whole window
///     monkey N SEED           N random events
class Script {
 public:
  /// Reads the file. Throws InputError, and ParseError ("file:line:1") for a line that is not a
  /// step.
  explicit Script(const std::string& path);
  /// Plays random events alone.
  Script(std::int64_t events, std::uint64_t seed);

  /// Plays all steps, or until the viewer ends. Throws Error when a step waits for more than a
  /// minute.
  void play(Viewer& viewer) const;

 private:
  struct Step {
    std::string place;  // file:line
    ScriptStep act;
  };
  std::vector<Step> steps_;
};

}  // namespace tessera
