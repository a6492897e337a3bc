#include "apps/measure/child.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "core/base/error.h"

using namespace tessera;

TEST_CASE("a child's exit code and last line are told") {
  const ChildResult done = run_child({"sh", "-c", "cat; echo; echo oh >&2; exit 7"}, "first\n");
  CHECK(done.status == 7);
  CHECK(done.messages == "oh");
  CHECK(run_child({"sh", "-c", "cat"}, "no line feed").messages == "no line feed");
  CHECK(run_child({"true"}).messages.empty());
  CHECK(run_child({"sh", "-c", "kill -TERM $$"}).status == 128 + SIGTERM);
}

TEST_CASE("a program that is not there is an error") {
  CHECK(has_program("sh"));
  CHECK(!has_program("tessera-no-such-program"));
  CHECK_THROWS_AS(run_child({"tessera-no-such-program"}), FileError);
}

TEST_CASE("a child is fed through a pipe, and killed when nobody waits for it") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  {
    Child child({"sh", "-c", "read line; echo got $line; exit 3"}, ends[0], Child::Group::own);
    REQUIRE(::write(ends[1], "this\n", 5) == 5);
    const ChildResult result = child.wait();
    CHECK(result.status == 3);
    CHECK(result.messages == "got this");
  }
  { const Child endless({"cat"}, ends[0], Child::Group::own); }  // returns, or this test hangs
  ::close(ends[0]);
  ::close(ends[1]);
}
