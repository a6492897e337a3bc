#include "apps/viewer/window/window.h"

#include <SDL_opengl.h>
#include <backends/imgui_impl_opengl3.h>
#include <backends/imgui_impl_sdl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"

namespace tessera {
namespace {

// The first of these that exists; otherwise Dear ImGui's own bitmap font.
constexpr const char* kFonts[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/liberation-sans/LiberationSans-Regular.ttf",
    "/usr/share/fonts/noto/NotoSans-Regular.ttf",
    "/System/Library/Fonts/Helvetica.ttc",
};
constexpr float kFontPixels = 15;

[[noreturn]] void fail(const char* what, const char* accepted) {
  throw DeviceError(std::string(what) + ": " + SDL_GetError() + "; " + accepted);
}

float display_scale(SDL_Window* window) {
  float dots = 0;
  if (SDL_GetDisplayDPI(std::max(0, SDL_GetWindowDisplayIndex(window)), &dots, nullptr, nullptr) !=
      0)
    return 1;
  return std::clamp(std::round(dots / 96 * 4) / 4, 1.0f, 3.0f);
}

}  // namespace

Window::Window(const std::string& title, int width, int height, double ui_scale, bool vsync) {
  SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
  SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // Viewer::stop is more than closing the window
  constexpr const char* kDisplay =
      "a display is needed (DISPLAY or WAYLAND_DISPLAY); 'tessera run' works without one";
  // Where nothing says where Wayland's socket is, libwayland would print a line of its own.
  const bool no_folder = !SDL_getenv("XDG_RUNTIME_DIR");
  if (no_folder) ::setenv("XDG_RUNTIME_DIR", "/", 0);
  const int failed = SDL_Init(SDL_INIT_VIDEO | SDL_INIT_TIMER);
  if (no_folder) ::unsetenv("XDG_RUNTIME_DIR");
  if (failed != 0) fail("no window can be opened", kDisplay);
  // Without a display SDL chooses a driver that shows nothing to anybody.
  const std::string driver = SDL_GetCurrentVideoDriver();
  if (!SDL_getenv("SDL_VIDEODRIVER") &&
      (driver == "offscreen" || driver == "dummy" || driver == "evdev")) {
    SDL_SetError("there is no display");
    fail("no window can be opened", kDisplay);
  }
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 2);
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  window_ =
      SDL_CreateWindow(title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                       SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
  constexpr const char* kNeeded = "OpenGL 3.2 is needed; Mesa's drivers have it in software, too";
  if (!window_) fail("no window can be opened", kNeeded);
  context_ = SDL_GL_CreateContext(window_);
  if (!context_) fail("OpenGL cannot be used", kNeeded);
  SDL_GL_MakeCurrent(window_, context_);
  SDL_GL_SetSwapInterval(vsync ? 1 : 0);
  vsync_ = vsync && SDL_GL_GetSwapInterval() != 0;

  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
  ui_scale_ = ui_scale > 0        ? static_cast<float>(ui_scale)
              : pixel_ratio() > 1 ? 1.0f
                                  : display_scale(window_);
  // Smaller ones have no room for dialogs; but larger fonts must not ask for more than a display.
  const float least = std::min(ui_scale_, 2.0f);
  SDL_SetWindowMinimumSize(window_, static_cast<int>(320 * least), static_cast<int>(240 * least));
  load_font();
  ImGui_ImplSDL2_InitForOpenGL(window_, context_);
  ImGui_ImplOpenGL3_Init("#version 150");
  SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
}

Window::~Window() {
  if (ImGui::GetCurrentContext()) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplSDL2_Shutdown();
    ImGui::DestroyContext();
  }
  if (context_) SDL_GL_DeleteContext(context_);
  if (window_) SDL_DestroyWindow(window_);
  SDL_Quit();
}

// At the display's resolution, drawn at the size of window units.
void Window::load_font() {
  ImGuiIO& io = ImGui::GetIO();
  const auto ratio = static_cast<float>(pixel_ratio());
  static const ImWchar kRanges[] = {0x20, 0xff, 0x2010, 0x2027, 0x2190, 0x21ff, 0x25a0, 0x25ff, 0};
  const auto there = std::ranges::find_if(kFonts, [](const char* path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown);
  });
  if (there != std::end(kFonts)) {
    io.Fonts->AddFontFromFileTTF(*there, std::round(kFontPixels * ui_scale_ * ratio), nullptr,
                                 kRanges);
    io.FontGlobalScale = 1 / ratio;
  } else {
    io.Fonts->AddFontDefault();
    io.FontGlobalScale = ui_scale_;
  }
}

int Window::pixel_width() const {
  int width = 0;
  SDL_GL_GetDrawableSize(window_, &width, nullptr);
  return width;
}

int Window::pixel_height() const {
  int height = 0;
  SDL_GL_GetDrawableSize(window_, nullptr, &height);
  return height;
}

double Window::pixel_ratio() const {
  int units = 0;
  SDL_GetWindowSize(window_, &units, nullptr);
  return units > 0 ? static_cast<double>(pixel_width()) / units : 1;
}

std::string Window::renderer() const {
  const GLubyte* name = glGetString(GL_RENDERER);
  return name ? reinterpret_cast<const char*>(name) : "unknown";
}

void Window::set_title(const std::string& title) { SDL_SetWindowTitle(window_, title.c_str()); }

bool Window::full_screen() const { return SDL_GetWindowFlags(window_) & SDL_WINDOW_FULLSCREEN; }

void Window::toggle_full_screen() {
  SDL_SetWindowFullscreen(window_, full_screen() ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

void Window::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplSDL2_NewFrame();
}

void Window::draw_panel() { ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData()); }

void Window::end_frame() { SDL_GL_SwapWindow(window_); }

void Window::finish() const { glFinish(); }

Screenshot Window::read_pixels() const {
  Screenshot out;
  out.width = pixel_width();
  out.height = pixel_height();
  const std::size_t stride = 3 * static_cast<std::size_t>(out.width);
  std::vector<std::uint8_t> upside_down(stride * static_cast<std::size_t>(out.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, out.width, out.height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  out.pixels.reserve(upside_down.size());
  for (int y = out.height - 1; y >= 0; y--) {
    const auto row = upside_down.begin() + static_cast<std::ptrdiff_t>(stride) * y;
    out.pixels.insert(out.pixels.end(), row, row + static_cast<std::ptrdiff_t>(stride));
  }
  return out;
}

}  // namespace tessera
