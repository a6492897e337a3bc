#include "apps/viewer/painter.h"

#define GL_GLEXT_PROTOTYPES
#include <SDL_opengl.h>

#include <string>

#include "core/error.h"

namespace tessera {
namespace {

constexpr const char* kVertex = R"(#version 150
uniform vec4 place;  // left, top, right, bottom in -1 .. 1
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = corner;
  gl_Position = vec4(mix(place.xy, place.zw, corner), 0, 1);
}
)";

constexpr const char* kFragment = R"(#version 150
uniform sampler2D cells;
uniform sampler2D colours;
in vec2 at;
out vec4 colour;
void main() {
  int byte = int(texture(cells, at).r * 255.0 + 0.5);
  colour = texelFetch(colours, ivec2(byte, 0), 0);
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
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
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
  glUseProgram(program_);
  glUniform1i(glGetUniformLocation(program_, "cells"), 0);
  glUniform1i(glGetUniformLocation(program_, "colours"), 1);
  glGenVertexArrays(1, &vertices_);
  glGenTextures(1, &cells_);
  glGenTextures(1, &colours_);
  glGenBuffers(1, &pixels_);
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
  // From a buffer the device fetches the pixels itself, beside whatever else it does. Each time a
  // new one, so that nothing waits for the last.
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
    sampled_by_nearest();
    width_ = image.width;
    height_ = image.height;
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RED, GL_UNSIGNED_BYTE, first);
  }
  if (picture.shared) imported_.keep(picture.shared);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  serial_ = picture.serial;
}

void Painter::draw(const Picture& picture, const Camera& camera, int x, int y, int window_height,
                   const Palette& palette) {
  if (picture.image.width == 0) return;
  imported_.collect();
  if (picture.serial != serial_) upload(picture);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, colours_);
  if (palette != palette_) {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, palette.data());
    sampled_by_nearest();
    palette_ = palette;
  }
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, cells_);

  // The picture's last pixels may cover fewer cells than the others; its rectangle covers whole
  // ones.
  const ViewRequest& view = picture.view;
  const double left = camera.x_of(view.cells.x), top = camera.y_of(view.cells.y);
  const double right = camera.x_of(view.cells.x + picture.image.width * view.scale);
  const double bottom = camera.y_of(view.cells.y + picture.image.height * view.scale);
  const auto across = [&](double px) { return static_cast<float>(2 * px / camera.width() - 1); };
  const auto down = [&](double py) { return static_cast<float>(1 - 2 * py / camera.height()); };
  glViewport(x, window_height - y - camera.height(), camera.width(), camera.height());
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(program_);
  glUniform4f(place_, across(left), down(top), across(right), down(bottom));
  glBindVertexArray(vertices_);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace tessera
