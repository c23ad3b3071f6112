// Writes to ClusterServiceVersions: removes finalizers, sets Steward's annotations and labels, and
// writes the status. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_REPORTING_CSV_WRITER_H_
#define CONTROLLERS_CLEANUP_REPORTING_CSV_WRITER_H_

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/runtime/election/leadership.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// The field manager of all of cleanup's writes.
inline constexpr char kFieldManager[] = "steward-cleanup";

// Each write has the resourceVersion by which it was decided as a precondition, and is sent only by
// a leader. Calls may overlap.
class CsvWriter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  CsvWriter(kube::Client& client, const Leadership& leadership)
      : client_(client), leadership_(leadership) {}

  // Removes the finalizers in `gone`. Returns false when the object changed meanwhile, so that the
  // caller looks again. Returns true if the object no longer exists.
  Task<bool> RemoveFinalizers(const olm::CsvFacts& csv, std::vector<std::string_view> gone);
  // Sets an annotation. Returns false when the object changed meanwhile, or is gone. REQUIRES:
  // `csv` is being deleted. Otherwise OLM would copy the annotation into the operator's pods, and
  // treat the operator as not installed until that is done.
  Task<bool> Annotate(const olm::CsvFacts& csv, std::string_view key, std::string value);
  // Sets a label, in the same way; `csv` need not be being deleted.
  Task<bool> Label(const olm::CsvFacts& csv, std::string_view key, std::string value);
  // `patch` is a result of StatusPatch. Returns false when the object changed meanwhile, or is
  // gone.
  Task<bool> WriteStatus(const kube::NamespacedName& csv, const boost::json::value& patch);

 private:
  StatusTask Patch(const kube::NamespacedName& csv, const boost::json::value& patch,
                   std::string subresource);
  // `field` is annotations or labels.
  Task<bool> Mark(const olm::CsvFacts& csv, std::string_view field, std::string_view key,
                  std::string value);

  kube::Client& client_;
  const Leadership& leadership_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_CSV_WRITER_H_
