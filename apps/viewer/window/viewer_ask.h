#pragma once

#include <future>
#include <memory>
#include <utility>

#include "apps/viewer/window/viewer.h"

namespace tessera {

template <class Answer>
void Viewer::ask(std::function<Answer(Engine&)> question, std::function<void(Answer)> then) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = std::make_shared<std::future<Answer>>(promise->get_future());
  // What the question throws becomes a message; the promise is broken then, and nothing follows.
  session_.post([promise, question = std::move(question)](Engine& engine) mutable {
    const std::shared_ptr<std::promise<Answer>> mine = std::move(promise);
    mine->set_value(question(engine));
  });
  pending_.push_back([answer, then = std::move(then)] {
    if (answer->wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    try {
      then(answer->get());
    } catch (const std::future_error&) {
      return true;
    }
    return true;
  });
}

}  // namespace tessera
