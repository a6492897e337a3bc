#include "core/files/cache_folder.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <optional>
#include <string>

using namespace tessera;

namespace {

// An environment variable of another value, or none, while this lives.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

using Value = std::optional<std::string>;

std::string folder_with(const Value& own, const Value& caches, const Value& home) {
  const Variable a("TESSERA_CACHE", own), b("XDG_CACHE_HOME", caches), c("HOME", home);
  return cache_folder();
}

}  // namespace

TEST_CASE("the cache folder is the program's own, else one of the user's caches") {
  CHECK(folder_with("/own", "/caches", "/home/me") == "/own");
  CHECK(folder_with("own/here", "/caches", "/home/me") == "own/here");
  CHECK(folder_with({}, "/caches", "/home/me") == "/caches/tessera");
  CHECK(folder_with("", "/caches", "/home/me") == "/caches/tessera");
  CHECK(folder_with({}, {}, "/home/me") == "/home/me/.cache/tessera");
  CHECK(folder_with({}, "", "/home/me") == "/home/me/.cache/tessera");
}

TEST_CASE("relative folders of the user's count as none") {
  CHECK(folder_with({}, "caches", "/home/me") == "/home/me/.cache/tessera");
  CHECK(folder_with({}, {}, "me") == "");
  CHECK(folder_with({}, {}, {}) == "");
}
