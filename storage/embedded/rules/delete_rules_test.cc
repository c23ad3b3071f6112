// The expected results are the answers of a kube-apiserver 1.36.3.
#include <gtest/gtest.h>

#include <string>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/test_rules.h"

namespace steward::storage {
namespace {

using Kind = DeleteOutcome::Kind;
using Propagation = kube::DeleteOptions::Propagation;

WriteContext Context() {
  WriteContext context;
  context.now = absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone());
  return context;
}

// An object with `meta` beside the members that every object has.
boost::json::object Stored(std::string_view meta) {
  return JsonObject(StrCat(
      R"({"apiVersion":"v1","kind":"K","metadata":{"name":"a","uid":"u1","resourceVersion":"7")",
      meta, "}}"));
}

constexpr char kMark[] =
    R"(,"deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":0)";

TEST(PrepareDeleteTest, Outcomes) {
  struct Row {
    const char* name;
    kube::ResourceType type;
    std::string meta;
    Propagation propagation;
    Kind kind;
    std::string result;
  };
  const std::string mark = kMark;
  const std::string early =
      R"(,"deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":0)";
  const std::string generation = R"(,"generation":1)";
  const std::string next = R"(,"generation":2)";
  const std::string two = R"(,"finalizers":["x/f","x/g"])";
  const std::string with_foreground = R"(,"finalizers":["x/f","x/g","foregroundDeletion"])";
  const std::string with_orphan = R"(,"finalizers":["x/f","x/g","orphan"])";
  const std::string foreground = R"(,"finalizers":["foregroundDeletion"])";
  const std::string orphan = R"(,"finalizers":["orphan"])";
  const Row rows[] = {
      {"no finalizers", Widget(), generation, Propagation::kDefault, Kind::kRemoved, generation},
      {"no finalizers, background", Widget(), "", Propagation::kBackground, Kind::kRemoved, ""},
      {"finalizers", Widget(), generation + two, Propagation::kDefault, Kind::kMarked,
       next + mark + two},
      {"without a generation", ConfigMap(), two, Propagation::kDefault, Kind::kMarked, mark + two},
      {"foreground", Widget(), generation + two, Propagation::kForeground, Kind::kMarked,
       next + mark + with_foreground},
      {"orphan", Widget(), generation + two, Propagation::kOrphan, Kind::kMarked,
       next + mark + with_orphan},
      {"foreground where nothing else holds it", ConfigMap(), "", Propagation::kForeground,
       Kind::kMarked, mark + foreground},
      {"a finalizer that a client set beforehand", ConfigMap(), foreground, Propagation::kDefault,
       Kind::kMarked, mark + foreground},
      {"background takes it away", ConfigMap(), foreground, Propagation::kBackground,
       Kind::kRemoved, foreground},
      {"one for the other", ConfigMap(), R"(,"finalizers":["x/f","orphan","x/g"])",
       Propagation::kForeground, Kind::kMarked, mark + with_foreground},
      {"again", Widget(), next + early + two, Propagation::kDefault, Kind::kUnchanged,
       next + early + two},
      {"again, background", Widget(), next + early + two, Propagation::kBackground,
       Kind::kUnchanged, next + early + two},
      {"again, foreground", Widget(), next + early + two, Propagation::kForeground, Kind::kMarked,
       next + early + with_foreground},
      {"foreground again", Widget(), next + early + R"(,"finalizers":["foregroundDeletion","x/f"])",
       Propagation::kForeground, Kind::kUnchanged,
       next + early + R"(,"finalizers":["foregroundDeletion","x/f"])"},
      {"foreground, then default", Widget(), next + early + foreground, Propagation::kDefault,
       Kind::kUnchanged, next + early + foreground},
      {"foreground, then orphan", Widget(), next + early + foreground, Propagation::kOrphan,
       Kind::kMarked, next + early + orphan},
      {"orphan, then background", Widget(), next + early + orphan, Propagation::kBackground,
       Kind::kRemoved, next + early + orphan},
      {"events have no dependents", Event(), "", Propagation::kForeground, Kind::kRemoved, ""},
      {"but finalizers", Event(), two, Propagation::kForeground, Kind::kMarked, mark + two},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    kube::DeleteOptions options;
    options.propagation = row.propagation;
    const absl::StatusOr<DeleteOutcome> outcome =
        PrepareDelete(row.type, Stored(row.meta), options, Context());
    ASSERT_OK(outcome);
    EXPECT_EQ(outcome->kind, row.kind);
    EXPECT_EQ(Serialize(outcome->object), Serialize(Stored(row.result)));
  }
}

TEST(PrepareDeleteTest, Preconditions) {
  struct Row {
    const char* name;
    const char* uid;
    const char* version;
    const char* answer;
  };
  const Row rows[] = {
      {"both hold", "u1", "7", "OK"},
      {"another object, told first", "z", "5",
       "409 Conflict Operation cannot be fulfilled on Widget.example.com \"a\": the UID in the "
       "precondition (z) does not match the UID in record (u1). The object might have been deleted "
       "and then recreated"},
      {"another state", "", "5",
       "409 Conflict Operation cannot be fulfilled on Widget.example.com \"a\": the "
       "ResourceVersion in the precondition (5) does not match the ResourceVersion in record (7). "
       "The object might have been modified"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    kube::DeleteOptions options;
    options.uid = row.uid;
    options.resource_version = row.version;
    EXPECT_EQ(Answer(PrepareDelete(Widget(), Stored(""), options, Context())), row.answer);
  }
}

TEST(DeletedStatusTest, NamesWhatWent) {
  EXPECT_EQ(
      Serialize(DeletedStatus(Widget(), Stored(""))),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","group":"example.com","kind":"widgets","uid":"u1"}})");
  EXPECT_EQ(
      Serialize(DeletedStatus(ConfigMap(), Stored(""))),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"u1"}})");
}

}  // namespace
}  // namespace steward::storage
