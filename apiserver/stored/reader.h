// Reads of a stored resource through a kube::Client. Thread-safe.
#ifndef APISERVER_STORED_READER_H_
#define APISERVER_STORED_READER_H_

#include <memory>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/stored/columns.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"

namespace steward::stored {

// Errors are the client's. Borrows its dependencies, which outlive every Reading and stream, too.
class Reader : public rest::Getter, public rest::Lister, public rest::Watcher {
 public:
  // The number of objects that one list holds in memory at a time. A client that asks for longer
  // pages gets pages of this length.
  static constexpr int64_t kPageSize = 500;

  Reader(kube::Client& client, const kube::ResourceType& type, const Columns& columns,
         const Clock& clock)
      : client_(client),
        gvr_(type.gvr()),
        namespaced_(type.namespaced),
        columns_(columns),
        clock_(clock) {}

  // Returns the newest state, which is at least as new as any that can be requested.
  Task<rest::Reading> Get(const kube::NamespacedName& name,
                          const rest::ReadOptions& options) override;
  // With a limit, returns one page, else all objects. All are of one state.
  Task<rest::Reading> List(const rest::Selection& selection,
                           const rest::ReadOptions& options) override;
  Task<std::unique_ptr<rest::EventStream>> Watch(const rest::Selection& selection,
                                                 const rest::WatchOptions& options) override;

 private:
  kube::Client& client_;
  const kube::GroupVersionResource gvr_;
  const bool namespaced_;
  const Columns& columns_;
  const Clock& clock_;
};

}  // namespace steward::stored

#endif  // APISERVER_STORED_READER_H_
