#pragma once

#include <SDL.h>

#include <cstdint>
#include <set>

namespace tessera {

/// Which events of SDL's queue a frame may handle. Dear ImGui looks at keys, buttons and the
/// mouse's place once per frame: of a key that comes and goes within one it would see nothing, and
/// of two it would not know the order. So such an event waits in the queue for the next frame, and
/// whatever follows it waits, too.
class FrameInput {
 public:
  /// A frame begins, which has seen nothing yet.
  void begin();
  /// True when the frame may handle the event, which it then has; false when it must wait.
  bool takes(const SDL_Event& event);

 private:
  bool takes_key_down(const SDL_KeyboardEvent& event);
  bool takes_button(std::uint8_t button);

  std::set<SDL_Scancode> keys_;     // that came or went
  std::set<std::uint8_t> buttons_;  // likewise
  bool pressed_ = false;            // a key that is no modifier
  bool edits_ = false;              // among these, one that does more than type
  bool moved_ = false;              // the mouse
  int quiet_ = 0;                   // frames until the keyboard's new owner has it
};

}  // namespace tessera
