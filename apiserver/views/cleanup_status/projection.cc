#include "apiserver/views/cleanup_status/projection.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "apiserver/rest/watcher.h"
#include "apiserver/views/cleanup_status/object.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/versions.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "olm/cleanup/outlook.h"
#include "olm/objects.h"

namespace steward::views {
namespace {

using OutlookPtr = std::shared_ptr<const olm::CleanupOutlook>;
using storage::OutlookMapPtr;
using Place = storage::OutlookMap::const_iterator;
using Type = rest::WatchEvent::Type;

// Before other work gets its turn: some hundred microseconds.
constexpr int kLooksPerTurn = 500;

bool KeySelected(const rest::Selection& selection, const kube::NamespacedName& key) {
  return (selection.ns.empty() || selection.ns == key.ns) &&
         FieldsSelect(selection, key.ns, key.name);
}

bool Selected(const rest::Selection& selection, const olm::CleanupOutlook& outlook) {
  return KeySelected(selection, outlook.key) && selection.labels.Matches(outlook.labels);
}

// Where the keys that can be selected begin.
Place First(const storage::OutlookMap& outlooks, const rest::Selection& selection) {
  const std::string* ns = SelectedNamespace(selection);
  return ns == nullptr ? outlooks.begin() : outlooks.lower_bound({*ns, ""});
}

// And where they end.
bool IsBeyond(const rest::Selection& selection, const kube::NamespacedName& key) {
  const std::string* ns = SelectedNamespace(selection);
  return ns != nullptr && key.ns != *ns;
}

// These.
class OutlookCursor : public rest::Cursor {
 public:
  OutlookCursor(std::vector<OutlookPtr> outlooks, const Clock& clock)
      : outlooks_(std::move(outlooks)), clock_(clock) {}
  const rest::Object* Next() override {
    if (next_ == outlooks_.size()) return nullptr;
    current_.emplace(std::move(outlooks_[next_++]), clock_);
    return &*current_;
  }

 private:
  std::vector<OutlookPtr> outlooks_;
  const Clock& clock_;
  size_t next_ = 0;
  std::optional<CleanupStatusObject> current_;
};

class OutlookListCursor : public PageableCursor {
 public:
  OutlookListCursor(OutlookMapPtr outlooks, rest::Selection selection,
                    const std::optional<kube::NamespacedName>& after, const Clock& clock)
      : outlooks_(std::move(outlooks)),
        selection_(std::move(selection)),
        clock_(clock),
        next_(First(*outlooks_, selection_)) {
    if (after && next_ != outlooks_->end() && next_->first <= *after) {
      next_ = outlooks_->upper_bound(*after);
    }
  }

  const rest::Object* Next() override {
    for (; looked_at_ < kLooksPerTurn; ++looked_at_) {
      if (next_ == outlooks_->end() || IsBeyond(selection_, next_->first)) {
        done_ = true;
        return nullptr;
      }
      const OutlookPtr& outlook = (next_++)->second;
      looked_at_ += LabelLooks(selection_);
      if (!Selected(selection_, *outlook)) continue;
      ++looked_at_;
      last_ = outlook;
      current_.emplace(outlook, clock_);
      return &*current_;
    }
    return nullptr;
  }
  Task<bool> More() override {
    if (done_) co_return false;
    looked_at_ = 0;
    co_await Yield();
    co_return true;
  }
  void Keep() override { kept_.push_back(last_); }
  std::unique_ptr<rest::Cursor> TakeKept() override {
    return std::make_unique<OutlookCursor>(std::move(kept_), clock_);
  }

 private:
  const OutlookMapPtr outlooks_;
  const rest::Selection selection_;
  const Clock& clock_;
  Place next_;
  int looked_at_ = 0;  // since the last pause
  bool done_ = false;
  OutlookPtr last_;
  std::optional<CleanupStatusObject> current_;
  std::vector<OutlookPtr> kept_;
};

// Walks both maps, and what is to be told again, side by side.
class OutlookDifference : public Difference {
 public:
  OutlookDifference(OutlookMapPtr before, OutlookMapPtr after, std::set<kube::NamespacedName> again,
                    rest::Selection selection, const Clock& clock)
      : before_(std::move(before)),
        after_(std::move(after)),
        again_(std::move(again)),
        selection_(std::move(selection)),
        clock_(clock),
        in_before_(First(*before_, selection_)),
        in_after_(First(*after_, selection_)),
        in_again_(again_.begin()) {
    // What did not change is mostly the same map.
    if (before_ == after_ && again_.empty()) done_ = true;
  }

  std::optional<ViewEvent> Next() override {
    for (int looks = 0; looks < kLooksPerTurn; looks += 1 + LabelLooks(selection_)) {
      if (!events_.empty()) {
        ViewEvent event = std::move(events_.front());
        events_.pop_front();
        return event;
      }
      if (done_ || !Step()) {
        done_ = true;
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  bool done() const override { return done_; }

 private:
  // Takes the place's outlook if it is of `key`; null where it is not, or is not selected.
  OutlookPtr Take(const storage::OutlookMap& map, Place& place,
                  const kube::NamespacedName& key) const {
    if (place == map.end() || place->first != key) return nullptr;
    const OutlookPtr& outlook = (place++)->second;
    return Selected(selection_, *outlook) ? outlook : nullptr;
  }

  // Looks at the next key; false: there is none.
  bool Step() {
    const kube::NamespacedName* first = nullptr;
    const auto consider = [&](const kube::NamespacedName& key) {
      if (first == nullptr || key < *first) first = &key;
    };
    if (in_before_ != before_->end()) consider(in_before_->first);
    if (in_after_ != after_->end()) consider(in_after_->first);
    if (in_again_ != again_.end()) consider(*in_again_);
    if (first == nullptr || IsBeyond(selection_, *first)) return false;
    const kube::NamespacedName key = *first;
    const OutlookPtr before = Take(*before_, in_before_, key);
    const OutlookPtr after = Take(*after_, in_after_, key);
    const bool again = in_again_ != again_.end() && *in_again_ == key;
    if (again) ++in_again_;
    Compare(key, before, after, again);
    return true;
  }

  void Compare(const kube::NamespacedName& key, const OutlookPtr& before, const OutlookPtr& after,
               bool again) {
    const bool both = before != nullptr && after != nullptr;
    if (!again && (before == after || (both && *before == *after))) return;
    const bool same = both && before->csv_uid == after->csv_uid;
    if (before != nullptr && !same) {
      events_.push_back(
          {Type::kDeleted, key, std::make_unique<CleanupStatusObject>(before, clock_)});
    } else if (again && !same) {
      events_.push_back({Type::kDeleted, key, CleanupStatusTombstone(key)});
    }
    if (after != nullptr) {
      events_.push_back({same ? Type::kModified : Type::kAdded, key,
                         std::make_unique<CleanupStatusObject>(after, clock_)});
    }
  }

  const OutlookMapPtr before_;
  const OutlookMapPtr after_;
  const std::set<kube::NamespacedName> again_;
  const rest::Selection selection_;
  const Clock& clock_;
  Place in_before_, in_after_;
  std::set<kube::NamespacedName>::const_iterator in_again_;
  std::deque<ViewEvent> events_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<const rest::Object> CleanupStatusProjection::Find(
    const storage::WorldPtr& world, const kube::NamespacedName& key) const {
  const OutlookMapPtr outlooks = outlooks_.Of(world);
  const auto found = outlooks->find(key);
  if (found == outlooks->end()) return nullptr;
  return std::make_unique<CleanupStatusObject>(found->second, clock_);
}

std::unique_ptr<PageableCursor> CleanupStatusProjection::List(
    storage::WorldPtr world, rest::Selection selection,
    std::optional<kube::NamespacedName> after) const {
  return std::make_unique<OutlookListCursor>(outlooks_.Of(world), std::move(selection), after,
                                             clock_);
}

Task<int64_t> CleanupStatusProjection::Count(storage::WorldPtr world, std::string ns,
                                             std::optional<kube::NamespacedName> after) const {
  rest::Selection selection;
  selection.ns = std::move(ns);
  const OutlookMapPtr outlooks = outlooks_.Of(world);
  int64_t count = 0;
  for (Place at = First(*outlooks, selection);
       at != outlooks->end() && !IsBeyond(selection, at->first); ++at) {
    if (!after || *after < at->first) ++count;
  }
  co_return count;
}

std::unique_ptr<Difference> CleanupStatusProjection::Compare(Span span,
                                                             rest::Selection selection) const {
  // Where nothing was touched, nothing differs.
  OutlookMapPtr after = outlooks_.Of(span.after);
  OutlookMapPtr before = span.touched.empty() ? after : outlooks_.Of(span.before);
  return std::make_unique<OutlookDifference>(std::move(before), std::move(after),
                                             std::move(span.again), std::move(selection), clock_);
}

// Each change may have shown in any of them: there are few.
boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>>
CleanupStatusProjection::Suspects(Window window, const rest::Selection& selection) const {
  std::set<kube::NamespacedName> suspects;
  Turn turn;
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto versions = co_await VersionsOf<kube::NamespacedName, olm::CsvPtr>(
      window, storage::Source::kCsv, window.then->csvs(), same, turn);
  for (const auto& [key, forms] : versions.all) {
    const bool shown = std::any_of(forms.begin(), forms.end(), [](const olm::CsvPtr& csv) {
      return !csv->copied && csv->cleanup != nullptr;
    });
    if (shown && KeySelected(selection, key)) suspects.insert(key);
    if (turn.Over(forms.size())) co_await Yield();
  }
  co_return suspects;
}

}  // namespace steward::views
