#include "apps/viewer/window/thumbnails.h"

#include <SDL_opengl.h>

#include <vector>

namespace tessera {

void Thumbnails::begin(Theme theme) {
  if (theme != theme_ || textures_.size() >= kMost) clear();
  theme_ = theme;
}

void* Thumbnails::texture(const std::string& name, const DensityImage& image) {
  const auto [place, fresh] = textures_.try_emplace(name, 0);
  std::uint32_t& texture = place->second;
  if (fresh) {
    const Palette palette = palette_of(theme_, false);
    std::vector<std::uint32_t> colours;
    colours.reserve(image.pixels.size());
    for (const std::uint8_t grey : image.pixels) colours.push_back(palette[grey]);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(image.width),
                 static_cast<GLsizei>(image.height), 0, GL_RGBA, GL_UNSIGNED_BYTE, colours.data());
  }
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(texture));
}

void Thumbnails::clear() {
  for (const auto& [name, texture] : textures_) glDeleteTextures(1, &texture);
  textures_.clear();
}

}  // namespace tessera
