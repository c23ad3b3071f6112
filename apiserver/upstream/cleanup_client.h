// The client of steward.cleanup.v1.CleanupService. Thread-safe.
#ifndef APISERVER_UPSTREAM_CLEANUP_CLIENT_H_
#define APISERVER_UPSTREAM_CLEANUP_CLIENT_H_

#include <cstdint>
#include <string>

#include "apiserver/upstream/asker.h"
#include "apiserver/upstream/channel.h"
#include "apiserver/upstream/pending_operands.h"
#include "base/async/task.h"
#include "kube/meta/names.h"

namespace steward::upstream {

class CleanupClient : public PendingOperands {
 public:
  // REQUIRES: `channel` outlives this object and its calls.
  explicit CleanupClient(Channel& channel) : channel_(channel) {}

  Task<PendingPage> ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                std::string continue_token) override;

 private:
  Channel& channel_;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_CLEANUP_CLIENT_H_
