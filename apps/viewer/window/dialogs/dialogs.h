#pragma once

#include <functional>
#include <memory>

#include "apps/viewer/window/dialogs/dialog.h"
#include "apps/viewer/window/pattern_browser.h"
#include "apps/viewer/window/thumbnails.h"

// All dialogs, each in a file of its own.

namespace tessera {

/// Asks for a file to open, or to save to.
std::shared_ptr<Dialog> open_dialog(Workspace& work);
std::shared_ptr<Dialog> save_dialog(Workspace& work);
/// Starts with an empty universe, or with random cells.
std::shared_ptr<Dialog> new_universe_dialog(Workspace& work);
std::shared_ptr<Dialog> new_soup_dialog(Workspace& work);
/// Goes to a generation.
std::shared_ptr<Dialog> go_to_dialog(Workspace& work);
/// Changes rule and universe, and keeps the cells.
std::shared_ptr<Dialog> rule_dialog(Workspace& work);
/// Starts recording a video.
std::shared_ptr<Dialog> record_dialog(Workspace& work);
/// Saves the view as a picture in colours.
std::shared_ptr<Dialog> picture_dialog(Workspace& work);
/// Shows the gallery, or the patterns of another folder, and opens one. `browser` outlives the
/// dialog, because it reads files on threads that nobody should wait for, and so do its pictures.
std::shared_ptr<Dialog> browser_dialog(Workspace& work, PatternBrowser& browser,
                                       Thumbnails& thumbnails);
/// Lists all actions with their keys.
std::shared_ptr<Dialog> help_dialog(Workspace& work);
/// Asks what to do with unsaved edits, and calls `save` or `leave`, or nothing.
std::shared_ptr<Dialog> unsaved_dialog(Workspace& work, std::function<void()> save,
                                       std::function<void()> leave);

}  // namespace tessera
