#pragma once

namespace tessera {

struct Action;
class Viewer;

/// An action in a menu: its title, key and mark, and what it does beside it. Performs it when it is
/// chosen.
void draw_menu_item(Viewer& viewer, const Action& action);

/// What an action does, with its key: the tooltip of a button.
void draw_tooltip(Viewer& viewer, const Action& action);

}  // namespace tessera
