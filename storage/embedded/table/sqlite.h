// SQLite (a C library) with RAII and Status: connections and prepared statements. Not thread-safe.
#ifndef STORAGE_EMBEDDED_TABLE_SQLITE_H_
#define STORAGE_EMBEDDED_TABLE_SQLITE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace steward::storage {

// A prepared statement. Must not outlive its connection. It may run many times: Reset, Bind...,
// Step... .
class Statement {
 public:
  Statement() = default;

  // Forgets the last run and its parameters.
  Statement& Reset();
  // Binds the next parameter. The bytes of a text must live until the next Reset or the last Step.
  Statement& Bind(int64_t value);
  Statement& Bind(std::string_view value);
  Statement& BindNull();

  // Returns true for a row, false when the statement is done. Errors as Connection's.
  absl::StatusOr<bool> Step();
  // Steps until done, for statements without rows.
  absl::Status Run();

  // Columns of the present row, from 0. A text is valid until the next Step or Reset.
  int64_t Int(int column) const;
  std::string_view Text(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  int bind_error_ = 0;
};

// One connection to a database file in WAL mode.
//
// Errors: kResourceExhausted when the disk or a limit is full, kDataLoss when the file is damaged
// or no database, kUnavailable when another process holds it, else kInternal. A failed write leaves
// the file as it was at the last commit.
class Connection {
 public:
  // Creates the file, for this user alone, when it is missing. Every commit is on disk when it
  // returns (synchronous=FULL).
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs statements that return no rows, separated by semicolons.
  absl::Status Execute(const char* sql);
  absl::StatusOr<Statement> Prepare(std::string_view sql);
  // True while a transaction is open. Some errors, also of reads, end it without a call of the
  // program.
  bool in_transaction() const;

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}

  sqlite3* const handle_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TABLE_SQLITE_H_
