#include "apps/viewer/window/painter.h"

#define GL_GLEXT_PROTOTYPES
#include <SDL_opengl.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"

namespace tessera {
namespace {

// The whole view, whatever part of it the picture covers. Every pixel is written once, because some
// devices can draw hardly more pixels per frame. The first instance is the inside of the universe;
// four more are the areas above, below, left and right of it.
constexpr const char* kVertex = R"(#version 150
uniform vec4 place;   // of the view in the picture: left, top, right, bottom; 0 .. 1 is the picture
uniform vec4 inside;  // of the universe in the view, likewise
noperspective out vec2 at;
flat out float row;
void main() {
  vec4 part = inside;
  if (gl_InstanceID == 1) part = vec4(0, 0, 1, inside.y);
  if (gl_InstanceID == 2) part = vec4(0, inside.w, 1, 1);
  if (gl_InstanceID == 3) part = vec4(0, inside.y, inside.x, inside.w);
  if (gl_InstanceID == 4) part = vec4(inside.z, inside.y, 1, inside.w);
  vec2 corner = mix(part.xy, part.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
  at = mix(place.xy, place.zw, corner);
  row = gl_InstanceID == 0 ? 0.25 : 0.75;
  gl_Position = vec4(2 * corner.x - 1, 1 - 2 * corner.y, 0, 1);
}
)";

// Outside the picture, cells are dead: the texture's border is 0. No conversions and no
// comparisons, because a device may have few units that shade pixels.
constexpr const char* kFragment = R"(#version 150
uniform sampler2D cells;
uniform sampler2D colours;  // 256 inside the universe, 256 outside
noperspective in vec2 at;
flat in float row;
out vec4 colour;
void main() {
  colour = texture(colours, vec2(texture(cells, at).r * (255.0 / 256.0) + 0.5 / 256.0, row));
}
)";

unsigned compile(unsigned kind, const char* source) {
  const unsigned shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  int done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (!done) {
    char why[512] = "";
    glGetShaderInfoLog(shader, sizeof why, nullptr, why);
    throw DeviceError(std::string("OpenGL: the driver does not compile the viewer's shader: ") +
                      why);
  }
  return shader;
}

void sampled_by_nearest() {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
}

}  // namespace

Painter::Painter() {
  program_ = glCreateProgram();
  const unsigned vertex = compile(GL_VERTEX_SHADER, kVertex);
  const unsigned fragment = compile(GL_FRAGMENT_SHADER, kFragment);
  glAttachShader(program_, vertex);
  glAttachShader(program_, fragment);
  glLinkProgram(program_);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  int done = 0;
  glGetProgramiv(program_, GL_LINK_STATUS, &done);
  if (!done) throw DeviceError("OpenGL: the driver does not link the viewer's shaders");
  place_ = glGetUniformLocation(program_, "place");
  inside_ = glGetUniformLocation(program_, "inside");
  glUseProgram(program_);
  glUniform1i(glGetUniformLocation(program_, "cells"), 0);
  glUniform1i(glGetUniformLocation(program_, "colours"), 1);
  glGenVertexArrays(1, &vertices_);
  glGenTextures(1, &cells_);
  glGenTextures(1, &colours_);
  glGenBuffers(1, &pixels_);
  glBindTexture(GL_TEXTURE_2D, cells_);
  constexpr std::uint8_t kDead = 0;
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, 1, 1, 0, GL_RED, GL_UNSIGNED_BYTE, &kDead);
  sampled_by_nearest();
}

Painter::~Painter() {
  glDeleteTextures(1, &cells_);
  glDeleteTextures(1, &colours_);
  glDeleteBuffers(1, &pixels_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void Painter::clear(int width, int height, std::uint32_t colour) {
  const auto part = [colour](int shift) {
    return static_cast<float>(colour >> shift & 0xff) / 255;
  };
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, width, height);
  glClearColor(part(0), part(8), part(16), 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

bool Painter::take(const Picture& picture) {
  return !picture.shared || imported_.take(*picture.shared);
}

void Painter::upload(const Picture& picture) {
  const DensityImage& image = picture.image;
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, cells_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  const void* first = nullptr;  // pixel, in the buffer that is bound
  // The device fetches the pixels from a buffer by itself, in parallel with other work. The buffer
  // is new each time, so that nothing waits for the last one.
  if (picture.shared) {
    if (!take(picture)) return;
    imported_.bind();
    first = reinterpret_cast<const void*>(picture.shared->offset);
  } else {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixels_);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(image.pixels.size()),
                 image.pixels.data(), GL_STREAM_DRAW);
  }
  if (image.width != width_ || image.height != height_) {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, first);
    width_ = image.width;
    height_ = image.height;
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, first);
  }
  if (picture.shared) imported_.keep(picture.shared);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  serial_ = picture.serial;
}

void Painter::draw(const Picture* picture, const Camera& camera, const Canvas& canvas,
                   const CellColours& colours) {
  if (picture && picture->image.width == 0) picture = nullptr;
  // First, because it takes the host longest; what is drawn afterwards reaches the device at once.
  imported_.collect();
  if (picture && picture->serial != serial_) upload(*picture);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, colours_);
  if (colours.inside != inside_colours_ || colours.outside != outside_colours_) {
    std::array<Palette, 2> both{colours.inside, colours.outside};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, both.data());
    sampled_by_nearest();
    inside_colours_ = colours.inside;
    outside_colours_ = colours.outside;
  }
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, cells_);

  glViewport(canvas.x, canvas.window_height - canvas.y - camera.height(), camera.width(),
             camera.height());
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(program_);
  if (picture) {
    // The picture's last pixels may cover fewer cells than the others; its rectangle covers whole
    // ones.
    const ViewRequest& view = picture->view;
    const Scale scale = camera.scale();
    const double cell = static_cast<double>(scale.pixels) / static_cast<double>(scale.cells);
    const double pixel = cell * static_cast<double>(view.scale);
    const double width = pixel * static_cast<double>(picture->image.width);
    const double height = pixel * static_cast<double>(picture->image.height);
    const double left = camera.x_of(view.cells.x), top = camera.y_of(view.cells.y);
    glUniform4f(place_, static_cast<float>(-left / width), static_cast<float>(-top / height),
                static_cast<float>((camera.width() - left) / width),
                static_cast<float>((camera.height() - top) / height));
  } else {
    glUniform4f(place_, 2, 2, 3, 3);
  }
  const std::optional<Rect>& universe = colours.universe;
  if (universe) {
    const auto x = [&](std::int64_t at) {
      return static_cast<float>(std::clamp(camera.x_of(at) / camera.width(), 0.0, 1.0));
    };
    const auto y = [&](std::int64_t at) {
      return static_cast<float>(std::clamp(camera.y_of(at) / camera.height(), 0.0, 1.0));
    };
    glUniform4f(inside_, x(universe->x), y(universe->y), x(universe->x + universe->width),
                y(universe->y + universe->height));
  } else {
    glUniform4f(inside_, 0, 0, 1, 1);
  }
  glBindVertexArray(vertices_);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, universe ? 5 : 1);
}

}  // namespace tessera
