#pragma once

#include <functional>

#include "backends/cuda/cuda_device.h"

namespace tessera::cuda {

/// Work recorded once and queued many times with one call.
class Graph {
 public:
  Graph() = default;
  ~Graph() { clear(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Records what `queue` puts into the stream, without running it, and replaces earlier
  /// recordings.
  void record(const Stream& stream, const std::function<void()>& queue);
  void launch(const Stream& stream) const;

 private:
  void clear();
  CUgraphExec exec_ = nullptr;
};

}  // namespace tessera::cuda
