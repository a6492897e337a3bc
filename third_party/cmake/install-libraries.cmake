# Copies the shared libraries of `programs` to `destination`, but for those that every system has or must bring itself: the C and C++
# run time, and what talks to the display, the sound and the graphics card.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^lib(GL|EGL|OpenGL|GLX|GLdispatch|drm|gbm)[.-]"
                         "^lib(X|xcb|wayland)" "^lib(asound|pulse|jack|pipewire|sndio|udev|systemd|dbus)")
if(missing)
  message(FATAL_ERROR "libraries that are not found: ${missing}")
endif()
file(INSTALL ${libraries} DESTINATION "${CMAKE_INSTALL_PREFIX}/${destination}" FOLLOW_SYMLINK_CHAIN)
