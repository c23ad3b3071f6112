#include "apiserver/rest/writes/delete_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiserver/http/message/message.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::rest {
namespace {

using namespace std::string_literals;  // NOLINT: for texts with zeros in them
using Propagation = kube::DeleteOptions::Propagation;
using Query = std::vector<std::pair<std::string, std::string>>;

http::Request RequestWith(std::string type, std::string body, Query query = {}) {
  http::Request request;
  if (!type.empty()) request.headers.Add("Content-Type", std::move(type));
  request.body = std::move(body);
  request.query = std::move(query);
  return request;
}

std::string Print(const kube::DeleteOptions& options) {
  static const char* const kPropagations[] = {"default", "background", "foreground", "orphan"};
  std::string out = kPropagations[static_cast<int>(options.propagation)];
  if (!options.uid.empty()) out += " uid " + options.uid;
  if (!options.resource_version.empty()) out += " version " + options.resource_version;
  if (options.dry_run) out += " dry";
  return out;
}

TEST(DeleteOptionsTest, Good) {
  const struct {
    std::string name;
    http::Request request;
    std::string want;
  } kRows[] = {
      {"nothing", RequestWith("", ""), "default"},
      {"query background", RequestWith("", "", {{"propagationPolicy", "Background"}}),
       "background"},
      {"query foreground", RequestWith("", "", {{"propagationPolicy", "Foreground"}}),
       "foreground"},
      {"query orphan", RequestWith("", "", {{"propagationPolicy", "Orphan"}}), "orphan"},
      {"query dry", RequestWith("", "", {{"dryRun", "All"}, {"gracePeriodSeconds", "0"}}),
       "default dry"},
      {"query orphans", RequestWith("", "", {{"orphanDependents", "true"}}), "orphan"},
      {"query no orphans", RequestWith("", "", {{"orphanDependents", "false"}}), "background"},
      {"no type without body", RequestWith("text/plain", ""), "default"},
      {"empty object", RequestWith("application/json", "{}"), "default"},
      {"the body counts",
       RequestWith("", R"({"propagationPolicy":"Orphan"})",
                   {{"propagationPolicy", "nonsense"}, {"dryRun", "All"}}),
       "orphan"},
      {"kubectl",
       RequestWith(
           "application/json",
           R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})"),
       "background"},
      {"another group's",
       RequestWith("application/json", R"({"kind":"DeleteOptions","apiVersion":"example.com/v1"})"),
       "default"},
      {"everything",
       RequestWith("application/json",
                   R"({"preconditions":{"uid":"u-1","resourceVersion":"7"},"dryRun":["All"],)"
                   R"("gracePeriodSeconds":30,"orphanDependents":true,"unknown":[]})"),
       "orphan uid u-1 version 7 dry"},
      {"nulls",
       RequestWith("application/json",
                   R"({"preconditions":null,"dryRun":null,"gracePeriodSeconds":null,)"
                   R"("orphanDependents":null,"propagationPolicy":null,"kind":null})"),
       "default"},
      {"yaml",
       RequestWith("application/yaml", "propagationPolicy: Foreground\npreconditions: {uid: x}"),
       "foreground uid x"},
      {"protobuf",
       RequestWith("application/vnd.kubernetes.protobuf",
                   "k8s\0\n\x13\n\x02v1\x12\rDeleteOptions"
                   "\x12\x0f\x12\x05\n\x03u-1\x22\x06Orphan"s),
       "orphan uid u-1"},
      {"nothing in protobuf",
       RequestWith("application/vnd.kubernetes.protobuf",
                   "k8s\0\n\x13\n\x02v1\x12\rDeleteOptions"s),
       "default"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const auto got = ParseDeleteOptions(row.request);
    ASSERT_OK(got);
    EXPECT_EQ(Print(*got), row.want);
  }
}

TEST(DeleteOptionsTest, Bad) {
  const std::string invalid = "DeleteOptions.meta.k8s.io \"\" is invalid: ";
  const std::string type = "json: cannot unmarshal value into Go struct field ";
  const auto json = [](std::string body) { return RequestWith("", std::move(body)); };
  const struct {
    std::string name;
    http::Request request;
    int code;
    std::string message;
  } kRows[] = {
      {"type", RequestWith("text/plain", "{}"), 415,
       "the body of the request was in an unknown format - accepted media types include: "
       "application/json, application/yaml, application/vnd.kubernetes.protobuf"},
      {"no object", json("[]"), 400,
       "the object provided is unrecognized (must be of type DeleteOptions): couldn't get "
       "version/kind; json parse error: cannot unmarshal array into an object (5b5d)"},
      {"kind", json(R"({"kind":"Pod"})"), 400,
       "decoded object cannot be converted to DeleteOptions"},
      {"kind's type", json(R"({"kind":1})"), 400, type + "DeleteOptions.kind of type string"},
      {"version's type", json(R"({"apiVersion":{}})"), 400,
       type + "DeleteOptions.apiVersion of type string"},
      {"policy's type", json(R"({"propagationPolicy":1})"), 400,
       type + "DeleteOptions.propagationPolicy of type string"},
      {"orphans' type", json(R"({"orphanDependents":"true"})"), 400,
       type + "DeleteOptions.orphanDependents of type bool"},
      {"grace's type", json(R"({"gracePeriodSeconds":"30"})"), 400,
       type + "DeleteOptions.gracePeriodSeconds of type int64"},
      {"grace's fraction", json(R"({"gracePeriodSeconds":1.5})"), 400,
       type + "DeleteOptions.gracePeriodSeconds of type int64"},
      {"dry run's type", json(R"({"dryRun":"All"})"), 400,
       type + "DeleteOptions.dryRun of type []string"},
      {"dry run's element", json(R"({"dryRun":[true]})"), 400,
       type + "DeleteOptions.dryRun of type string"},
      {"preconditions' type", json(R"({"preconditions":[]})"), 400,
       type + "DeleteOptions.preconditions of type v1.Preconditions"},
      {"uid's type", json(R"({"preconditions":{"uid":1}})"), 400,
       type + "Preconditions.uid of type string"},
      {"query grace", RequestWith("", "", {{"gracePeriodSeconds", "x"}}), 400,
       "strconv.ParseInt: parsing \"x\": invalid syntax"},
      {"query policy", RequestWith("", "", {{"propagationPolicy", "x"}}), 422,
       invalid + "propagationPolicy: Unsupported value: \"x\": supported values: \"Foreground\", "
                 "\"Background\", \"Orphan\", \"nil\""},
      {"empty policy", RequestWith("", "", {{"propagationPolicy", ""}}), 422,
       invalid + "propagationPolicy: Unsupported value: \"\": supported values: \"Foreground\", "
                 "\"Background\", \"Orphan\", \"nil\""},
      {"both", json(R"({"propagationPolicy":"Orphan","orphanDependents":false})"), 422,
       invalid + "propagationPolicy: Invalid value: \"Orphan\": orphanDependents and "
                 "deletionPropagation cannot be both set"},
      {"dry run", json(R"({"dryRun":["Some"]})"), 422,
       invalid + "dryRun: Unsupported value: [\"Some\"]: supported values: \"All\""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const auto got = ParseDeleteOptions(row.request);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(kube::FromStatus(got.status()).code, row.code);
    EXPECT_EQ(kube::FromStatus(got.status()).message, row.message);
  }
}

}  // namespace
}  // namespace steward::rest
