// Every version that a source's objects had in a window of revisions. Values and pure functions.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_VERSIONS_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_VERSIONS_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "apiserver/views/virtual_resource/projection.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "storage/world/history.h"
#include "storage/world/ordered_map.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::views {

template <typename Key, typename Ptr>
struct Versions {
  std::map<Key, std::vector<Ptr>> all;
  std::set<Key> touched;  // keys that changed in the window
  std::set<Key> missing;  // keys of objects that did not exist at some time in the window
};

// `at_end` has the source's objects in window.then. `key_of` makes the Key of an object's
// (namespace, name). Reference parameters outlive the task.
template <typename Key, typename Ptr, typename KeyOf>
boost::asio::awaitable<Versions<Key, Ptr>> VersionsOf(const Window& window, storage::Source source,
                                                      const storage::OrderedMap<Key, Ptr>& at_end,
                                                      KeyOf key_of, Turn& turn) {
  Versions<Key, Ptr> versions;
  for (auto it = at_end.begin(); !it.done(); it.Next()) {
    versions.all[it.key()].push_back(it.value());
    if (turn.Over()) co_await Yield();
  }
  const storage::History::Log& log = window.now->source(source).history.log();
  const uint64_t first = window.horizon < 0 ? 0 : static_cast<uint64_t>(window.horizon) + 1;
  const uint64_t end = window.at[static_cast<size_t>(source)];
  for (auto it = log.LowerBound({first, 0}); !it.done() && it.key().first <= end; it.Next()) {
    const Key key = key_of(it.value().key);
    versions.touched.insert(key);
    const storage::ObjectPtr& before = it.value().before;
    if (before != nullptr) {
      versions.all[key].push_back(std::static_pointer_cast<typename Ptr::element_type>(before));
    }
    if (before == nullptr || at_end.Find(key) == nullptr) versions.missing.insert(key);
    if (turn.Over()) co_await Yield();
  }
  co_return versions;
}

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_VERSIONS_H_
