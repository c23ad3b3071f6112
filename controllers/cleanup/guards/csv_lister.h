// Lists the ClusterServiceVersions that count as operators. Lists live, but does not read unchanged
// contents again. Lives on one executor.
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
#include "controllers/cleanup/guards/recently_deleted_csvs.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/copy_claims.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

struct CsvListing {
  std::set<kube::NamespacedName> names;  // of all that were listed
  // All except the proven copies, of which there may be thousands. One unproven copy represents all
  // unproven copies with equal contents.
  std::vector<olm::CsvFacts> csvs;
  // The ClusterServiceVersions, copies included, that are being deleted and have a finalizer of
  // cleanup. With CopyReading::kIgnored, objects with the label of copies may be missing, so
  // absence from this set does not prove that an object does not wait.
  std::set<kube::NamespacedName> waiting;
  // The originals that objects with the label of copies name, whether they exist or not. Only if
  // copies are listed.
  std::set<kube::NamespacedName> copied;
  // The objects that an earlier call listed and that were deleted a moment ago
  // (RecentlyDeletedCsvs).
  std::vector<olm::DepartedCsv> departed;
};

// The ways in which a listing treats ClusterServiceVersions with OLM's label of copies.
enum class CopyReading {
  kListed,    // listed live, with the others
  kFollowed,  // from the CopyIndex; an error if the index does not know all
  kIgnored,   // not counted; `waiting` has those that the CopyIndex knows
};

// A ClusterServiceVersion is large, and cleanup needs little of it. So the live list has metadata
// only, and only objects that are new or changed in the list are read: an object of one UID and
// resourceVersion never differs. If an object changes between the list and the read of its content,
// the list is made again. So a listing equals one whole list at one moment, and is never older than
// the call.
//
// If copies are followed, only the other objects are listed (R-000-85). The kube-apiserver answers
// such a list from its cache, with and without a limit; it checks each object's labels, and sends
// only the selected ones (docs/performance.md). An object that was once listed without the label
// and is missing now is read. If it still exists, somebody gave it the label; it still counts as an
// operator while it is remembered, whatever its contents.
//
// Calls may overlap.
class CsvLister {
 public:
  // The limit of kept contents if copies are listed. Beyond it, every list is a whole list.
  static constexpr size_t kMaxKept = 50'000;
  // With more changes than this, one whole list is cheaper than reading each object.
  static constexpr size_t kMaxReadAlone = 20;

  // If `copies` is null, copies are always listed. If `recently_deleted` is null,
  // CsvListing::departed is empty. REQUIRES: the references and pointers outlive this object and
  // its calls.
  explicit CsvLister(kube::Client& client, const olm::CsvTerms& terms = {},
                     const CopyIndex* copies = nullptr,
                     RecentlyDeletedCsvs* recently_deleted = nullptr)
      : client_(client), terms_(terms), copies_(copies), recently_deleted_(recently_deleted) {}

  Task<CsvListing> List(CopyReading copies = CopyReading::kListed);
  // Reads this ClusterServiceVersion live, even if it is a copy; nullopt: it does not exist.
  Task<std::optional<olm::CsvFacts>> Find(kube::NamespacedName name);

  // The number of kept contents.
  size_t kept() const { return kept_.size(); }

 private:
  struct Content {
    std::string resource_version;
    // Exactly one is set: `facts` if the object was first seen without the label, else `claims`.
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
  void NoteDepartures(Draft& draft);

  kube::Client& client_;
  const olm::CsvTerms terms_;
  const CopyIndex* const copies_;
  RecentlyDeletedCsvs* const recently_deleted_;
  Contents kept_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_CSV_LISTER_H_
