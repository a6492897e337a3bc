#include "apps/viewer/simulation/session.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/error.h"

using namespace tessera;

namespace {

std::unique_ptr<Engine> make_engine() {
  DeviceOptions options;
  options.backend = "cpu";
  options.kernel = "word";
  return std::make_unique<Engine>(options);
}

void wait_until_idle(const Session& session) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!session.idle()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

TEST_CASE("commands are done in order, and the picture and status tell of them") {
  std::atomic<int> woken{0};
  Session session(make_engine, [&] { woken++; });
  session.post([](Engine& e) { e.start_soup(parse_rule_spec("B3/S23:T64,64"), {1, 65536}); });
  session.want({{-32, -32, 64, 64}, 1, false});
  wait_until_idle(session);
  REQUIRE(session.picture());
  CHECK(session.picture()->image.pixels == std::vector<std::uint8_t>(64 * 64, 255));
  CHECK(session.status().population == 4096);
  session.post([](Engine& e) { e.step(1); });
  wait_until_idle(session);
  CHECK(session.picture()->generation == 1);
  CHECK(session.picture()->image.pixels == std::vector<std::uint8_t>(64 * 64, 0));
  CHECK(session.status().population == 0);
  CHECK(session.status().commands == 2);
  CHECK(woken > 0);
}

TEST_CASE("what a command throws becomes a message and harms nothing") {
  Session session(make_engine, [] {});
  session.post([](Engine& e) { e.set_rule("B3/S2x"); });
  session.post([](Engine&) { throw std::bad_alloc(); });
  wait_until_idle(session);
  const std::vector<Message> messages = session.take_messages();
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].text.find("rule:1:") == 0);
  CHECK(messages[0].error);
  CHECK(messages[1].text.find("Out of memory") == 0);
  CHECK(session.take_messages().empty());
}

TEST_CASE("an engine that cannot be made is told by the constructor") {
  CHECK_THROWS_AS(
      Session([]() -> std::unique_ptr<Engine> { throw UnsupportedError("no such device"); }, [] {}),
      UnsupportedError);
}

TEST_CASE("while it runs, another view is answered though nobody took the last picture") {
  Session session(make_engine, [] {});
  session.post([](Engine& e) {
    e.start_soup(parse_rule_spec("B3/S23:T512,512"), {1, 30000});
    e.run(true);
  });
  for (int i = 0; i < 20; i++) {
    const ViewRequest view{{-100 + i, 0, 50, 40}, 1, false};
    session.want(view);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!session.picture() || !(session.picture()->view == view)) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  session.post([](Engine& e) { e.run(false); });
  wait_until_idle(session);
  CHECK(session.status().generation > 0);
  CHECK(session.picture()->generation == session.status().generation);
}
