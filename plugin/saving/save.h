// The saving of operands before they are deleted. Not thread-safe.
#ifndef PLUGIN_SAVING_SAVE_H_
#define PLUGIN_SAVING_SAVE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "plugin/saving/save_folder.h"
#include "plugin/saving/save_index.h"

namespace steward::plugin {

// Saves every custom resource that the plans would delete, or wait for, into a folder. Repeated
// calls write only changed objects.
class Saver {
 public:
  // REQUIRES: `client` and `clock` outlive this object.
  Saver(kube::Client& client, Clock& clock, std::string folder, kube::NamespacedName csv,
        std::string csv_uid);

  // Returns the number of saved objects. Fails, and leaves the index incomplete, if an object could
  // not be read or written. After a failure the caller must delete nothing.
  Task<size_t> Save(std::vector<olm::CrdPlan> plans);

  const std::string& folder() const { return folder_.path(); }

 private:
  Task<SavedResource> SaveOne(olm::CrdPlan plan);
  absl::Status SaveObject(const olm::CrdPlan& plan, const kube::RawObject& raw,
                          SavedResource& resource);

  kube::Client& client_;
  Clock& clock_;
  SaveFolder folder_;
  SaveIndex index_;
  // By path: the UID and resourceVersion of the object in the file.
  std::map<std::string, std::string> written_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_SAVE_H_
