// Reads, live, everything that decides whether operands may be deleted.
#ifndef CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_
#define CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
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

// ClusterServiceVersions that are watched and not copies, without those named (R-000-60). May be
// null: none.
using KnownCsvs =
    std::function<std::vector<olm::CsvFacts>(const std::set<kube::NamespacedName>& without)>;

struct GuardOptions {
  // --allow-unprotected-opt-in: no admission policy is asked for, and no opt-in has to be
  // confirmed.
  bool allow_unprotected = false;
  // Custom resources of definitions that OLM did not install are cleaned up, too (R-000-79).
  bool unmanaged_definitions = false;
  // Operators' Deployments do not exist here (`steward up`): they are no guard.
  bool without_deployments = false;
  // ClusterServiceVersions need no definition here (`steward up`): it is no guard.
  bool csvs_built_in = false;
  // Told how long each reading took; may be null.
  std::function<void(absl::Duration)> observe;
  olm::CsvTerms terms;
  size_t width = 8;  // requests at a time
};

// How much of the ClusterServiceVersion a reading is to have.
enum class CsvDetail {
  kFacts,   // what decides
  kObject,  // and the object itself
};

struct GuardReading {
  olm::CleanupInputs inputs;
  boost::json::value csv;  // the object, when it was asked for and could be read
  absl::Duration began;    // monotonic; nothing was read before
};

// Lives on one executor; calls may overlap.
class GuardReader {
 public:
  // REQUIRES: the references outlive this object and its calls.
  GuardReader(kube::Client& client, CsvLister& csvs, Clock& clock, KnownCsvs known,
              GuardOptions options);

  // Errors are in the reading. What can be read at the same time is: the kube-apiserver may answer
  // a list of what has not changed no sooner than after a tenth of a second.
  //
  // The ClusterServiceVersion is read with the list of all, which shows one moment, or after it:
  // one that is not in the list any more has left its mark before (kRefusalAnnotation).
  //
  // REQUIRES, for a verdict: it was seen being deleted before. What deletes all of them deletes
  // their definition first.
  boost::asio::awaitable<GuardReading> Look(kube::NamespacedName csv,
                                            std::optional<olm::CleanupRecord> remembered,
                                            CsvDetail detail);

 private:
  using Reader = std::function<VoidTask()>;
  VoidTask ReadAll(std::vector<Reader> reads);
  VoidTask ReadFirst(kube::NamespacedName csv, CsvDetail detail, GuardReading& reading);
  VoidTask ReadOperator(kube::NamespacedName name, CsvDetail detail, CopyReading copies,
                        GuardReading& reading);
  VoidTask ReadCsvs(CopyReading copies, GuardReading& reading);
  VoidTask ReadCsv(kube::NamespacedName name, GuardReading& reading);
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
  // Nobody but OLM can make a copy of what was none, as far as was read last.
  bool copies_protected_ = true;
  ProtectionReader protection_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_GUARD_READER_H_
