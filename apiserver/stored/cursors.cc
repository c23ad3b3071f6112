#include "apiserver/stored/cursors.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/stored/json_object.h"
#include "base/status/macros.h"

namespace steward::stored {
namespace {

class SingleCursor : public rest::Cursor {
 public:
  SingleCursor(kube::RawObject object, const Columns& columns, const Clock& clock)
      : object_(std::move(object), columns, clock) {}

  const rest::Object* Next() override { return std::exchange(used_, true) ? nullptr : &object_; }
  Task<bool> More() override { co_return false; }

  const JsonObject& object() const { return object_; }

 private:
  const JsonObject object_;
  bool used_ = false;
};

class PageCursor : public rest::Cursor {
 public:
  PageCursor(PageSource source, kube::ListOptions options, kube::ListPage page)
      : source_(std::move(source)), options_(std::move(options)) {
    Take(std::move(page));
  }

  const rest::Object* Next() override {
    if (next_ == items_.size()) return nullptr;
    return &current_.emplace(std::move(items_[next_++]), source_.columns, source_.clock);
  }

  Task<bool> More() override {
    if (options_.continue_token.empty()) co_return false;
    // Frees the old page before the new one arrives.
    current_.reset();
    items_.clear();
    next_ = 0;
    CO_ASSIGN_OR_RETURN(kube::ListPage page, co_await source_.client.List(source_.gvr, options_));
    Take(std::move(page));
    co_return true;
  }

 private:
  void Take(kube::ListPage page) {
    items_ = std::move(page.items);
    // The token determines the state: that of the first page.
    options_.continue_token = std::move(page.continue_token);
    options_.resource_version.clear();
    options_.resource_version_match.clear();
  }

  const PageSource source_;
  kube::ListOptions options_;
  std::vector<kube::RawObject> items_;
  size_t next_ = 0;
  std::optional<JsonObject> current_;
};

}  // namespace

rest::Reading ReadingOf(kube::RawObject object, const Columns& columns, const Clock& clock) {
  auto cursor = std::make_unique<SingleCursor>(std::move(object), columns, clock);
  rest::Reading reading;
  reading.resource_version = cursor->object().resource_version();
  reading.cursor = std::move(cursor);
  return reading;
}

std::unique_ptr<rest::Cursor> CursorOver(PageSource source, kube::ListOptions options,
                                         kube::ListPage page) {
  return std::make_unique<PageCursor>(std::move(source), std::move(options), std::move(page));
}

}  // namespace steward::stored
