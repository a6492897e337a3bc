#include "backends/cuda/graph.h"

namespace tessera::cuda {

void Graph::clear() {
  if (exec_) cuda_library().cuGraphExecDestroy(exec_);
  exec_ = nullptr;
}

void Graph::record(const Stream& stream, const std::function<void()>& queue) {
  clear();
  TESSERA_CUDA("recording a graph", cuStreamBeginCapture, stream.get(),
               CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUgraph graph = nullptr;
  try {
    queue();
  } catch (...) {
    cuda_library().cuStreamEndCapture(stream.get(), &graph);
    if (graph) cuda_library().cuGraphDestroy(graph);
    throw;
  }
  TESSERA_CUDA("recording a graph", cuStreamEndCapture, stream.get(), &graph);
  const CUresult status = cuda_library().cuGraphInstantiate(&exec_, graph, 0);
  cuda_library().cuGraphDestroy(graph);
  check_cuda(status, "cuGraphInstantiate", "preparing a graph");
}

void Graph::launch(const Stream& stream) const {
  TESSERA_CUDA("launching a graph", cuGraphLaunch, exec_, stream.get());
}

}  // namespace tessera::cuda
