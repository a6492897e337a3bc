#pragma once

#include "backends/distributed/rank_message.h"
#include "core/files/shard.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Puts a grid's spec into a message to another process, with all that its rules point to.
void put_spec(RankMessage& message, const BackendSpec& spec);

/// Takes what put_spec put. Throws what reading a rule file does, and std::bad_alloc.
BackendSpec take_spec(RankMessage& message);

/// What a rank must know to write a shard, likewise.
void put_order(RankMessage& message, const ShardOrder& order);
ShardOrder take_order(RankMessage& message);

}  // namespace tessera
