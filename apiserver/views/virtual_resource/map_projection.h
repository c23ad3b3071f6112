// The common part of Projections that compute all objects of a World at once, as one map.
// Thread-safe if MapOf is.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_MAP_PROJECTION_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_MAP_PROJECTION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "base/async/task.h"
#include "base/async/yield.h"
#include "kube/meta/names.h"
#include "storage/world/world.h"

namespace steward::views {

// For a view whose objects each depend on the whole World, so that a difference has to compare all
// values of two Worlds. Values are compared by ==. `Encoder` is copied, and has
//
//   using Object = ...;  // a rest::Object that can be copied
//   static const kube::LabelMap& LabelsOf(const Value& value);
//   static const std::string& UidOf(const Value& value);
//   Object Encode(std::shared_ptr<const Value> value) const;
//   std::unique_ptr<const rest::Object> Tombstone(kube::NamespacedName key) const;
template <typename Value, typename Encoder>
class MapProjection : public Projection {
 public:
  using ValuePtr = std::shared_ptr<const Value>;
  using Map = std::map<kube::NamespacedName, ValuePtr>;
  using MapPtr = std::shared_ptr<const Map>;

  explicit MapProjection(Encoder encoder) : encoder_(std::move(encoder)) {}

  std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                           const kube::NamespacedName& key) const override;
  std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                       std::optional<kube::NamespacedName> after) const override;
  Task<int64_t> Count(storage::WorldPtr world, std::string ns,
                      std::optional<kube::NamespacedName> after) const override;
  std::unique_ptr<Difference> Compare(Span span, rest::Selection selection) const override;

 private:
  using Object = typename Encoder::Object;
  using Place = typename Map::const_iterator;
  class KeptCursor;
  class ListCursor;
  class MapDifference;

  // The number of looks before other work gets its turn: some hundred microseconds.
  static constexpr int kLooksPerTurn = 500;

  // Returns the values by their keys, a pure function of the World's objects. Never null. If two
  // Worlds have equal values, they should share the map, or at least the pointers to the values,
  // because comparing pointers costs little.
  virtual MapPtr MapOf(const storage::WorldPtr& world) const = 0;

  static bool Selected(const rest::Selection& selection, const kube::NamespacedName& key,
                       const Value& value) {
    return KeySelected(selection, key) && selection.labels.Matches(Encoder::LabelsOf(value));
  }
  // The position of the first key that can be selected.
  static Place First(const Map& map, const rest::Selection& selection) {
    const std::string* ns = SelectedNamespace(selection);
    return ns == nullptr ? map.begin() : map.lower_bound({*ns, ""});
  }
  // True for keys after the last one that can be selected.
  static bool IsBeyond(const rest::Selection& selection, const kube::NamespacedName& key) {
    const std::string* ns = SelectedNamespace(selection);
    return ns != nullptr && key.ns != *ns;
  }

  const Encoder encoder_;
};

// The objects that a page set aside.
template <typename Value, typename Encoder>
class MapProjection<Value, Encoder>::KeptCursor : public rest::Cursor {
 public:
  KeptCursor(std::vector<ValuePtr> values, Encoder encoder)
      : values_(std::move(values)), encoder_(std::move(encoder)) {}

  const rest::Object* Next() override {
    if (next_ == values_.size()) return nullptr;
    current_.emplace(encoder_.Encode(std::move(values_[next_++])));
    return &*current_;
  }

 private:
  std::vector<ValuePtr> values_;
  const Encoder encoder_;
  size_t next_ = 0;
  std::optional<Object> current_;
};

template <typename Value, typename Encoder>
class MapProjection<Value, Encoder>::ListCursor : public PageableCursor {
 public:
  ListCursor(MapPtr map, rest::Selection selection,
             const std::optional<kube::NamespacedName>& after, Encoder encoder)
      : map_(std::move(map)),
        selection_(std::move(selection)),
        encoder_(std::move(encoder)),
        next_(First(*map_, selection_)) {
    if (after && next_ != map_->end() && next_->first <= *after) next_ = map_->upper_bound(*after);
  }

  const rest::Object* Next() override {
    for (; looked_at_ < kLooksPerTurn; ++looked_at_) {
      if (next_ == map_->end() || IsBeyond(selection_, next_->first)) {
        done_ = true;
        return nullptr;
      }
      const auto& [key, value] = *next_++;
      looked_at_ += LabelLooks(selection_);
      if (!Selected(selection_, key, *value)) continue;
      ++looked_at_;
      last_ = value;
      current_.emplace(encoder_.Encode(value));
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
    return std::make_unique<KeptCursor>(std::move(kept_), encoder_);
  }

 private:
  const MapPtr map_;
  const rest::Selection selection_;
  const Encoder encoder_;
  Place next_;
  int looked_at_ = 0;  // since the last pause
  bool done_ = false;
  ValuePtr last_;
  std::optional<Object> current_;
  std::vector<ValuePtr> kept_;
};

// Walks both maps, and the keys to report in any case, side by side.
template <typename Value, typename Encoder>
class MapProjection<Value, Encoder>::MapDifference : public Difference {
 public:
  MapDifference(MapPtr before, MapPtr after, std::set<kube::NamespacedName> again,
                rest::Selection selection, Encoder encoder)
      : before_(std::move(before)),
        after_(std::move(after)),
        again_(std::move(again)),
        selection_(std::move(selection)),
        encoder_(std::move(encoder)),
        in_before_(First(*before_, selection_)),
        in_after_(First(*after_, selection_)),
        in_again_(again_.begin()) {
    // Without a change, Compare mostly passes the same map twice.
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
  // If `place` is at `key`, moves `place` on, and returns the value if it is selected. Else returns
  // null.
  ValuePtr Take(const Map& map, Place& place, const kube::NamespacedName& key) const {
    if (place == map.end() || place->first != key) return nullptr;
    const ValuePtr& value = (place++)->second;
    return Selected(selection_, key, *value) ? value : nullptr;
  }

  // Looks at the next key; returns false when there is none.
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
    const ValuePtr before = Take(*before_, in_before_, key);
    const ValuePtr after = Take(*after_, in_after_, key);
    const bool again = in_again_ != again_.end() && *in_again_ == key;
    if (again) ++in_again_;
    Tell(key, before, after, again);
    return true;
  }

  void Tell(const kube::NamespacedName& key, const ValuePtr& before, const ValuePtr& after,
            bool again) {
    const bool both = before != nullptr && after != nullptr;
    if (!again && (before == after || (both && *before == *after))) return;
    const bool same = both && Encoder::UidOf(*before) == Encoder::UidOf(*after);
    if (before != nullptr && !same) {
      events_.push_back({rest::WatchEvent::Type::kDeleted, key, Encoded(before)});
    } else if (again && !same) {
      events_.push_back({rest::WatchEvent::Type::kDeleted, key, encoder_.Tombstone(key)});
    }
    if (after != nullptr) {
      events_.push_back({same ? rest::WatchEvent::Type::kModified : rest::WatchEvent::Type::kAdded,
                         key, Encoded(after)});
    }
  }
  std::unique_ptr<const rest::Object> Encoded(const ValuePtr& value) const {
    return std::make_unique<Object>(encoder_.Encode(value));
  }

  const MapPtr before_;
  const MapPtr after_;
  const std::set<kube::NamespacedName> again_;
  const rest::Selection selection_;
  const Encoder encoder_;
  Place in_before_, in_after_;
  std::set<kube::NamespacedName>::const_iterator in_again_;
  std::deque<ViewEvent> events_;
  bool done_ = false;
};

template <typename Value, typename Encoder>
std::unique_ptr<const rest::Object> MapProjection<Value, Encoder>::Find(
    const storage::WorldPtr& world, const kube::NamespacedName& key) const {
  const MapPtr map = MapOf(world);
  const auto found = map->find(key);
  if (found == map->end()) return nullptr;
  return std::make_unique<Object>(encoder_.Encode(found->second));
}

template <typename Value, typename Encoder>
std::unique_ptr<PageableCursor> MapProjection<Value, Encoder>::List(
    storage::WorldPtr world, rest::Selection selection,
    std::optional<kube::NamespacedName> after) const {
  return std::make_unique<ListCursor>(MapOf(world), std::move(selection), after, encoder_);
}

template <typename Value, typename Encoder>
Task<int64_t> MapProjection<Value, Encoder>::Count(
    storage::WorldPtr world, std::string ns, std::optional<kube::NamespacedName> after) const {
  rest::Selection selection;
  selection.ns = std::move(ns);
  const MapPtr map = MapOf(world);
  int64_t count = 0;
  for (Place at = First(*map, selection); at != map->end() && !IsBeyond(selection, at->first);
       ++at) {
    if (!after || *after < at->first) ++count;
  }
  co_return count;
}

template <typename Value, typename Encoder>
std::unique_ptr<Difference> MapProjection<Value, Encoder>::Compare(
    Span span, rest::Selection selection) const {
  // Worlds between which nothing was touched have the same map.
  MapPtr after = MapOf(span.after);
  MapPtr before = span.touched.empty() ? after : MapOf(span.before);
  return std::make_unique<MapDifference>(std::move(before), std::move(after), std::move(span.again),
                                         std::move(selection), encoder_);
}

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_MAP_PROJECTION_H_
