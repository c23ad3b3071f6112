// The ClusterServiceVersions that count, live, without reading again what has not changed.
#ifndef CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_
#define CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/async/task.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/copy_claims.h"
#include "olm/cleanup/facts.h"

namespace steward::controllers {

struct CsvListing {
  std::set<kube::NamespacedName> names;  // of all that were listed
  // All but the proven copies, of which there may be thousands. Of unproven ones that say the same,
  // one stands for all.
  std::vector<olm::CsvFacts> csvs;
  // Those that are being deleted and have a finalizer of cleanup, whatever else they are. Where
  // copies are ignored, some with the label may be missing: none that is in no list is proven not
  // to wait.
  std::set<kube::NamespacedName> waiting;
};

// How those with OLM's label of copies come into a listing.
enum class CopyReading {
  kListed,    // listed live, with the others
  kFollowed,  // by the CopyIndex; it is an error when that cannot say
  kIgnored,   // not at all, except that those that wait are told of, as far as they are known
};

// A ClusterServiceVersion is large, and what cleanup reads of it small. So the live list is one of
// metadata, and contents are read only of what it shows to be new or changed: an object of one UID
// and resourceVersion never differs. What changes between the list and the reading of a content
// makes the list void. So a listing is what one whole list at one moment would have shown, and
// never older than the call.
//
// Where copies are followed, only the others are listed (R-000-85). The kube-apiserver answers such
// a list out of its cache, with and without a limit; it looks at each object's labels for that, and
// sends only what it is asked for (docs/performance.md). What was ever listed without the label and
// is not listed now is read: unless it is gone, somebody has set the label on it, and it counts for
// as long as it is remembered, whatever it says.
//
// Lives on one executor; calls may overlap.
class CsvLister {
 public:
  // Contents of more are not kept where copies are listed: beyond, every list is a whole one.
  static constexpr size_t kMaxKept = 50'000;
  // When more have changed, one whole list is cheaper than reading each.
  static constexpr size_t kMaxReadAlone = 20;

  // `copies` may be null: then copies are always listed. REQUIRES: the references and pointers
  // outlive this object and its calls.
  explicit CsvLister(kube::Client& client, const olm::CsvTerms& terms = {},
                     const CopyIndex* copies = nullptr)
      : client_(client), terms_(terms), copies_(copies) {}

  Task<CsvListing> List(CopyReading copies = CopyReading::kListed);
  // This one, live, whatever it is; nullopt: there is none.
  Task<std::optional<olm::CsvFacts>> Find(kube::NamespacedName name);

  // Contents that are kept.
  size_t kept() const { return kept_.size(); }

 private:
  struct Content {
    std::string resource_version;
    // Exactly one of them: of what was first seen without the label, and of what had it then.
    std::shared_ptr<const olm::CsvFacts> facts;
    std::shared_ptr<const olm::CopyClaims> claims;
  };
  using Contents = absl::flat_hash_map<std::string, Content>;  // by UID
  struct Draft;

  StatusTask ListWhole(Draft& draft);
  StatusTask ListMetadata(Draft& draft);
  void Take(olm::CsvFacts csv, Draft& draft);
  Task<bool> ReadChanged(Draft& draft);
  Task<bool> ReadMissing(Draft& draft);
  Task<bool> CountCopies(Draft& draft);
  CsvListing Finish(Draft draft);

  kube::Client& client_;
  const olm::CsvTerms terms_;
  const CopyIndex* const copies_;
  Contents kept_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_
