#include "backends/distributed/rank_message.h"

namespace tessera {

RankMessage& RankMessage::append(const void* data, std::size_t size) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + size);
  if (size > 0) std::memcpy(bytes_.data() + at, data, size);
  return *this;
}

}  // namespace tessera
