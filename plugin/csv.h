// A ClusterServiceVersion as the plugin reads and writes it.
#ifndef PLUGIN_CSV_H_
#define PLUGIN_CSV_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/csv_facts.h"

namespace steward::plugin {

struct Csv {
  struct Condition {
    std::string reason;
    std::string message;
  };

  olm::CsvFacts facts;
  std::string display_name;
  std::string version;
  std::vector<Condition> conditions;  // of cleanup, as Steward's controllers wrote them

  // Null when there is none.
  const Condition* Find(std::string_view reason) const;
  // What an uninstallation would have Steward delete operands by: both words, the author's and the
  // administrator's.
  bool cleans_up() const { return facts.OptedIn(); }
};

// As it is now. kNotFound (IsAbsent) when there is none.
Task<Csv> ReadCsv(kube::Client& client, kube::NamespacedName name);

// Adds the administrator's opt-in, and nothing else; OK when it is as wanted. With `policy_uid`, of
// the admission policy that authorises it, the opt-in is confirmed by the same write (R-000-76); ""
// leaves that to the controllers. With `dry_run` only asks whether that would be let. kNotFound
// when there is no object with this UID any more. Changes made by others meanwhile are kept.
StatusTask OptIn(kube::Client& client, kube::NamespacedName name, std::string uid,
                 std::string policy_uid, bool dry_run);

// The same for removing it. What was confirmed stays written: it means nothing by itself.
StatusTask OptOut(kube::Client& client, kube::NamespacedName name, std::string uid, bool dry_run);

// The UID of the admission policy by which opting in is authorised; "" when there is none. An error
// also when the user may not read it (IsForbidden).
Task<std::string> ReadOptInPolicy(kube::Client& client);

// The same for the author's word, which is only ever taken back: that aborts a cleanup.
StatusTask DisableCleanup(kube::Client& client, kube::NamespacedName name, std::string uid,
                          bool dry_run);

// A background deletion of exactly this state of the object.
StatusTask DeleteCsv(kube::Client& client, olm::CsvFacts facts, bool dry_run);

}  // namespace steward::plugin

#endif  // PLUGIN_CSV_H_
