// Proves by live reads that copies of an original are not wanted. Lives on one executor.
#ifndef CONTROLLERS_COPIED_CSV_SOURCE_PROOFS_H_
#define CONTROLLERS_COPIED_CSV_SOURCE_PROOFS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/copies/copy_toggle.h"
#include "kube/client/client.h"
#include "kube/meta/write_options.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"

namespace steward::controllers {

// Made for one pass over the slots of one name. A read is good for two seconds, so many copies of
// one original cost few reads.
class SourceProofs {
 public:
  // REQUIRES: the references outlive this object.
  SourceProofs(kube::Client& client, CopyToggle& toggle, Clock& clock, std::string name)
      : client_(client), toggle_(toggle), clock_(clock), name_(std::move(name)) {}

  struct Verdict {
    // True when live reads show that the original of this name in `source` does not exist, or that
    // its copy shall not be in `ns`. False otherwise; then the World may lag behind the cluster.
    bool unwanted = false;
    // Fails once the underlying read is older than two seconds. Does not use the SourceProofs
    // object.
    kube::SendCheck still_good;
  };
  Task<Verdict> Judge(std::string source, olm::NamespacePtr ns);

 private:
  struct Source {
    absl::Duration read_at;       // monotonic; when the reading began
    olm::CsvPtr csv;              // null: the server said that there is none
    olm::OperatorGroupPtr group;  // null: none, or several
  };
  struct Policy {
    absl::Duration read_at;  // monotonic; when the reading began
    olm::CopyPolicy policy;
  };

  Task<std::shared_ptr<const Source>> ReadSource(std::string source);
  Task<std::shared_ptr<const Policy>> ReadPolicy();
  Verdict Unwanted(absl::Duration read_at) const;

  kube::Client& client_;
  CopyToggle& toggle_;
  Clock& clock_;
  const std::string name_;
  std::map<std::string, std::shared_ptr<const Source>> sources_;
  std::shared_ptr<const Policy> policy_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_CSV_SOURCE_PROOFS_H_
