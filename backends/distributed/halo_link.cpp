#include "backends/distributed/halo_link.h"

#include "backends/distributed/halo_parcel.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Through the host's memory: any two backends can do that.
class HostLink final : public HaloLink {
 public:
  explicit HostLink(const HaloPath& path)
      : path_(path),
        parcel_(path.cells, path.turn, *path.from, form_of(*path.from), form_of(*path.to)) {}
  const char* name() const override { return "host"; }
  void post() override { parcel_.pack(*path_.from, {path_.cells.x, path_.cells.y}); }
  void take() override { parcel_.unpack(*path_.to, path_.at, path_.turn); }

 private:
  HaloPath path_;
  HaloParcel parcel_;
};

class PeerLink final : public HaloLink {
 public:
  explicit PeerLink(const HaloPath& path) : path_(path) {}
  const char* name() const override { return "peer"; }
  void post() override {
    path_.from->row_port()->post(path_.side, path_.cells.y, path_.cells.height);
  }
  void take() override {
    path_.to->row_port()->take(*path_.from->row_port(), path_.side, path_.at.y);
  }

 private:
  HaloPath path_;
};

// Why rows cannot go from device to device, or nothing.
std::optional<std::string> no_peers(const HaloPath& path) {
  if (!path.turn.none() || path.cells.width != path.from->spec().width || path.from == path.to)
    return "whole rows pass from device to device, and these edges are shifted or twisted";
  for (StepBackend* end : {path.from, path.to}) {
    if (!end->row_port()) return end->info().backend + " passes no rows to other devices";
  }
  return path.to->row_port()->join(*path.from->row_port(), path.side);
}

}  // namespace

LinkChoice parse_link(const std::string& what, const std::string& text) {
  if (text == "auto") return LinkChoice::automatic;
  if (text == "host") return LinkChoice::host;
  if (text == "peer") return LinkChoice::peer;
  if (text == "nccl") return LinkChoice::nccl;
  throw InputError(what + " " + text + ": auto, peer, nccl or host is expected");
}

std::unique_ptr<HaloLink> make_link(const HaloPath& path, LinkChoice choice) {
  if (choice == LinkChoice::host) return std::make_unique<HostLink>(path);
  const std::optional<std::string> why = no_peers(path);
  if (!why) return std::make_unique<PeerLink>(path);
  if (choice == LinkChoice::peer)
    throw UnsupportedError("link peer: " + *why + "; auto and host are accepted here");
  return std::make_unique<HostLink>(path);
}

}  // namespace tessera
