// Questions of views to the controllers about what only those have the rights to look at.
// Thread-safe.
#ifndef APISERVER_UPSTREAM_PENDING_OPERANDS_H_
#define APISERVER_UPSTREAM_PENDING_OPERANDS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/upstream/asker.h"
#include "base/async/task.h"
#include "kube/meta/names.h"

namespace steward::upstream {

// A custom resource that an uninstallation would delete, or waits for.
struct PendingOperand {
  std::string group;
  std::string kind;
  std::string plural;
  kube::NamespacedName name;
  std::string uid;
  std::string deletion_timestamp;  // RFC 3339; "" = it is not being deleted yet
  std::vector<std::string> finalizers;
};

struct PendingPage {
  std::vector<PendingOperand> operands;
  std::string continue_token;  // "" = this was the last page
  int64_t remaining = 0;       // after this page
  int64_t hidden = 0;          // between those of this page, that the asker may not list
};

// Implementations are thread-safe. Errors carry a Kubernetes Status: 503 with a time to try again,
// and the reason, while the controllers are away.
class PendingOperands {
 public:
  virtual ~PendingOperands() = default;
  // At most `limit` (0 = as many as there are on a page) after the page with `continue_token`.
  // Cancellable.
  virtual Task<PendingPage> ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                        std::string continue_token) = 0;
};

// Where no controllers are known: always 503, with this reason.
class NoControllers : public PendingOperands {
 public:
  explicit NoControllers(std::string reason) : reason_(std::move(reason)) {}
  Task<PendingPage> ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                std::string continue_token) override;

 private:
  const std::string reason_;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_PENDING_OPERANDS_H_
