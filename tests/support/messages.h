#pragma once

#include <doctest/doctest.h>

#include <exception>
#include <string>

namespace tessera::test {

/// The text of the `Thrown` (exactly that type) that `action` throws. Anything else fails the test.
template <class Thrown, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    const std::string what = error.what();
    CAPTURE(what);
    CHECK_MESSAGE(typeid(error) == typeid(Thrown), "another type of exception was thrown");
    CHECK(what.find('\n') == std::string::npos);
    return what;
  }
  FAIL("nothing was thrown");
  return "";
}

/// True when `text` holds every one of `parts`; those that are missing become a failure message.
inline bool has(const std::string& text, std::initializer_list<const char*> parts) {
  bool all = true;
  for (const char* part : parts) {
    if (text.find(part) != std::string::npos) continue;
    MESSAGE("'" << std::string(part) << "' is missing in: " << text);
    all = false;
  }
  return all;
}

}  // namespace tessera::test
