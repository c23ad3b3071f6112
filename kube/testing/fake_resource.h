// Holds the objects of one resource type of a FakeClient. Guarded by the client's mutex.
#ifndef KUBE_TESTING_FAKE_RESOURCE_H_
#define KUBE_TESTING_FAKE_RESOURCE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "kube/client/client.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/list_filter.h"
#include "kube/testing/wakeup.h"

namespace steward::kube {

// The unread events of a running watch, and its waiting reader.
struct FakeStream {
  struct End {};  // a clean end of the stream
  using Item = std::variant<WatchEvent, absl::Status, End>;

  std::string ns;  // "" = all namespaces
  ListFilter filter;
  std::deque<Item> items;
  std::shared_ptr<Wakeup> reader;
  bool over = false;

  void Push(Item item);
  bool Takes(const NamespacedName& name, const RawObject& object) const;
};

struct FakeResource {
  struct Change {
    uint64_t revision;
    NamespacedName name;
    WatchEvent event;
    std::optional<RawObject> before;
  };
  using Snapshot = std::vector<std::pair<NamespacedName, RawObject>>;

  bool served = false;
  std::map<NamespacedName, RawObject> objects;
  std::vector<Change> history;
  uint64_t history_start = 0;              // changes after it are in `history`
  std::map<uint64_t, Snapshot> snapshots;  // the states of paged lists, by revision
  std::list<std::shared_ptr<FakeStream>> streams;
  FakeClient::CreateHandler create;
  size_t max_list_bytes = SIZE_MAX;

  // Sends a change to the stream if its selectors match. An object that no longer matches is
  // reported as deleted.
  static void Tell(FakeStream& stream, const Change& change);
  // Stores the change and sends it to the streams. For a deletion, `object` is the last state.
  void Record(uint64_t revision, const NamespacedName& name, const RawObject& object,
              std::optional<RawObject> before, bool deleted);
  void PushToAll(const FakeStream::Item& item);
  // Opens a stream of the changes after `revision`. For nullopt, the stream begins with the current
  // objects, followed by a bookmark if `bookmarked`, and the changes after them.
  std::shared_ptr<FakeStream> OpenStream(std::string ns, ListFilter filter,
                                         std::optional<uint64_t> revision, bool bookmarked,
                                         uint64_t now);
  absl::StatusOr<ListPage> ListAt(const ListOptions& options, uint64_t now);
  // Returns the objects as they were at `revision`.
  absl::StatusOr<Snapshot> StateAt(const std::string& ns, uint64_t revision) const;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_RESOURCE_H_
