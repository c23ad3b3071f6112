#include "storage/embedded/operations/list_operation.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/status.h"
#include "storage/embedded/store/object_body.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// How much is read at once, with a selector or without a limit.
constexpr int64_t kScan = 500;
constexpr size_t kScanBytes = 4 << 20;

constexpr std::string_view kTooOld =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first "
    "chunk was returned and now may show up in the list.";

absl::Status BadToken() { return kube::ToStatus(kube::BadRequest("continue key is not valid")); }

// The revision of a list, and the key where it continues.
struct Start {
  int64_t revision;
  KeyRange range;
};

absl::StatusOr<Start> StartOf(VersionTable& table, const ObjectFilter& filter,
                              const kube::ListOptions& options, int64_t newest) {
  Start start{newest, {filter.key_prefix(), std::nullopt}};
  ASSIGN_OR_RETURN(const int64_t compacted, table.CompactedRevision());
  if (!options.continue_token.empty()) {
    ASSIGN_OR_RETURN(ContinueToken token, ContinueToken::Decode(options.continue_token));
    start.range.after = token.after;
    if (token.revision == 0) return start;
    if (token.revision < compacted) {
      kube::Status expired = kube::Expired(kTooOld);
      expired.continue_token = ContinueToken{0, token.after}.Encode();
      return kube::ToStatus(expired);
    }
    // A token that names a revision above the newest was not written by this store.
    if (token.revision > newest) return BadToken();
    start.revision = token.revision;
    return start;
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> asked,
                   ParseRevision(options.resource_version, newest));
  const bool exact =
      asked.has_value() && (options.resource_version_match == "Exact" ||
                            (options.resource_version_match.empty() && options.limit > 0));
  if (!exact) return start;
  if (*asked < compacted) {
    return kube::ToStatus(kube::Expired("The resourceVersion for the provided list is too old."));
  }
  start.revision = *asked;
  return start;
}

}  // namespace

std::string ContinueToken::Encode() const {
  const std::string text = Serialize(json::object{{"rv", revision}, {"after", after}});
  std::string encoded;
  absl::WebSafeBase64Escape(text, &encoded);
  return encoded;
}

absl::StatusOr<ContinueToken> ContinueToken::Decode(std::string_view text) {
  std::string decoded;
  if (!absl::WebSafeBase64Unescape(ToAbsl(text), &decoded)) return BadToken();
  const absl::StatusOr<json::value> value = ParseJson(decoded);
  if (!value.ok() || !value->is_object()) return BadToken();
  const json::value* revision = value->get_object().if_contains("rv");
  if (revision == nullptr || !revision->is_int64() || revision->get_int64() < 0) return BadToken();
  return ContinueToken{revision->get_int64(), std::string(StringAt(value->get_object(), "after"))};
}

absl::StatusOr<std::optional<int64_t>> ParseRevision(std::string_view text, int64_t newest) {
  const absl::StatusOr<std::string> version = kube::ParseResourceVersionParameter(text);
  if (!version.ok()) return kube::ToStatus(kube::BadRequest(ToStd(version.status().message())));
  if (version->empty() || *version == "0") return std::optional<int64_t>();
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(version->data(), version->data() + version->size(), number);
  if (error != std::errc() || number > newest) {
    return kube::ToStatus(kube::TooLargeResourceVersion(text, std::to_string(newest)));
  }
  return std::optional<int64_t>(number);
}

absl::StatusOr<kube::ListPage> ListObjects(VersionTable& table, const kube::ResourceType& type,
                                           const ObjectFilter& filter,
                                           const kube::ListOptions& options, int64_t newest) {
  ASSIGN_OR_RETURN(Start start, StartOf(table, filter, options, newest));
  const size_t limit =
      options.limit > 0 ? static_cast<size_t>(options.limit) : std::numeric_limits<size_t>::max();
  const std::string resource = type.gvr().GroupResource();
  kube::ListPage page;
  page.resource_version = std::to_string(start.revision);
  size_t bytes = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<Version> versions,
                     table.List(resource, start.range, start.revision, kScan, kScanBytes));
    if (versions.empty()) return page;
    for (const Version& version : versions) {
      if (filter.selective()) {
        ASSIGN_OR_RETURN(const bool matches, filter.Matches(version.key, version.body));
        if (!matches) continue;
      }
      // There is one more object than the page takes.
      if (page.items.size() == limit || (options.limit > 0 && bytes > kScanBytes)) {
        page.continue_token = ContinueToken{start.revision, *start.range.after}.Encode();
        return page;
      }
      page.items.push_back(RenderRaw(type.gvk, version.revision, version.body));
      bytes += version.body.size();
      start.range.after = version.key;
    }
    start.range.after = versions.back().key;
  }
}

}  // namespace steward::storage
