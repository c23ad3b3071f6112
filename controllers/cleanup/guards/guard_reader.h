// Reads live everything that decides whether operands may be deleted. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_
#define CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/protection_reader.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// Returns the watched ClusterServiceVersions that are not copies, except those in `without`
// (R-000-60). Null = there are none.
using KnownCsvs =
    std::function<std::vector<olm::CsvFacts>(const std::set<kube::NamespacedName>& without)>;

struct GuardOptions {
  // --allow-unprotected-opt-in: no admission policy is required, and no opt-in has to be confirmed.
  bool allow_unprotected = false;
  // The garbage collector's finalizers stay as long as others do (`steward up`).
  bool collector_finalizers_stay = false;
  // Also clean up custom resources of definitions that OLM did not install (R-000-79).
  bool unmanaged_definitions = false;
  // Operators' Deployments do not exist here (`steward up`), so they are not checked.
  bool without_deployments = false;
  // ClusterServiceVersions need no definition here (`steward up`), so it is not checked.
  bool csvs_built_in = false;
  // Returns how the object of this name and UID was deleted. For clusters in which no policy
  // refuses --cascade=orphan and =foreground. Null: the object's finalizers tell.
  std::function<olm::DeletionMode(const kube::NamespacedName& csv, const std::string& uid)>
      deletion_mode;
  // Called with the duration of each reading; may be null.
  std::function<void(absl::Duration)> observe;
  olm::CsvTerms terms;
  size_t width = 8;  // requests at a time
};

// The parts of the ClusterServiceVersion that a reading contains.
enum class CsvDetail {
  kFacts,   // the facts that decide
  kObject,  // and the object itself
};

// A ClusterServiceVersion that was read before. REQUIRES: the references outlive its use.
struct CsvAsRead {
  const olm::CsvFacts& facts;
  std::string_view json;
};

struct GuardReading {
  olm::CleanupInputs inputs;
  boost::json::value csv;  // the object, if requested and readable
  absl::Duration began;    // monotonic; nothing was read before this time
  // True when the listing has copies of this object, or when it is unknown whether it has.
  bool lists_copies = true;
};

// Calls may overlap.
class GuardReader {
 public:
  // REQUIRES: the references outlive this object and its calls.
  GuardReader(kube::Client& client, CsvLister& csvs, Clock& clock, KnownCsvs known,
              GuardOptions options);

  // Errors are in the reading. Independent reads run at the same time, because the kube-apiserver
  // may take up to a tenth of a second to answer a list that has not changed.
  //
  // The ClusterServiceVersion is read together with the list of all of them, or after it. So if a
  // co-owner is not in the list any more, its mark (kRefusalAnnotation) is seen.
  //
  // `before` may be null. It saves a GET if the list shows the object in the same state.
  //
  // REQUIRES, for a verdict: `csv` was seen being deleted before the call. If all of them are
  // deleted by deleting their definition, the definition is marked first, so the reading shows
  // that.
  boost::asio::awaitable<GuardReading> Look(kube::NamespacedName csv,
                                            std::optional<olm::CleanupRecord> remembered,
                                            CsvDetail detail, const CsvAsRead* before = nullptr);

 private:
  using Reader = std::function<VoidTask()>;
  VoidTask ReadAll(std::vector<Reader> reads);
  // The arguments of Look about the ClusterServiceVersion itself.
  struct Asked {
    kube::NamespacedName name;
    CsvDetail detail;
    const CsvAsRead* before;
  };
  VoidTask ReadFirst(Asked csv, GuardReading& reading);
  VoidTask ReadOperator(Asked csv, CopyReading copies, GuardReading& reading);
  VoidTask ReadCsvs(kube::NamespacedName name, CopyReading copies, GuardReading& reading);
  VoidTask ReadCsv(kube::NamespacedName name, GuardReading& reading);
  static void Take(olm::CsvFacts facts, std::string_view json, GuardReading& reading);
  VoidTask ReadCsvDefinition(GuardReading& reading);
  VoidTask ReadNamespace(std::string name, GuardReading& reading);
  VoidTask ReadGroups(std::string ns, GuardReading& reading);
  VoidTask ReadSelected(GuardReading& reading);
  VoidTask ReadCrd(std::string name, GuardReading& reading);
  VoidTask ReadApi(olm::OwnedApi api, GuardReading& reading);
  VoidTask ReadDeployment(kube::NamespacedName name, GuardReading& reading);
  VoidTask ReadProtection(GuardReading& reading);

  kube::Client& client_;
  CsvLister& csvs_;
  Clock& clock_;
  const KnownCsvs known_;
  const GuardOptions options_;
  // True if, at the last reading, only OLM could give an object the label of copies.
  bool copies_protected_ = true;
  ProtectionReader protection_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_
