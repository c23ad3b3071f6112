// A ClusterServiceVersion as the plugin reads and writes it. Values; calls run on the caller's
// executor.
#ifndef PLUGIN_CLUSTER_CSV_H_
#define PLUGIN_CLUSTER_CSV_H_

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/csv_facts.h"

namespace steward::plugin {

struct Csv {
  struct Condition {
    std::string reason;
    std::string message;
  };

  olm::CsvFacts facts;
  // APIs that the operator itself serves, by name: the controllers may be told to clean up their
  // objects, too.
  std::map<std::string, olm::OwnedApi> owned_apis;
  std::string display_name;
  std::string version;
  std::vector<Condition> conditions;  // of cleanup, as Steward's controllers wrote them

  // The condition with this reason, or null.
  const Condition* Find(std::string_view reason) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // True if an uninstallation would make Steward delete operands: both the author and the
  // administrator consent.
  bool cleans_up() const { return facts.OptedIn(); }
};

// The identity of an operator in a command's document.
boost::json::object IdentityJson(const olm::CsvFacts& facts);

// Reads the present state. kNotFound (kube::IsNotFound) when there is none.
Task<Csv> ReadCsv(kube::Client& client, kube::NamespacedName name);

// Checks the ClusterServiceVersion as read right before a change. An error ends the change before
// anything is written.
using CsvCheck = std::function<absl::Status(const Csv& now)>;

// Adds the administrator's opt-in, and nothing else, if `agreed` returns OK; OK if it is there
// already. With the `proof` of the admission policy that authorises it, the same write confirms the
// opt-in (R-000-76); with "" the controllers do. With `dry_run` only asks whether the write would
// be allowed. kNotFound when no object has this UID any more. Keeps changes that others make
// meanwhile.
StatusTask OptIn(kube::Client& client, kube::NamespacedName name, std::string uid,
                 std::string proof, CsvCheck agreed, bool dry_run);

// Removes the opt-in in the same way. The confirmation stays: it means nothing by itself.
StatusTask OptOut(kube::Client& client, kube::NamespacedName name, std::string uid, bool dry_run);

// The proof (olm::PolicyFacts) of the admission policy that authorises opting in; "" when the
// policy is not in force, that is, not bound by the binding of its name. Fails also when the user
// may not read policy and binding (kube::IsForbidden).
Task<std::string> ReadOptInProof(kube::Client& client);

// Withdraws the author's consent in the same way, which aborts a cleanup.
StatusTask DisableCleanup(kube::Client& client, kube::NamespacedName name, std::string uid,
                          bool dry_run);

// Requests a background deletion of exactly this state of the object.
StatusTask DeleteCsv(kube::Client& client, olm::CsvFacts facts, bool dry_run);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_CSV_H_
