#pragma once

namespace tessera {

// Rows of items that are broken where the window ends. Widths are in window units.

/// Puts the item that follows, so wide, beside the last one where it has room there.
void beside(float width);
/// The width of a radio button or checkbox with this text.
float width_of_choice(const char* title);
/// At least three lines of a list, or all that is above what follows it, which is `below` high.
float list_height(float below);
/// Text in a quiet colour, broken where the window ends.
void hint(const char* text);

}  // namespace tessera
