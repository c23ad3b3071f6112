#include "storage/embedded/store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include "base/async/own_thread.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "storage/embedded/store/object_body.h"
#include "storage/embedded/table/sqlite.h"
#include "storage/embedded/types/builtin_types.h"

namespace steward::storage {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

constexpr absl::Duration kMaintenancePeriod = absl::Seconds(10);
// The number of rows dropped at once. It is small, because writes wait meanwhile.
constexpr int64_t kCompactionBatch = 500;
// Kubernetes' limit of a request's body.
constexpr size_t kMaxObject = 3 << 20;
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

// Holds DIR/lock as long as it lives: SQLite would let two processes write in turn, but their
// revisions in memory would differ.
class DirectoryLock {
 public:
  static absl::StatusOr<DirectoryLock> Take(const std::string& directory) {
    const std::string path = directory + "/lock";
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return absl::InternalError(StrCat(path, ": ", std::strerror(errno)));
    DirectoryLock lock(fd);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      return absl::FailedPreconditionError(
          StrCat("the data directory ", directory, " is in use by another process"));
    }
    return lock;
  }
  DirectoryLock(DirectoryLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock() {
    if (fd_ >= 0) close(fd_);
  }

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}
  int fd_;
};

absl::Status MakeDirectory(const std::string& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (error) return absl::InternalError(StrCat(directory, ": ", error.message()));
  // The directory may contain Secrets.
  if (made) chmod(directory.c_str(), 0700);
  return absl::OkStatus();
}

// The writes that share one commit.
struct Batch {
  explicit Batch(const asio::any_io_executor& executor)
      : done(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer done;
  bool finished = false;
  absl::Status status;
  std::set<std::string> changed;  // resources
};

absl::StatusOr<std::vector<json::object>> ReadCrds(VersionTable& table, int64_t revision) {
  ASSIGN_OR_RETURN(const std::vector<Version> versions,
                   table.List(kCustomResourceDefinitions, KeyRange{}, revision, kAll, SIZE_MAX));
  std::vector<json::object> crds;
  for (const Version& version : versions) {
    const kube::GroupVersionKind gvk{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"};
    ASSIGN_OR_RETURN(json::object crd, ParseBody(gvk, version.revision, version.body));
    crds.push_back(std::move(crd));
  }
  return crds;
}

}  // namespace

struct Store::Impl : Transaction {
  Impl(StoreOptions o, Clock& c, DirectoryLock l)
      : options(std::move(o)), clock(c), lock(std::move(l)) {}
  ~Impl() override {
    writer.Stop();
    reader.Stop();
    // The batch goes while its executor still exists.
    batch = nullptr;
  }

  // The interface of Transaction; called on the writer's thread.
  const Catalog& catalog() const override { return *writer_catalog; }
  absl::StatusOr<std::optional<json::object>> Get(const kube::ResourceType& type,
                                                  const std::string& key) override;
  VersionTable& table() override { return *write_table; }
  absl::StatusOr<int64_t> Put(const kube::ResourceType& type, const std::string& key,
                              json::object& object) override;
  absl::StatusOr<int64_t> Remove(const kube::ResourceType& type, const std::string& key) override;

  StatusTask WriteHere(std::function<absl::Status(Transaction&)> write);
  StatusTask CompactHere(int64_t revision);
  StatusTask ShowTypesHere(std::vector<kube::ResourceType> types);
  absl::Status CheckBatch();
  absl::Status OpenBatch();
  void CommitBatch();
  void FinishBatch(const absl::Status& status);
  absl::Status RebuildCatalog();
  void Publish(const std::set<std::string>& changed);

  const StoreOptions options;
  Clock& clock;
  const DirectoryLock lock;
  std::unique_ptr<Connection> write_connection, read_connection;
  std::unique_ptr<VersionTable> write_table, read_table;
  Broadcast committed;

  // The writer's state, used on its thread only.
  int64_t newest = 0;  // with changes that are not committed yet
  std::shared_ptr<Batch> batch;
  CatalogPtr writer_catalog;
  std::vector<kube::ResourceType> more_types;

  std::atomic<int64_t> revision{0};
  mutable Mutex mutex;
  CatalogPtr published_catalog ABSL_GUARDED_BY(mutex);
  std::map<std::string, int64_t, std::less<>> last_change ABSL_GUARDED_BY(mutex);
  int64_t first_revision = 0;  // the revision at Open

  // The threads are the last members, so that they end first.
  OwnThread writer, reader;
};

absl::StatusOr<std::optional<json::object>> Store::Impl::Get(const kube::ResourceType& type,
                                                             const std::string& key) {
  ASSIGN_OR_RETURN(std::optional<Version> version,
                   write_table->Get(type.gvr().GroupResource(), key));
  if (!version.has_value()) return std::optional<json::object>();
  ASSIGN_OR_RETURN(json::object object, ParseBody(type.gvk, version->revision, version->body));
  return std::optional<json::object>(std::move(object));
}

absl::StatusOr<int64_t> Store::Impl::Put(const kube::ResourceType& type, const std::string& key,
                                         json::object& object) {
  const std::string resource = type.gvr().GroupResource();
  const std::string body = BodyOf(object);
  // Refuses an object that could not be read again or sent.
  if (body.size() > kMaxObject) return kube::ToStatus(kube::RequestEntityTooLarge(kMaxObject));
  RETURN_IF_ERROR(CheckBatch());
  const absl::Status put = write_table->Put(resource, key, newest + 1, body, OwnersOf(object));
  if (!put.ok()) {
    FinishBatch(put);
    return put;
  }
  batch->changed.insert(resource);
  ++newest;
  object["metadata"].as_object()["resourceVersion"] = std::to_string(newest);
  return newest;
}

absl::StatusOr<int64_t> Store::Impl::Remove(const kube::ResourceType& type,
                                            const std::string& key) {
  const std::string resource = type.gvr().GroupResource();
  RETURN_IF_ERROR(CheckBatch());
  const absl::Status removed = write_table->Put(resource, key, newest + 1, std::nullopt, {});
  if (!removed.ok()) {
    FinishBatch(removed);
    return removed;
  }
  batch->changed.insert(resource);
  return ++newest;
}

// Fails if an error has ended the transaction, as an error while reading can do. Else later changes
// would be committed one by one.
absl::Status Store::Impl::CheckBatch() {
  if (batch != nullptr && write_table->in_transaction()) return absl::OkStatus();
  const absl::Status lost = absl::InternalError("the transaction was ended by an earlier error");
  if (batch != nullptr) FinishBatch(lost);
  return lost;
}

absl::Status Store::Impl::OpenBatch() {
  if (batch != nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(write_table->BeginWriting());
  batch = std::make_shared<Batch>(writer.executor());
  // The commit runs after every write that waits already.
  asio::post(writer.executor(), [this, opened = batch] {
    if (opened == batch) CommitBatch();
  });
  return absl::OkStatus();
}

void Store::Impl::CommitBatch() {
  if (!CheckBatch().ok()) return;
  absl::Status status = absl::OkStatus();
  const bool crds_changed = batch->changed.count(std::string(kCustomResourceDefinitions)) > 0;
  // The catalog is built before the commit: a definition that cannot be read again must not be
  // stored.
  const CatalogPtr before = writer_catalog;
  if (crds_changed) status = RebuildCatalog();
  if (status.ok()) status = write_table->Commit();
  if (!status.ok()) writer_catalog = before;
  FinishBatch(status);
}

void Store::Impl::FinishBatch(const absl::Status& status) {
  const std::shared_ptr<Batch> finished = std::exchange(batch, nullptr);
  if (status.ok()) {
    Publish(finished->changed);
  } else {
    write_table->Rollback();
    // Reads the newest revision from the file, because after some errors the state on the disk is
    // unknown.
    newest = write_table->Newest().value_or(revision.load());
    log::Error("A commit failed", {{"error", std::string(status.message())}});
  }
  finished->status = status.ok() ? status : Store::AsServerError(status);
  finished->finished = true;
  finished->done.cancel();
}

void Store::Impl::Publish(const std::set<std::string>& changed) {
  if (changed.empty()) return;
  {
    MutexLock hold(&mutex);
    published_catalog = writer_catalog;
    for (const std::string& resource : changed) last_change[resource] = newest;
  }
  // The revision is last, so that a reader that sees it finds all changes up to it.
  revision.store(newest);
  committed.Notify();
}

absl::Status Store::Impl::RebuildCatalog() {
  ASSIGN_OR_RETURN(const std::vector<json::object> crds, ReadCrds(*write_table, newest));
  writer_catalog = std::make_shared<const Catalog>(crds, more_types);
  return absl::OkStatus();
}

StatusTask Store::Impl::WriteHere(std::function<absl::Status(Transaction&)> write) {
  const absl::Status opened = OpenBatch();
  if (!opened.ok()) co_return Store::AsServerError(opened);
  const std::shared_ptr<Batch> mine = batch;
  absl::Status result;
  try {
    result = write(*this);
  } catch (const std::exception& error) {
    // A library failed on the stored data: half a write must not be committed.
    result = absl::InternalError(error.what());
    if (batch == mine) FinishBatch(result);
  }
  // A refused write waits, too: it may have seen a write that is not on disk yet.
  while (!mine->finished) {
    const auto [error] = co_await mine->done.async_wait(asio::as_tuple(asio::use_awaitable));
    (void)error;
    if (!mine->finished) throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (!mine->status.ok()) co_return mine->status;
  co_return result.ok() ? result : Store::AsServerError(result);
}

StatusTask Store::Impl::CompactHere(int64_t upto) {
  upto = std::min(upto, revision.load());
  for (bool first = true;; first = false) {
    if (batch != nullptr) CommitBatch();
    absl::Status status = write_table->BeginWriting();
    absl::StatusOr<int64_t> compacted = write_table->CompactedRevision();
    absl::StatusOr<bool> more = false;
    if (status.ok()) status = compacted.status();
    if (status.ok() && (*compacted < upto || !first)) {
      more = write_table->Compact(upto, kCompactionBatch);
      status = more.status();
    }
    if (status.ok()) status = write_table->Commit();
    if (!status.ok()) {
      write_table->Rollback();
      co_return Store::AsServerError(status);
    }
    if (!*more) co_return absl::OkStatus();
    // Other writes may go in between.
    co_await asio::post(writer.executor(), asio::use_awaitable);
  }
}

StatusTask Store::Impl::ShowTypesHere(std::vector<kube::ResourceType> types) {
  if (batch != nullptr) CommitBatch();
  more_types = std::move(types);
  const absl::Status status = RebuildCatalog();
  if (!status.ok()) co_return Store::AsServerError(status);
  {
    MutexLock hold(&mutex);
    published_catalog = writer_catalog;
  }
  committed.Notify();
  co_return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(StoreOptions options, Clock& clock) {
  RETURN_IF_ERROR(MakeDirectory(options.directory));
  ASSIGN_OR_RETURN(DirectoryLock lock, DirectoryLock::Take(options.directory));
  const std::string path = options.directory + "/steward.db";
  auto impl = std::make_unique<Impl>(std::move(options), clock, std::move(lock));
  ASSIGN_OR_RETURN(impl->write_connection, Connection::Open(path));
  if (!impl->options.durable) {
    RETURN_IF_ERROR(impl->write_connection->Execute("PRAGMA synchronous=OFF"));
  }
  ASSIGN_OR_RETURN(impl->write_table, VersionTable::Open(*impl->write_connection));
  ASSIGN_OR_RETURN(impl->read_connection, Connection::Open(path));
  ASSIGN_OR_RETURN(impl->read_table, VersionTable::Open(*impl->read_connection));
  ASSIGN_OR_RETURN(impl->newest, impl->write_table->Newest());
  impl->revision.store(impl->newest);
  impl->first_revision = impl->newest;
  RETURN_IF_ERROR(impl->RebuildCatalog());
  {
    MutexLock hold(&impl->mutex);
    impl->published_catalog = impl->writer_catalog;
  }
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

StatusTask Store::Write(std::function<absl::Status(Transaction&)> write) {
  // StatusTask is no Task<T>: its value is the status itself.
  return OnExecutor(impl_->writer.executor(), impl_->WriteHere(std::move(write)));
}

StatusTask Store::ShowTypes(std::vector<kube::ResourceType> types) {
  return OnExecutor(impl_->writer.executor(), impl_->ShowTypesHere(std::move(types)));
}

int64_t Store::revision() const { return impl_->revision.load(); }

CatalogPtr Store::catalog() const {
  MutexLock hold(&impl_->mutex);
  return impl_->published_catalog;
}

int64_t Store::LastChange(std::string_view resource) const {
  MutexLock hold(&impl_->mutex);
  if (resource.empty()) return impl_->revision.load();
  const auto it = impl_->last_change.find(resource);
  return it == impl_->last_change.end() ? impl_->first_revision : it->second;
}

Broadcast& Store::committed() { return impl_->committed; }

VoidTask Store::Maintain() {
  struct Moment {
    absl::Time time;
    int64_t revision;
  };
  std::deque<Moment> past;
  while (true) {
    const absl::Time now = impl_->clock.Now();
    past.push_back({now, revision()});
    int64_t upto = revision() - impl_->options.keep_revisions;
    while (!past.empty() && now - past.front().time >= impl_->options.keep) {
      upto = std::max(upto, past.front().revision);
      past.pop_front();
    }
    if (upto > 0) {
      const absl::Status status = co_await Compact(upto);
      if (!status.ok()) {
        log::Warning("The past could not be dropped", {{"error", std::string(status.message())}});
      }
    }
    co_await impl_->clock.Sleep(kMaintenancePeriod);
  }
}

StatusTask Store::Compact(int64_t revision) {
  return OnExecutor(impl_->writer.executor(), impl_->CompactHere(revision));
}

absl::Status Store::AsServerError(const absl::Status& status) {
  bool has_payload = status.ok();
  status.ForEachPayload([&](absl::string_view, const absl::Cord&) { has_payload = true; });
  if (has_payload) return status;
  std::string_view what = "the store failed";
  if (status.code() == absl::StatusCode::kResourceExhausted) {
    what =
        "nothing was written: the disk of the data directory, or a limit of its database, is full";
  } else if (status.code() == absl::StatusCode::kDataLoss) {
    what = "the data directory is damaged";
  }
  return kube::ToStatus(kube::InternalError(StrCat(what, ": ", ToStd(status.message()))));
}

asio::any_io_executor Store::reader() const { return impl_->reader.executor(); }
VersionTable& Store::reading() { return *impl_->read_table; }

}  // namespace steward::storage
