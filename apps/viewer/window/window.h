#pragma once

#include <SDL.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Red, green and blue of a window's pixels, row by row from the top.
struct Screenshot {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< three bytes each
};

/// The window, its OpenGL context and Dear ImGui on it.
class Window {
 public:
  /// Throws DeviceError, naming what is missing, when there is no display or no OpenGL 3.
  /// `ui_scale`: size of fonts; 0: as the display's resolution asks. `vsync`: frames wait for the
  /// display.
  Window(const std::string& title, int width, int height, double ui_scale, bool vsync);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  SDL_Window* get() const { return window_; }
  /// The size of the drawn area in pixels.
  int pixel_width() const;
  int pixel_height() const;
  /// Pixels per window unit: 2 on some high-resolution displays.
  double pixel_ratio() const;
  /// Size of fonts and distances; 1 is 96 dots per inch.
  float ui_scale() const { return ui_scale_; }
  /// OpenGL's renderer: "llvmpipe (LLVM 15.0.6, 256 bits)".
  std::string renderer() const;
  /// True when showing a frame waits for the display.
  bool vsync() const { return vsync_; }

  void set_title(const std::string& title);
  void toggle_full_screen();
  bool full_screen() const;

  /// Begins a frame of Dear ImGui.
  void begin_frame();
  /// Draws Dear ImGui's frame and shows it.
  void end_frame();
  /// Waits until the device has drawn everything.
  void finish() const;
  /// The pixels of the last frame; only between the drawing and the next frame.
  Screenshot read_pixels() const;
  /// Called between drawing and showing a frame.
  void draw_panel();

 private:
  void load_font();

  SDL_Window* window_ = nullptr;
  SDL_GLContext context_ = nullptr;
  float ui_scale_ = 1;
  bool vsync_ = false;
};

}  // namespace tessera
