// Every ClusterServiceVersion there is, without reading again what has not changed.
#ifndef CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_
#define CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"

namespace steward::controllers {

struct CsvListing {
  std::set<kube::NamespacedName> names;  // of all
  std::vector<olm::CsvFacts> csvs;  // all but the proven copies, of which there may be thousands
  // Those that are being deleted and have a finalizer of cleanup, whatever else they are.
  std::set<kube::NamespacedName> waiting;
};

// A ClusterServiceVersion is large, and what cleanup reads of it small. So the live list is one of
// metadata, and contents are read only of what it shows to be new or changed: an object of one UID
// and resourceVersion never differs. What changes between the list and the reading of a content
// makes the list void. So a listing is what one whole list at one moment would have shown, and
// never older than the call.
//
// Lives on one executor; calls may overlap.
class CsvLister {
 public:
  // Contents of more are not kept: beyond, every list is a whole one. A copy's is 200 bytes.
  static constexpr size_t kMaxKept = 50'000;
  // When more have changed, one whole list is cheaper than reading each.
  static constexpr size_t kMaxReadAlone = 20;

  // REQUIRES: `client` outlives this object and its calls.
  explicit CsvLister(kube::Client& client, const olm::CsvTerms& terms = {})
      : client_(client), terms_(terms) {}

  Task<CsvListing> List();

  // Contents that are kept.
  size_t kept() const { return kept_.size(); }

 private:
  struct Content {
    std::string resource_version;
    std::shared_ptr<const olm::CsvFacts> facts;  // null: a proven copy
  };
  using Contents = absl::flat_hash_map<std::string, Content>;  // by UID
  struct Draft;

  StatusTask ListWhole(Draft& draft);
  StatusTask ListMetadata(Draft& draft);
  Task<bool> ReadChanged(Draft& draft);
  CsvListing Finish(Draft draft);

  kube::Client& client_;
  const olm::CsvTerms terms_;
  Contents kept_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_
