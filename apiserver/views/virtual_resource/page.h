// A page of a list. Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_PAGE_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_PAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "storage/world/world.h"

namespace steward::views {

struct Page {
  storage::WorldPtr world;
  rest::Selection selection;
  std::optional<kube::NamespacedName> after;
  std::optional<int64_t> left;  // the number of objects that come after `after`, if known

  // Reads at most `limit` objects, and never more than some thousand, because the page is held
  // while it is written. Sets cursor, continue token and remaining count of `reading`. Thus the
  // caller knows before the first object is written whether another page follows. REQUIRES:
  // `reading` has its resource version. `this`, `projection` and `reading` outlive the task.
  StatusTask Read(const Projection& projection, int64_t limit, rest::Reading& reading);
};

// A cursor over one object, which may borrow from `world`.
class OneObject : public rest::Cursor {
 public:
  OneObject(storage::WorldPtr world, std::unique_ptr<const rest::Object> object)
      : world_(std::move(world)), object_(std::move(object)) {}
  const rest::Object* Next() override {
    return std::exchange(given_, true) ? nullptr : object_.get();
  }

 private:
  const storage::WorldPtr world_;
  const std::unique_ptr<const rest::Object> object_;
  bool given_ = false;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_PAGE_H_
