// Asks the controllers, for views, about objects that only the controllers may read. Thread-safe.
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
  std::string deletion_timestamp;  // RFC 3339; "" = not being deleted yet
  std::vector<std::string> finalizers;
};

struct PendingPage {
  std::vector<PendingOperand> operands;
  std::string continue_token;  // "" = the last page
  int64_t remaining = 0;       // operands after this page
  int64_t hidden = 0;          // operands between those of this page that the asker may not list
};

// Errors carry a Kubernetes Status. While the controllers are unreachable, it is a 503 with a retry
// time and the reason.
class PendingOperands {
 public:
  virtual ~PendingOperands() = default;
  // Returns at most `limit` operands (0 = a full page) after the page with `continue_token`.
  // Cancellable.
  virtual Task<PendingPage> ListPending(Asker asker, kube::NamespacedName csv, int64_t limit,
                                        std::string continue_token) = 0;
};

// The implementation for a server without controllers: always 503, with this reason.
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
