// Requests of a library that one thread at a time may call, and many threads wait for. Also run
// under a sanitizer that finds races.

#include "backends/distributed/polled_requests.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using namespace tessera;

namespace {

// A library whose requests are done when they have been asked for so many times; it notices when
// two threads are in it.
class Library {
 public:
  struct Request {
    int asks = 0;
    int end = 1;  // what the last answer is
  };

  // A request that is done at that question.
  void* begin(int asks, int end = 1) {
    const Inside inside(*this);
    requests_.push_back(std::make_unique<Request>(Request{asks, end}));
    return requests_.back().get();
  }
  int test(void* pointer) {
    const Inside inside(*this);
    auto* const request = static_cast<Request*>(pointer);
    CHECK(request->asks > 0);  // never again once it is done
    asked_++;
    return --request->asks == 0 ? request->end : 0;
  }
  bool shared() const { return shared_; }
  std::int64_t asked() const { return asked_; }

 private:
  struct Inside {
    explicit Inside(Library& all) : library(all) {
      if (library.inside_++ > 0) library.shared_ = true;
    }
    ~Inside() { library.inside_--; }
    Library& library;
  };

  std::atomic<int> inside_{0};
  std::atomic<bool> shared_{false};
  std::int64_t asked_ = 0;
  std::vector<std::unique_ptr<Request>> requests_;
};

}  // namespace

TEST_CASE("threads wait for requests of their own, and one at a time is in the library") {
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    Library library;
    PolledRequests requests([&](void* request) { return library.test(request); });
    if (threads == 5) requests.share_cores();
    const int late = threads == 5 ? 2'010 : 22'010;  // questions come some time apart by then
    {
      std::vector<std::jthread> all;
      for (int n = 0; n < threads; n++) {
        all.emplace_back([&, n] {
          for (int round = 0; round < 300; round++) {
            const int asks = round % 100 == n ? late : 1 + (round * 7 + n) % 40;
            CHECK(requests.complete([&] {
              return std::vector{library.begin(asks), library.begin(1 + round % 3)};
            }));
            CHECK(requests.complete([] { return std::vector<void*>(); }));
          }
        });
      }
    }
    CHECK_FALSE(library.shared());
    CHECK(library.asked() > 0);
  }
}

TEST_CASE("a request that fails ends its own wait alone") {
  Library library;
  PolledRequests requests([&](void* request) { return library.test(request); });
  std::array<bool, 3> done{};
  {
    std::vector<std::jthread> all;
    for (std::size_t n = 0; n < 3; n++) {
      all.emplace_back([&, n] {
        done[n] =
            requests.complete([&] { return std::vector{library.begin(500, n == 1 ? -1 : 1)}; });
      });
    }
  }
  CHECK(done == std::array{true, false, true});
  CHECK_FALSE(requests.complete([] { return std::vector<void*>{nullptr}; }));
  CHECK(requests.complete([&] { return std::vector{library.begin(3)}; }));
}
