#include "apiserver/views/installed_operator/cursors.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/views/installed_operator/selection.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "base/async/yield.h"
#include "base/text/str_cat.h"

namespace steward::views {
namespace {

// The number of namespaces and appearances that a list looks at before other work gets its turn:
// some hundred microseconds.
constexpr int kLooksPerTurn = 500;

}  // namespace

ListCursor::ListCursor(storage::OperatorWorldPtr world, rest::Selection selection,
                       std::optional<kube::NamespacedName> after)
    : world_(std::move(world)),
      selection_(std::move(selection)),
      only_namespace_(SelectedNamespace(selection_)),
      after_(std::move(after)) {
  std::string first = only_namespace_ == nullptr ? "" : *only_namespace_;
  if (after_) first = std::max(first, after_->ns);
  const std::string* const name = SelectedName(selection_);
  if (only_namespace_ == nullptr && name != nullptr && !MayBeInstalled(*name)) return;
  next_namespace_ = world_->namespaces().LowerBound(first);
}

bool ListCursor::MayBeInstalled(const std::string& name) {
  auto it = world_->csvs().begin();
  for (; !it.done(); ++looked_at_) {
    if (looked_at_ == kLooksPerTurn) return true;
    const std::string& install = it.key().ns;
    if (world_->csvs().Find({install, name}) != nullptr) return true;
    it = world_->csvs().LowerBound({StrCat(install, std::string_view("\0", 1)), ""});
  }
  return false;
}

const rest::Object* ListCursor::Next() {
  for (; looked_at_ < kLooksPerTurn; ++looked_at_) {
    if (next_in_batch_ == batch_.size()) {
      if (!NextNamespace()) {
        done_ = true;
        return nullptr;
      }
      continue;
    }
    Appearance seen = std::move(batch_[next_in_batch_++]);
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
  batch_.clear();
  next_in_batch_ = 0;
  if (const std::string* name = SelectedName(selection_)) {
    if (auto seen = FindAppearance(*world_, ns, *name)) batch_.push_back(*std::move(seen));
  } else {
    batch_ = AppearancesIn(*world_, ns);
  }
  if (after_ && after_->ns == ns) {
    const auto is_behind = [&](const Appearance& seen) {
      return seen.csv->key.name > after_->name;
    };
    next_in_batch_ =
        static_cast<size_t>(std::find_if(batch_.begin(), batch_.end(), is_behind) - batch_.begin());
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
