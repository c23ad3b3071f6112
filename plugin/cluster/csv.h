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
  // APIs that it serves by itself, by name: the controllers may be told to clean them up, too.
  std::map<std::string, olm::OwnedApi> owned_apis;
  std::string display_name;
  std::string version;
  std::vector<Condition> conditions;  // of cleanup, as Steward's controllers wrote them

  // Null when there is none.
  const Condition* Find(std::string_view reason) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // True if an uninstallation would make Steward delete operands: both the author and the
  // administrator consent.
  bool cleans_up() const { return facts.OptedIn(); }
};

// The identity of an operator in a command's document.
boost::json::object IdentityJson(const olm::CsvFacts& facts);

// Reads the present state. kNotFound (kube::IsNotFound) when there is none.
Task<Csv> ReadCsv(kube::Client& client, kube::NamespacedName name);

// Checks the state that is about to be changed: an error ends the change before it is made.
using CsvCheck = std::function<absl::Status(const Csv& now)>;

// Adds the administrator's opt-in, and nothing else, to what `agreed` lets pass; OK when it is as
// wanted. With the `proof` of the admission policy that authorises it, the opt-in is confirmed by
// the same write (R-000-76); "" leaves that to the controllers. With `dry_run` only asks whether
// that would be let. kNotFound when there is no object with this UID any more. Changes made by
// others meanwhile are kept.
StatusTask OptIn(kube::Client& client, kube::NamespacedName name, std::string uid,
                 std::string proof, CsvCheck agreed, bool dry_run);

// Removes the opt-in in the same way. The confirmation stays: it means nothing by itself.
StatusTask OptOut(kube::Client& client, kube::NamespacedName name, std::string uid, bool dry_run);

// The proof (olm::PolicyFacts) of the admission policy that authorises opting in, bound by the
// binding of its name; "" when it is not in force. Fails also when the user may not read these
// (kube::IsForbidden).
Task<std::string> ReadOptInProof(kube::Client& client);

// Withdraws the author's consent in the same way, which aborts a cleanup.
StatusTask DisableCleanup(kube::Client& client, kube::NamespacedName name, std::string uid,
                          bool dry_run);

// Requests a background deletion of exactly this state of the object.
StatusTask DeleteCsv(kube::Client& client, olm::CsvFacts facts, bool dry_run);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_CSV_H_
