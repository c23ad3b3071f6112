#include "storage/embedded/table/version_table.h"

#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

constexpr int64_t kFormat = 1;

// `replaced` is NULL in the one row of a key that is its present state; a deletion is a row without
// a body. The index by_key contains it, so that a list skips old states without reading their
// bodies.
constexpr char kSchema[] = R"sql(
CREATE TABLE IF NOT EXISTS version(
  revision INTEGER PRIMARY KEY,
  resource TEXT NOT NULL,
  key TEXT NOT NULL,
  previous INTEGER,
  replaced INTEGER,
  deleted INTEGER NOT NULL,
  body TEXT);
CREATE UNIQUE INDEX IF NOT EXISTS present ON version(resource, key) WHERE replaced IS NULL;
CREATE INDEX IF NOT EXISTS by_key ON version(resource, key, revision, replaced, deleted);
CREATE INDEX IF NOT EXISTS by_resource ON version(resource, revision);
CREATE INDEX IF NOT EXISTS old ON version(replaced) WHERE replaced IS NOT NULL;
CREATE INDEX IF NOT EXISTS tombstone ON version(revision) WHERE deleted = 1 AND replaced IS NULL;
CREATE TABLE IF NOT EXISTS owner(
  uid TEXT NOT NULL,
  resource TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY(uid, resource, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_dependent ON owner(resource, key);
CREATE TABLE IF NOT EXISTS number(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO number VALUES('newest', 1), ('compacted', 0);
)sql";

// The first key that no longer begins with `prefix`; "" when there is none.
std::string EndOf(std::string prefix) {
  while (!prefix.empty()) {
    auto& last = reinterpret_cast<unsigned char&>(prefix.back());
    if (last != 0xff) {
      ++last;
      return prefix;
    }
    prefix.pop_back();
  }
  return prefix;
}

// A text above every key, since keys are UTF-8, which never has this byte.
constexpr std::string_view kBehindAll = "\xff";

// Keys are selected by k > from AND k < end.
struct Bounds {
  std::string from;
  std::string end;
};

Bounds BoundsOf(const KeyRange& range) {
  Bounds bounds;
  // No key is empty, and none equals a namespace's prefix.
  bounds.from = range.after && *range.after > range.prefix ? *range.after : range.prefix;
  bounds.end = range.prefix.empty() ? std::string(kBehindAll) : EndOf(range.prefix);
  return bounds;
}

std::optional<std::string> OptionalText(const Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return std::string(row.Text(column));
}

}  // namespace

struct VersionTable::Statements {
  Statement number, set_number, get, list, count, changes, all_changes, replace, insert;
  Statement drop_owners, add_owner, dependents, owner_uids, drop_replaced, drop_tombstones;
};

VersionTable::VersionTable(Connection& connection)
    : connection_(connection), statements_(std::make_unique<Statements>()) {}
VersionTable::~VersionTable() = default;

absl::StatusOr<std::unique_ptr<VersionTable>> VersionTable::Open(Connection& connection) {
  ASSIGN_OR_RETURN(Statement format, connection.Prepare("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const bool row, format.Step());
  const int64_t found = row ? format.Int(0) : 0;
  format.Reset();
  if (found > kFormat) {
    return absl::DataLossError(
        StrCat("the data has form ", found,
               ", which a later version of this program wrote; this one knows ", kFormat));
  }
  if (found < kFormat) {
    const std::string setup =
        StrCat("BEGIN IMMEDIATE;", kSchema, "PRAGMA user_version=", kFormat, "; COMMIT;");
    RETURN_IF_ERROR(connection.Execute(setup.c_str()));
  }
  std::unique_ptr<VersionTable> table(new VersionTable(connection));
  const std::pair<Statement*, std::string_view> all[] = {
      {&table->statements_->number, "SELECT value FROM number WHERE name=?"},
      {&table->statements_->set_number, "UPDATE number SET value=? WHERE name=?"},
      {&table->statements_->get,
       "SELECT revision, body FROM version "
       "WHERE resource=? AND key=? AND replaced IS NULL AND deleted=0"},
      {&table->statements_->list,
       "SELECT revision, key, body FROM version INDEXED BY by_key "
       "WHERE resource=? AND key>? AND key<? AND revision<=? "
       "AND (replaced IS NULL OR replaced>?) AND deleted=0 ORDER BY key LIMIT ?"},
      {&table->statements_->count,
       "SELECT COUNT(*) FROM version INDEXED BY by_key "
       "WHERE resource=? AND key>? AND key<? AND revision<=? "
       "AND (replaced IS NULL OR replaced>?) AND deleted=0"},
      {&table->statements_->changes,
       "SELECT v.revision, v.resource, v.key, v.body, p.body FROM version v "
       "LEFT JOIN version p ON p.revision=v.previous "
       "WHERE v.resource=? AND v.revision>? AND v.revision<=? ORDER BY v.revision LIMIT ?"},
      {&table->statements_->all_changes,
       "SELECT v.revision, v.resource, v.key, v.body, p.body FROM version v "
       "LEFT JOIN version p ON p.revision=v.previous "
       "WHERE v.revision>? AND v.revision<=? ORDER BY v.revision LIMIT ?"},
      {&table->statements_->replace,
       "UPDATE version SET replaced=? WHERE resource=? AND key=? AND replaced IS NULL "
       "RETURNING revision, deleted"},
      {&table->statements_->insert,
       "INSERT INTO version(revision, resource, key, previous, deleted, body) "
       "VALUES(?,?,?,?,?,?)"},
      {&table->statements_->drop_owners, "DELETE FROM owner WHERE resource=? AND key=?"},
      {&table->statements_->add_owner, "INSERT OR IGNORE INTO owner VALUES(?,?,?)"},
      {&table->statements_->dependents,
       "SELECT resource, key FROM owner WHERE uid=? ORDER BY resource, key"},
      {&table->statements_->owner_uids, "SELECT DISTINCT uid FROM owner"},
      {&table->statements_->drop_replaced,
       "DELETE FROM version WHERE revision IN "
       "(SELECT revision FROM version WHERE replaced<=? LIMIT ?) RETURNING revision"},
      {&table->statements_->drop_tombstones,
       "DELETE FROM version WHERE revision IN "
       "(SELECT revision FROM version WHERE deleted=1 AND replaced IS NULL AND revision<=? "
       "LIMIT ?) RETURNING revision"},
  };
  for (const auto& [statement, sql] : all) {
    ASSIGN_OR_RETURN(*statement, connection.Prepare(sql));
  }
  return table;
}

absl::StatusOr<int64_t> VersionTable::Newest() {
  Statement& statement = statements_->number.Reset().Bind("newest");
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::DataLossError("the newest revision is missing");
  const int64_t newest = statement.Int(0);
  statement.Reset();
  return newest;
}

absl::StatusOr<int64_t> VersionTable::CompactedRevision() {
  Statement& statement = statements_->number.Reset().Bind("compacted");
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return absl::DataLossError("the compacted revision is missing");
  const int64_t compacted = statement.Int(0);
  statement.Reset();
  return compacted;
}

absl::StatusOr<std::optional<Version>> VersionTable::Get(std::string_view resource,
                                                         std::string_view key) {
  Statement& statement = statements_->get.Reset().Bind(resource).Bind(key);
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) return std::optional<Version>();
  Version version{statement.Int(0), std::string(key), std::string(statement.Text(1))};
  statement.Reset();
  return std::optional<Version>(std::move(version));
}

absl::StatusOr<std::vector<Version>> VersionTable::List(std::string_view resource,
                                                        const KeyRange& range, int64_t revision,
                                                        int64_t limit, size_t max_bytes) {
  const Bounds bounds = BoundsOf(range);
  Statement& statement = statements_->list.Reset();
  statement.Bind(resource).Bind(std::string_view(bounds.from)).Bind(std::string_view(bounds.end));
  statement.Bind(revision).Bind(revision).Bind(limit);
  std::vector<Version> versions;
  size_t bytes = 0;
  while (bytes <= max_bytes) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) break;
    const std::string_view body = statement.Text(2);
    bytes += body.size();
    versions.push_back({statement.Int(0), std::string(statement.Text(1)), std::string(body)});
  }
  statement.Reset();
  return versions;
}

absl::StatusOr<int64_t> VersionTable::Count(std::string_view resource, const KeyRange& range,
                                            int64_t revision) {
  const Bounds bounds = BoundsOf(range);
  Statement& statement = statements_->count.Reset();
  statement.Bind(resource).Bind(std::string_view(bounds.from)).Bind(std::string_view(bounds.end));
  statement.Bind(revision).Bind(revision);
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  const int64_t count = row ? statement.Int(0) : 0;
  statement.Reset();
  return count;
}

absl::StatusOr<std::vector<Change>> VersionTable::Changes(std::string_view resource, int64_t after,
                                                          int64_t upto, int64_t limit,
                                                          size_t max_bytes) {
  Statement& statement =
      resource.empty() ? statements_->all_changes.Reset() : statements_->changes.Reset();
  if (!resource.empty()) statement.Bind(resource);
  statement.Bind(after).Bind(upto).Bind(limit);
  std::vector<Change> changes;
  size_t bytes = 0;
  while (bytes <= max_bytes) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) break;
    bytes += statement.Text(3).size() + statement.Text(4).size();
    changes.push_back({statement.Int(0), std::string(statement.Text(1)),
                       std::string(statement.Text(2)), OptionalText(statement, 3),
                       OptionalText(statement, 4)});
  }
  statement.Reset();
  return changes;
}

absl::Status VersionTable::Put(std::string_view resource, std::string_view key, int64_t revision,
                               std::optional<std::string_view> body,
                               const std::vector<std::string>& owners) {
  Statement& replace = statements_->replace.Reset().Bind(revision).Bind(resource).Bind(key);
  ASSIGN_OR_RETURN(const bool had_previous, replace.Step());
  // A state after a deletion is a new object, which has no previous state.
  const bool was_there = had_previous && replace.Int(1) == 0;
  const int64_t previous = was_there ? replace.Int(0) : 0;
  if (had_previous) RETURN_IF_ERROR(replace.Run());
  Statement& insert = statements_->insert.Reset().Bind(revision).Bind(resource).Bind(key);
  if (was_there) {
    insert.Bind(previous);
  } else {
    insert.BindNull();
  }
  insert.Bind(static_cast<int64_t>(body.has_value() ? 0 : 1));
  if (body.has_value()) {
    insert.Bind(*body);
  } else {
    insert.BindNull();
  }
  RETURN_IF_ERROR(insert.Run());
  RETURN_IF_ERROR(PutOwners(resource, key, owners));
  return statements_->set_number.Reset().Bind(revision).Bind("newest").Run();
}

absl::Status VersionTable::PutOwners(std::string_view resource, std::string_view key,
                                     const std::vector<std::string>& owners) {
  RETURN_IF_ERROR(statements_->drop_owners.Reset().Bind(resource).Bind(key).Run());
  for (const std::string& owner : owners) {
    Statement& add = statements_->add_owner.Reset();
    RETURN_IF_ERROR(add.Bind(std::string_view(owner)).Bind(resource).Bind(key).Run());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Dependent>> VersionTable::DependentsOf(std::string_view owner_uid) {
  Statement& statement = statements_->dependents.Reset().Bind(owner_uid);
  std::vector<Dependent> dependents;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return dependents;
    dependents.push_back({std::string(statement.Text(0)), std::string(statement.Text(1))});
  }
}

absl::StatusOr<std::vector<std::string>> VersionTable::OwnerUids() {
  Statement& statement = statements_->owner_uids.Reset();
  std::vector<std::string> uids;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return uids;
    uids.emplace_back(statement.Text(0));
  }
}

absl::Status VersionTable::LimitPages(int64_t pages) {
  return connection_.Execute(StrCat("PRAGMA max_page_count=", pages).c_str());
}

absl::StatusOr<bool> VersionTable::Compact(int64_t revision, int64_t batch) {
  RETURN_IF_ERROR(statements_->set_number.Reset().Bind(revision).Bind("compacted").Run());
  int64_t dropped = 0;
  for (Statement* drop : {&statements_->drop_replaced, &statements_->drop_tombstones}) {
    drop->Reset().Bind(revision).Bind(batch);
    while (true) {
      ASSIGN_OR_RETURN(const bool row, drop->Step());
      if (!row) break;
      ++dropped;
    }
  }
  return dropped > 0;
}

}  // namespace steward::storage
