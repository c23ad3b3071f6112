// The ClusterServiceVersions that count as operators, read live but without reading unchanged
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
  // All but the proven copies, of which there may be thousands. Of unproven copies with equal
  // contents, one represents all.
  std::vector<olm::CsvFacts> csvs;
  // The ClusterServiceVersions, copies included, that are being deleted and have a finalizer of
  // cleanup. Where copies are ignored, some with the label may be missing: absence from the list
  // does not prove that an object does not wait.
  std::set<kube::NamespacedName> waiting;
  // Originals, there or not, of those with the label of copies. Only where copies are listed.
  std::set<kube::NamespacedName> copied;
  // The objects that an earlier call listed, and that went a moment ago (RecentlyDeletedCsvs).
  std::vector<olm::DepartedCsv> departed;
};

// The treatment of ClusterServiceVersions with OLM's label of copies in a listing.
enum class CopyReading {
  kListed,    // listed live, with the others
  kFollowed,  // from the CopyIndex; an error if that does not know them
  kIgnored,   // not counted; those that wait are reported as far as they are known
};

// A ClusterServiceVersion is large, and cleanup reads little of it. So the live list is one of
// metadata, and contents are read only of objects that are new or changed in it: an object of one
// UID and resourceVersion never differs. A change between the list and the reading of a content
// makes the list void. So a listing equals one whole list at one moment, and is never older than
// the call.
//
// If copies are followed, only the other objects are listed (R-000-85). The kube-apiserver answers
// such a list from its cache, with and without a limit; it checks each object's labels, and sends
// only the selected ones (docs/performance.md). An object that was once listed without the label,
// and is missing now, is read: unless it is gone, it was given the label, and it counts as long as
// it is remembered, whatever its contents.
//
// Calls may overlap.
class CsvLister {
 public:
  // The limit of kept contents where copies are listed: beyond, every list is a whole one.
  static constexpr size_t kMaxKept = 50'000;
  // With more changes than this, one whole list is cheaper than reading each object.
  static constexpr size_t kMaxReadAlone = 20;

  // `copies` may be null: then copies are always listed. `recently_deleted` may be null: then
  // nothing is known of what is gone. REQUIRES: the references and pointers outlive this object and
  // its calls.
  explicit CsvLister(kube::Client& client, const olm::CsvTerms& terms = {},
                     const CopyIndex* copies = nullptr,
                     RecentlyDeletedCsvs* recently_deleted = nullptr)
      : client_(client), terms_(terms), copies_(copies), recently_deleted_(recently_deleted) {}

  Task<CsvListing> List(CopyReading copies = CopyReading::kListed);
  // Reads this ClusterServiceVersion live, even if it is a copy; nullopt: there is none.
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
