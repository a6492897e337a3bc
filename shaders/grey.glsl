// The grey of a pixel under which `live` of `area` cells are alive, like density_grey of
// core/pictures/density_image.h; areas of up to 64 x 64 cells.
uint grey(uint live, uint area) { return live == 0 ? 0 : max(1, (live * 255 + area / 2) / area); }
