// A durable store of objects in one directory: SQLite, one writer, any number of readers.
//
// It is for trying out, for tests and for inspection; Kubernetes is the engine for everything else.
#ifndef STORAGE_EMBEDDED_STORE_H_
#define STORAGE_EMBEDDED_STORE_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/on_executor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/catalog.h"
#include "storage/embedded/version_table.h"

namespace steward::storage {

struct StoreOptions {
  std::string directory;  // created when missing, mode 0700
  // The past that watches and pages can go back to: so long, and no more revisions than this.
  absl::Duration keep = absl::Minutes(5);
  int64_t keep_revisions = 50'000;
};

// What a write may do, on the writer's thread, while it runs. Reads see the writes before it.
//
// When Put or Remove fail, everything that shares the commit is undone. What was changed before any
// other error stays: a write that is to be all or nothing checks first and changes then.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual const Catalog& catalog() const = 0;
  // The present state with the storage version's apiVersion and kind; nullopt = no such object.
  virtual absl::StatusOr<std::optional<boost::json::object>> Get(const kube::ResourceType& type,
                                                                 const std::string& key) = 0;
  virtual VersionTable& table() = 0;
  // Stores `object` under its next revision, which is returned and set in its metadata.
  virtual absl::StatusOr<int64_t> Put(const kube::ResourceType& type, const std::string& key,
                                      boost::json::object& object) = 0;
  // Removes what is there; the revision of the deletion.
  virtual absl::StatusOr<int64_t> Remove(const kube::ResourceType& type,
                                         const std::string& key) = 0;
};

// Thread-safe. Writes are durable when they return: writes that wait at the same time share one
// commit. Errors of the disk carry a Kubernetes Status (500) that says what happened; nothing of
// the failed commit is there afterwards. Callers' executors must run one handler at a time.
class Store {
 public:
  // kFailedPrecondition when another process uses the directory; errors of the file as
  // Connection's. REQUIRES: `clock` outlives the store.
  static absl::StatusOr<std::unique_ptr<Store>> Open(StoreOptions options, Clock& clock);
  // REQUIRES: no call is running.
  ~Store();

  // Runs `write` on the writer's thread and returns when its changes are on disk, or with its
  // error. Cancelled, the write may still happen.
  StatusTask Write(std::function<absl::Status(Transaction&)> write);

  // Runs `read` on the readers' thread, within one snapshot.
  template <typename T>
  Task<T> Read(std::function<absl::StatusOr<T>(VersionTable&)> read) {
    return OnExecutor(reader(), ReadHere<T>(*this, std::move(read)));
  }

  // The newest revision that is on disk; the catalog of it or of a later one.
  int64_t revision() const;
  CatalogPtr catalog() const;
  // The revision of the last change of a resource, as far as known; never too low.
  int64_t LastChange(std::string_view resource) const;
  // Told of each commit.
  Broadcast& committed();

  // Drops what `keep` and `keep_revisions` no longer cover, now and then; runs until cancelled.
  VoidTask Maintain();
  // Drops the past before `revision`: states at it, and changes after it, stay.
  StatusTask Compact(int64_t revision);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);

  template <typename T>
  static Task<T> ReadHere(Store& store, std::function<absl::StatusOr<T>(VersionTable&)> read) {
    VersionTable& table = store.reading();
    // One that an exception left open.
    if (table.in_transaction()) table.Rollback();
    absl::Status begun = table.Begin();
    if (!begun.ok()) co_return AsServerError(begun);
    absl::StatusOr<T> result = read(table);
    table.Rollback();
    if (!result.ok()) co_return AsServerError(result.status());
    co_return result;
  }
  // Errors without a Kubernetes Status get one.
  static absl::Status AsServerError(const absl::Status& status);
  boost::asio::any_io_executor reader() const;
  VersionTable& reading();

  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_H_
