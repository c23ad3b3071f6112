#include "kube/client/pager.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/object_meta.h"
#include "kube/meta/errors.h"

namespace steward::kube {
namespace {

// The page size for a list that was to be one page, and is too large for it.
constexpr int64_t kMost = 500;
// A page that is this many times smaller than it may be has room for twice as many objects.
constexpr size_t kRoom = 4;
// The assumed limit of a page in bytes if only the client knows it.
constexpr size_t kUnknownBytes = size_t{64} << 20;

// True if the client refused the size of the answer. A busy server's 429 is kResourceExhausted,
// too, but carries a Status.
bool IsBeyondLimit(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && !IsAnswer(status);
}

}  // namespace

Pager::Pager(Client& client, GroupVersionResource gvr, ListOptions options)
    : client_(client),
      gvr_(std::move(gvr)),
      options_(std::move(options)),
      max_bytes_(options_.max_bytes),
      most_(options_.limit > 0 ? options_.limit : kMost) {}

Task<std::optional<ListPage>> Pager::Next() {
  std::optional<ListPage> next;
  if (ended_) co_return next;
  while (true) {
    absl::StatusOr<ListPage> page = co_await client_.List(gvr_, options_);
    if (IsBeyondLimit(page.status())) {
      if (Shrink()) continue;
      co_return absl::ResourceExhaustedError(
          StrCat("the object of ", gvr_.GroupResource(), " after ",
                 last_.empty() ? std::string("the beginning") : last_,
                 " is too large: ", ToStd(page.status().message())));
    }
    CO_RETURN_IF_ERROR(page.status());
    if (!page->continue_token.empty() && page->continue_token == options_.continue_token) {
      co_return absl::DataLossError("a page of a list continues with itself");
    }
    options_.continue_token = page->continue_token;
    // From the second page on, the continue token determines the revision.
    options_.resource_version.clear();
    options_.resource_version_match.clear();
    ended_ = options_.continue_token.empty();
    Grow(*page);
    next = *std::move(page);
    co_return next;
  }
}

bool Pager::Shrink() {
  if (options_.limit == 1) {
    // The last attempt for a single object: let the client's own limit decide.
    return std::exchange(options_.max_bytes, 0) > 0;
  }
  options_.limit = options_.limit == 0 ? most_ : std::max<int64_t>(options_.limit / 4, 1);
  return true;
}

void Pager::Grow(const ListPage& page) {
  options_.max_bytes = max_bytes_;
  size_t bytes = 0;
  for (const RawObject& item : page.items) bytes += item.json.size();
  if (!page.items.empty()) {
    const absl::StatusOr<VersionedMeta> meta = DecodeObjectMeta(page.items.back());
    if (meta.ok()) last_ = StrCat(meta->meta.name.ns, "/", meta->meta.name.name);
  }
  const size_t bound = max_bytes_ > 0 ? max_bytes_ : kUnknownBytes;
  if (options_.limit > 0 && bytes < bound / kRoom) {
    options_.limit = std::min(options_.limit * 2, most_);
  }
}

StatusTask VisitAll(Client& client, GroupVersionResource gvr, ListOptions options,
                    std::function<absl::Status(const RawObject&)> visit) {
  Pager pages(client, std::move(gvr), std::move(options));
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::optional<ListPage> page, co_await pages.Next());
    if (!page) co_return absl::OkStatus();
    for (const RawObject& object : page->items) CO_RETURN_IF_ERROR(visit(object));
  }
}

}  // namespace steward::kube
