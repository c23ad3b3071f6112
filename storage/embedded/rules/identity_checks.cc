#include "storage/embedded/rules/identity_checks.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr char kModified[] =
    "the object has been modified; please apply your changes to the latest version and try again";

}  // namespace

absl::Status EnsureNamespace(const kube::ResourceType& type, std::string_view ns,
                             json::object& meta) {
  if (!type.namespaced) {
    meta.erase("namespace");
    return absl::OkStatus();
  }
  const std::string_view given = StringAt(meta, "namespace");
  if (!given.empty() && given != ns) {
    return kube::ToStatus(kube::BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  if (!ns.empty()) meta["namespace"] = Key(ns);
  return absl::OkStatus();
}

absl::Status CheckSameName(const json::object& stored_meta, const json::object& meta) {
  const std::string_view stored = StringAt(stored_meta, "name");
  const std::string_view name = StringAt(meta, "name");
  if (name == stored) return absl::OkStatus();
  if (name.empty()) {
    return kube::ToStatus(
        kube::BadRequest(StrCat("the name of the object (", stored,
                                " based on URL) was undeterminable: name must be provided")));
  }
  return kube::ToStatus(kube::BadRequest(StrCat(
      "the name of the object (", name, ") does not match the name on the URL (", stored, ")")));
}

absl::Status CheckSameVersion(const kube::ResourceType& type, const json::object& stored_meta,
                              const json::object& meta) {
  const std::string_view name = StringAt(stored_meta, "name");
  ASSIGN_OR_RETURN(const uint64_t version, ParseVersion(StringAt(meta, "resourceVersion")));
  if (version == 0) {
    if (!CountsGenerations(type)) return absl::OkStatus();
    return kube::ToStatus(
        kube::Invalid({type.gvk.group, type.gvk.version, type.plural}, name,
                      {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update",
                        "metadata.resourceVersion"}}));
  }
  ASSIGN_OR_RETURN(const uint64_t stored, ParseVersion(StringAt(stored_meta, "resourceVersion")));
  if (version == stored) return absl::OkStatus();
  return kube::ToStatus(kube::Conflict(type.gvr(), name, kModified));
}

absl::StatusOr<uint64_t> ParseVersion(std::string_view version) {
  if (version.empty()) return 0;
  uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, number);
  if (error == std::errc() && rest == end) return number;
  const bool digits =
      std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
  return BareError(StrCat("strconv.ParseUint: parsing ", kube::Quote(version),
                          digits ? ": value out of range" : ": invalid syntax"));
}

absl::Status BareError(std::string_view message) {
  kube::Status status;
  status.code = 500;
  status.message = message;
  return kube::ToStatus(status);
}

}  // namespace steward::storage
