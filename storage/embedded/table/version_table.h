// Every state of every object, by revision: the store's one table. Not thread-safe.
//
// One revision counts the changes of all resources, as in etcd. Each change is one row. Once
// written, a row changes only in one column: the revision at which it was replaced. So a past state
// can be read during writes, and the changes after a revision are a range of rows.
#ifndef STORAGE_EMBEDDED_TABLE_VERSION_TABLE_H_
#define STORAGE_EMBEDDED_TABLE_VERSION_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/embedded/table/sqlite.h"

namespace steward::storage {

// One state of one object.
struct Version {
  int64_t revision = 0;
  std::string key;   // "ns/name", or "name" of a cluster-scoped object
  std::string body;  // the object as object_body.h writes it
};

struct Change {
  int64_t revision = 0;
  std::string resource;  // "widgets.example.com"
  std::string key;
  std::optional<std::string> body;      // nullopt = deleted
  std::optional<std::string> previous;  // nullopt = did not exist
};

// The keys that begin with `prefix` ("ns/"; "" = all) and, if `after` is set, sort behind it.
struct KeyRange {
  std::string prefix;
  std::optional<std::string> after;
};

// An object that depends on an owner.
struct Dependent {
  std::string resource;
  std::string key;
  bool operator==(const Dependent&) const = default;
};

// The table as seen by one connection. Errors as Connection's.
class VersionTable {
 public:
  // Creates the tables in a new file. kDataLoss when the file has a later form than this program
  // knows. REQUIRES: `connection` outlives the result.
  static absl::StatusOr<std::unique_ptr<VersionTable>> Open(Connection& connection);

  absl::Status Begin() { return connection_.Execute("BEGIN"); }
  absl::Status BeginWriting() { return connection_.Execute("BEGIN IMMEDIATE"); }
  absl::Status Commit() { return connection_.Execute("COMMIT"); }
  bool in_transaction() const { return connection_.in_transaction(); }
  void Rollback() { connection_.Execute("ROLLBACK").IgnoreError(); }

  // Newest returns the newest revision, at least 1. CompactedRevision returns the revision up to
  // which the past was dropped: the state at this revision and all changes after it are known.
  absl::StatusOr<int64_t> Newest();
  absl::StatusOr<int64_t> CompactedRevision();

  // The present state.
  absl::StatusOr<std::optional<Version>> Get(std::string_view resource, std::string_view key);
  // States at `revision` in key order; ends after `limit` objects, or once `max_bytes` are
  // exceeded.
  absl::StatusOr<std::vector<Version>> List(std::string_view resource, const KeyRange& range,
                                            int64_t revision, int64_t limit, size_t max_bytes);
  absl::StatusOr<int64_t> Count(std::string_view resource, const KeyRange& range, int64_t revision);
  // Changes of `resource` ("" = all) with after < revision <= upto, in order; ends as List does.
  absl::StatusOr<std::vector<Change>> Changes(std::string_view resource, int64_t after,
                                              int64_t upto, int64_t limit, size_t max_bytes);

  // Writes the state (nullopt = deleted) that an object has from `revision` on, which must be the
  // newest. `owners` are the UIDs of the object's owners.
  absl::Status Put(std::string_view resource, std::string_view key, int64_t revision,
                   std::optional<std::string_view> body, const std::vector<std::string>& owners);

  absl::StatusOr<std::vector<Dependent>> DependentsOf(std::string_view owner_uid);
  // The UIDs of all owners that some object names.
  absl::StatusOr<std::vector<std::string>> OwnerUids();

  // Limits the file to this many pages, or to its present size if that is larger: beyond, writes
  // fail with kResourceExhausted.
  absl::Status LimitPages(int64_t pages);

  // Drops states that were replaced or deleted at `revision` or before, at most `batch` rows; false
  // when there was nothing more to drop. States at later revisions stay readable.
  absl::StatusOr<bool> Compact(int64_t revision, int64_t batch);

 private:
  struct Statements;
  explicit VersionTable(Connection& connection);

  absl::Status PutOwners(std::string_view resource, std::string_view key,
                         const std::vector<std::string>& owners);

  Connection& connection_;
  std::unique_ptr<Statements> statements_;

 public:
  ~VersionTable();
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TABLE_VERSION_TABLE_H_
