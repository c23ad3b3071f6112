// The objects of a namespace that have owners, whatever their kinds. Runs on the caller's executor.
#ifndef BUNDLE_OWNED_OBJECTS_H_
#define BUNDLE_OWNED_OBJECTS_H_

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::bundle {

// Calls `take` with the metadata of each object of a list, which is read as metadata only. `ns` ""
// = everywhere; `selector` is a label selector, "" = all objects. REQUIRES: `client` outlives the
// task.
StatusTask VisitMetadata(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                         std::string selector,
                         std::function<void(const boost::json::object& metadata)> take);
// The namespace and the name in an object's metadata.
kube::NamespacedName NameIn(const boost::json::object& metadata);

// An object that has owners.
struct OwnedObject {
  kube::GroupVersionKind gvk;
  kube::NamespacedName name;
  std::string uid;
  std::set<std::string> owners;  // UIDs
};

// Kinds whose objects could not be read.
struct Unread {
  std::string where;  // "secrets", or "copies of it in other namespaces"
  absl::Status why;
};

struct OwnedObjects {
  std::map<std::string, OwnedObject> by_uid;  // at most 100,000
  std::set<std::string> present;              // UIDs of all objects of the namespace
  std::vector<Unread> unread;
};

// Reads only the metadata of objects, for every namespaced kind that can be listed and deleted.
// Leaves out Events, because they are many and have no owners. Not thread-safe.
class OwnedObjectReader {
 public:
  // REQUIRES: `client` outlives this object.
  explicit OwnedObjectReader(kube::Client& client) : client_(client) {}

  // Discovers the kinds. To be called once, before all else.
  StatusTask Discover();
  Task<OwnedObjects> Read(std::string ns);

  // Group versions that could not be discovered.
  const std::vector<Unread>& unread() const { return unread_; }
  // The kind of a resource; the resource's name if discovery gave no answer for it.
  const std::string& KindOf(const kube::GroupVersionResource& gvr) const;

 private:
  struct Kind {
    kube::GroupVersionResource gvr;
    std::string kind;
  };

  VoidTask ReadKind(const Kind& kind, const std::string& ns, OwnedObjects& found);

  kube::Client& client_;
  std::vector<Kind> kinds_;
  std::map<kube::GroupVersionResource, std::string> kind_names_;
  std::vector<Unread> unread_;
};

}  // namespace steward::bundle

#endif  // BUNDLE_OWNED_OBJECTS_H_
