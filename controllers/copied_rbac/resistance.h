// Remembers objects that resist: their stored content differs from what was written. Lives on one
// executor.
#ifndef CONTROLLERS_COPIED_RBAC_RESISTANCE_H_
#define CONTROLLERS_COPIED_RBAC_RESISTANCE_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// Something in the cluster (a webhook) changes the writes on their way. Such objects are written
// again after 2 s, then after twice as long each time, up to 30 s. Kept by the originals' namespace
// (`source`). An object without a namespace is a lifted one.
class Resistance {
 public:
  // REQUIRES: `clock` outlives this object.
  explicit Resistance(const Clock& clock) : clock_(clock) {}

  // When to write the object again (monotonic; may be in the past); nullopt: it does not resist.
  std::optional<absl::Duration> DueOf(const std::string& source,
                                      const kube::NamespacedName& object) const;
  // Notes that the object resists. Sets `due` to when to write it again. Returns true when it did
  // not resist before.
  bool Note(const std::string& source, const kube::NamespacedName& object, absl::Duration* due);
  // Forgets all objects of `source` except `objects`.
  void Keep(const std::string& source, const std::set<kube::NamespacedName>& objects);

 private:
  struct Wait {
    absl::Duration length;
    absl::Duration due;  // monotonic
  };

  const Clock& clock_;
  std::map<std::string, std::map<kube::NamespacedName, Wait>> waits_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RESISTANCE_H_
