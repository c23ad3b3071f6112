#include "apiserver/views/installed_operator/cursors.h"

#include <algorithm>
#include <utility>

#include "apiserver/views/installed_operator/selection.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "base/async/yield.h"

namespace steward::views {
namespace {

// Namespaces and appearances that a list looks at before other work gets its turn: some hundred
// microseconds.
constexpr int kLooksPerTurn = 500;

}  // namespace

ListCursor::ListCursor(storage::WorldPtr world, rest::Selection selection,
                       std::optional<kube::NamespacedName> after)
    : world_(std::move(world)),
      selection_(std::move(selection)),
      only_namespace_(SelectedNamespace(selection_)),
      after_(std::move(after)) {
  std::string first = only_namespace_ == nullptr ? "" : *only_namespace_;
  if (after_) first = std::max(first, after_->ns);
  next_namespace_ = world_->namespaces().LowerBound(first);
}

const rest::Object* ListCursor::Next() {
  for (; looked_at_ < kLooksPerTurn; ++looked_at_) {
    if (batch_.empty()) {
      if (!NextNamespace()) {
        done_ = true;
        return nullptr;
      }
      continue;
    }
    Appearance seen = std::move(batch_.front());
    batch_.pop_front();
    if (!Selected(seen)) continue;
    ++looked_at_;
    current_.emplace(std::move(seen));
    return &*current_;
  }
  return nullptr;
}

Task<bool> ListCursor::More() {
  if (done_) co_return false;
  looked_at_ = 0;
  co_await Yield();
  co_return true;
}

std::unique_ptr<rest::Cursor> ListCursor::TakeKept() {
  return std::make_unique<AppearanceCursor>(world_, std::move(kept_));
}

bool ListCursor::NextNamespace() {
  if (next_namespace_.done()) return false;
  const std::string& ns = next_namespace_.key();
  if (only_namespace_ != nullptr && ns != *only_namespace_) return false;
  if (const std::string* name = SelectedName(selection_)) {
    if (auto seen = FindAppearance(*world_, ns, *name)) batch_.push_back(*std::move(seen));
  } else {
    for (Appearance& seen : AppearancesIn(*world_, ns)) batch_.push_back(std::move(seen));
  }
  if (after_ && after_->ns == ns) {
    while (!batch_.empty() && batch_.front().csv->key.name <= after_->name) batch_.pop_front();
  }
  next_namespace_.Next();
  return true;
}

bool ListCursor::Selected(const Appearance& seen) {
  if (!FieldsSelect(selection_, seen)) return false;
  if (selection_.labels.empty()) return true;
  const auto [it, is_new] = matches_.try_emplace(std::make_pair(seen.csv, seen.own), false);
  if (is_new) {
    it->second = LabelsSelect(selection_, seen);
    looked_at_ += LabelLooks(selection_);
  }
  return it->second;
}

const rest::Object* AppearanceCursor::Next() {
  if (next_ == appearances_.size()) return nullptr;
  current_.emplace(std::move(appearances_[next_++]));
  return &*current_;
}

}  // namespace steward::views
