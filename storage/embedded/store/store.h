// A durable store of objects in one directory: SQLite, one writer, any number of readers.
// Thread-safe.
//
// The store is meant for trials, tests and inspection; everything else uses Kubernetes.
#ifndef STORAGE_EMBEDDED_STORE_STORE_H_
#define STORAGE_EMBEDDED_STORE_STORE_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/on_executor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/table/version_table.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {

struct StoreOptions {
  std::string directory;  // created when missing, mode 0700
  // How far back watches and pages can read: this long, and at most this many revisions.
  absl::Duration keep = absl::Minutes(5);
  int64_t keep_revisions = 50'000;
  // False: no write waits for the disk. For stores that are removed when the process ends.
  bool durable = true;
};

// What a write can do while it runs on the writer's thread. Reads see the changes made before.
//
// When Put or Remove fails, everything that shares the commit is undone. If the write returns
// another error, its changes stay. So a write that must be atomic makes all checks before its first
// change.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual const Catalog& catalog() const = 0;
  // The present state with the storage version's apiVersion and kind; nullopt = there is no such
  // object.
  virtual absl::StatusOr<std::optional<boost::json::object>> Get(const kube::ResourceType& type,
                                                                 const std::string& key) = 0;
  virtual VersionTable& table() = 0;
  // Stores `object` under the next revision, which is returned and set in its metadata.
  virtual absl::StatusOr<int64_t> Put(const kube::ResourceType& type, const std::string& key,
                                      boost::json::object& object) = 0;
  // Removes the object; returns the revision of the deletion.
  virtual absl::StatusOr<int64_t> Remove(const kube::ResourceType& type,
                                         const std::string& key) = 0;
};

// Writes are durable when they return: writes that wait at the same time share one commit. Errors
// of the disk carry a Kubernetes Status (500) with the reason; nothing of the failed commit
// remains. Callers' executors must run one handler at a time.
class Store {
 public:
  // kFailedPrecondition when another process uses the directory; errors of the file as
  // Connection's. REQUIRES: `clock` outlives the store.
  static absl::StatusOr<std::unique_ptr<Store>> Open(StoreOptions options, Clock& clock);
  // REQUIRES: no call is running.
  ~Store();

  // Runs `write` on the writer's thread, and returns when its changes are on disk, or with its
  // error. When the call is cancelled, the write may still happen.
  StatusTask Write(std::function<absl::Status(Transaction&)> write);

  // Runs `read` on the readers' thread, within one snapshot.
  template <typename T>
  Task<T> Read(std::function<absl::StatusOr<T>(VersionTable&)> read) {
    return OnExecutor(reader(), ReadHere<T>(*this, std::move(read)));
  }

  // Adds these types to the catalog until the store is closed, except types whose names a built-in
  // kind or a definition has (see Catalog).
  StatusTask ShowTypes(std::vector<kube::ResourceType> types);

  // The newest revision that is on disk, and the catalog of that revision or of a later one.
  int64_t revision() const;
  CatalogPtr catalog() const;
  // The revision of a resource's last change, or a later revision.
  int64_t LastChange(std::string_view resource) const;
  // Notified of each commit.
  Broadcast& committed();

  // Regularly drops the past that `keep` and `keep_revisions` do not cover; runs until cancelled.
  VoidTask Maintain();
  // Drops the past before `revision`: states at it, and changes after it, stay.
  StatusTask Compact(int64_t revision);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);

  template <typename T>
  static Task<T> ReadHere(Store& store, std::function<absl::StatusOr<T>(VersionTable&)> read) {
    VersionTable& table = store.reading();
    // An exception may have left a transaction open.
    if (table.in_transaction()) table.Rollback();
    absl::Status begun = table.Begin();
    if (!begun.ok()) co_return AsServerError(begun);
    absl::StatusOr<T> result = read(table);
    table.Rollback();
    if (!result.ok()) co_return AsServerError(result.status());
    co_return result;
  }
  // Gives errors without a Kubernetes Status one.
  static absl::Status AsServerError(const absl::Status& status);
  boost::asio::any_io_executor reader() const;
  VersionTable& reading();

  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_STORE_H_
