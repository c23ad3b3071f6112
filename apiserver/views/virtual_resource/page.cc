#include "apiserver/views/virtual_resource/page.h"

#include <algorithm>
#include <string>

#include "apiserver/views/virtual_resource/continue_token.h"
#include "base/status/macros.h"

namespace steward::views {
namespace {

// A larger page is cut, and its token continues.
constexpr int64_t kMaxPage = 5000;

}  // namespace

StatusTask Page::Read(const Projection& projection, int64_t limit, rest::Reading& reading) {
  limit = std::min(limit, kMaxPage);
  const std::unique_ptr<PageableCursor> cursor = projection.List(world, selection, after);
  kube::NamespacedName last;
  for (int64_t kept = 0;;) {
    const rest::Object* object = cursor->Next();
    if (object == nullptr) {
      CO_ASSIGN_OR_RETURN(const bool more, co_await cursor->More());
      if (!more) break;
      continue;
    }
    if (kept == limit) {
      if (selection.labels.empty() && selection.fields.empty()) {
        if (!left) {
          CO_ASSIGN_OR_RETURN(left, co_await projection.Count(world, selection.ns, after));
        }
        reading.remaining_item_count = *left - kept;
      }
      const ContinueToken next{reading.resource_version, last, reading.remaining_item_count};
      reading.continue_token = next.Encode(selection);
      break;
    }
    cursor->Keep();
    // Only the last object's key is needed.
    if (++kept == limit) last = {std::string(object->ns()), std::string(object->name())};
  }
  reading.cursor = cursor->TakeKept();
  co_return absl::OkStatus();
}

}  // namespace steward::views
