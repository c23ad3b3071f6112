// Writes of a stored resource through a kube::Client. Thread-safe.
#ifndef APISERVER_STORED_WRITER_H_
#define APISERVER_STORED_WRITER_H_

#include <boost/json/value.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/rest/resource/mutation.h"
#include "apiserver/stored/columns.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"

namespace steward::stored {

// Errors are the client's, and 400 for an object that is not the one in the path. If a custom
// resource's schema has CEL rules, each write warns that these are not evaluated. Borrows its
// dependencies, which outlive every result, too.
class Writer : public rest::Creator,
               public rest::Updater,
               public rest::Patcher,
               public rest::Deleter {
 public:
  Writer(kube::Client& client, const kube::ResourceType& type, const Columns& columns,
         const Clock& clock);

  Task<rest::WriteResult> Create(const std::string& ns, boost::json::value object,
                                 const kube::WriteOptions& options) override;
  Task<rest::WriteResult> Update(const kube::NamespacedName& name, boost::json::value object,
                                 const kube::WriteOptions& options) override;
  Task<rest::WriteResult> Patch(const kube::NamespacedName& name, kube::PatchType type,
                                boost::json::value patch,
                                const kube::WriteOptions& options) override;
  Task<rest::WriteResult> Delete(const kube::NamespacedName& name,
                                 const kube::DeleteOptions& options) override;

 private:
  kube::NamespacedName Key(const kube::NamespacedName& name) const;
  rest::WriteResult ResultOf(const boost::json::value& answer, bool warn) const;

  kube::Client& client_;
  const kube::GroupVersionResource gvr_;
  const bool namespaced_;
  const bool has_rules_;  // x-kubernetes-validations, in its schema
  const Columns& columns_;
  const Clock& clock_;
};

}  // namespace steward::stored

#endif  // APISERVER_STORED_WRITER_H_
