// The objects that do not stay as they were written. Lives on one executor.
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

// Something in the cluster changes what is written to them on its way. They are written again ever
// more rarely: after 2 s, and after twice as long each time, up to 30 s. Kept by the originals'
// namespace; one without a namespace is lifted.
class Resistance {
 public:
  // REQUIRES: `clock` outlives this object.
  explicit Resistance(const Clock& clock) : clock_(clock) {}

  // When the object is to be written again (monotonic), which may be past; nullopt: it does not
  // resist.
  std::optional<absl::Duration> DueOf(const std::string& source,
                                      const kube::NamespacedName& object) const;
  // Notes that it does. `due` is when it is to be written again. True when it did not before.
  bool Note(const std::string& source, const kube::NamespacedName& object, absl::Duration* due);
  // Forgets all of the source's but these.
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
