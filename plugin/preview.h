// What an uninstallation would do, before it does it.
#ifndef PLUGIN_PREVIEW_H_
#define PLUGIN_PREVIEW_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "plugin/cleanup_status.h"
#include "plugin/csv.h"
#include "plugin/operands.h"
#include "plugin/related.h"
#include "plugin/terminal.h"

namespace steward::plugin {

// What the user wants of the operands.
enum class Wish {
  kAsItIs,  // as the ClusterServiceVersion says
  kDelete,  // --cleanup
  kKeep,    // --keep
};

// What is to be done about the administrator's opt-in.
struct Course {
  bool deletes_operands = false;
  bool opt_in = false;   // the finalizer has to be added
  bool opt_out = false;  // it has to be removed
};
// Refused when --cleanup asks for what the author does not support. `deleting`: it is too late for
// opting in or out.
absl::StatusOr<Course> CourseFor(Wish wish, const olm::CsvFacts& facts);

struct Preview {
  Csv csv;
  CleanupStatus status;
  Course course;
  olm::TargetSet targets;
  std::vector<olm::CrdPlan> plans;
  std::optional<OperandCounts> operands;  // absent: they could not be counted
  std::string why_uncounted;
  std::vector<RelatedObject> related;

  // What stands against deleting operands, but for the two words, the author's and the
  // administrator's. Empty where operands are kept.
  std::vector<CleanupStatus::Blocker> Blockers() const;
};

// Reads everything. kNotFound (IsAbsent) when there is no such ClusterServiceVersion. An error
// where operands would be deleted that cannot be counted.
Task<Preview> MakePreview(kube::Client& client, kube::NamespacedName name, Wish wish);

// For people. `saving` tells what becomes of what is deleted.
std::vector<Terminal::Row> PreviewRows(const Preview& preview, const std::string& saving);
// For programs.
boost::json::object PreviewJson(const Preview& preview);

// "4 custom resources", "1 custom resource".
std::string CountText(int64_t count, std::string_view thing);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_H_
