#include "storage/embedded/table/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

absl::Status ErrorOf(sqlite3* handle, int code) {
  std::string why = sqlite3_errstr(code);
  if (handle != nullptr && why != sqlite3_errmsg(handle)) {
    StrAppend(&why, ": ", sqlite3_errmsg(handle));
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return absl::ResourceExhaustedError(why);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(why);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(why);
    default:
      return absl::InternalError(why);
  }
}

// The time that a connection waits for another one of this process.
constexpr int kBusyTimeoutMs = 10'000;

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::Reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bound_ = 0;
  bind_error_ = SQLITE_OK;
  return *this;
}

Statement& Statement::Bind(int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), ++bound_, value);
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::Bind(std::string_view value) {
  // A null pointer would bind NULL.
  const char* data = value.data() == nullptr ? "" : value.data();
  const int code = sqlite3_bind_text64(statement_.get(), ++bound_, data, value.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::BindNull() {
  const int code = sqlite3_bind_null(statement_.get(), ++bound_);
  if (bind_error_ == SQLITE_OK) bind_error_ = code;
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  sqlite3* const handle = sqlite3_db_handle(statement_.get());
  if (bind_error_ != SQLITE_OK) return ErrorOf(handle, bind_error_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    // Resetting ends the implicit read transaction.
    sqlite3_reset(statement_.get());
    return false;
  }
  absl::Status error = ErrorOf(handle, code);
  sqlite3_reset(statement_.get());
  return error;
}

absl::Status Statement::Run() {
  while (true) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return absl::OkStatus();
  }
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(size));
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path) {
  // SQLite would create the file with the umask's mode, and gives its files beside it the same
  // mode.
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const absl::Status error = ErrorOf(handle, code);
    sqlite3_close(handle);
    return absl::Status(error.code(), StrCat(path, ": ", ToStd(error.message())));
  }
  std::unique_ptr<Connection> connection(new Connection(handle));
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  const absl::Status status = connection->Execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF;"
      "PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY;");
  if (!status.ok()) {
    return absl::Status(status.code(), StrCat(path, ": ", ToStd(status.message())));
  }
  return connection;
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Connection::~Connection() { sqlite3_close_v2(handle_); }

absl::Status Connection::Execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ErrorOf(handle_, code);
}

absl::StatusOr<Statement> Connection::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return ErrorOf(handle_, code);
  return Statement(statement);
}

}  // namespace steward::storage
