#pragma once

#include <span>

#include "backends/distributed/communicator.h"
#include "backends/distributed/rank_message.h"

namespace tessera {

/// Sends a message of any length to other ranks, which take it by `receive_mail`; returns when it
/// may be changed. Throws PartLost. From several threads at a time where `us` allows that
/// (Communicator::exchange), and they have other partners or tags.
void send_mail(Communicator& us, std::span<const int> to, int tag, RankMessage& message);

/// Waits for what another rank sends by `send_mail` with this tag. Likewise.
RankMessage receive_mail(Communicator& us, int from, int tag);

}  // namespace tessera
