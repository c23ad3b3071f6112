// The contents of one resource type of a FakeClient. Guarded by the client's mutex.
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
#include "kube/testing/wakeup.h"

namespace steward::kube {

// The unread events of a running watch, and its waiting reader.
struct FakeStream {
  struct End {};  // clean
  using Item = std::variant<WatchEvent, absl::Status, End>;

  NamespacedName within;  // a namespace and a name; "" = all
  std::deque<Item> items;
  std::shared_ptr<Wakeup> reader;
  bool over = false;

  void Push(Item item);
};

struct FakeResource {
  struct Change {
    uint64_t revision;
    NamespacedName name;
    WatchEvent event;
  };
  using Snapshot = std::vector<std::pair<NamespacedName, RawObject>>;

  bool served = false;
  std::map<NamespacedName, RawObject> objects;
  std::vector<Change> history;
  uint64_t history_start = 0;              // changes after it are in `history`
  std::map<uint64_t, Snapshot> snapshots;  // of paged lists, by revision
  std::list<std::shared_ptr<FakeStream>> streams;
  FakeClient::CreateHandler create;
  std::string last_create_trace;
  std::deque<std::string> warnings;  // for the next writes
  bool refuses_apply = false;
  size_t max_list_bytes = SIZE_MAX;

  // Stores the change and tells the streams.
  void Record(uint64_t revision, const NamespacedName& name, WatchEvent::Type type,
              const RawObject& object);
  void PushToAll(const FakeStream::Item& item);
  // A stream of the changes after `revision`, or for nullopt of the current objects and the changes
  // after them. Of `within`, what is "" takes all.
  std::shared_ptr<FakeStream> OpenStream(const NamespacedName& within,
                                         std::optional<uint64_t> revision, uint64_t now);
  // A stream of the current objects, the bookmark that ends them, and the changes after them.
  std::shared_ptr<FakeStream> OpenStreamWithInitialEvents(const NamespacedName& within,
                                                          uint64_t now);
  absl::StatusOr<ListPage> ListAt(const ListOptions& options, uint64_t now);
  // The objects as they were at `revision`.
  absl::StatusOr<Snapshot> StateAt(const std::string& ns, uint64_t revision) const;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_RESOURCE_H_
