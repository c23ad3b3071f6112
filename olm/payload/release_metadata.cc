#include "olm/payload/release_metadata.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/payload/release_version.h"

namespace steward::olm {
namespace {

constexpr std::string_view kKind = "cincinnati-metadata-v0";
constexpr JsonLimits kLimits = {.max_size = kMaxReleaseMetadata, .max_depth = 32};

}  // namespace

absl::StatusOr<std::string> ReadReleaseVersion(std::string_view json) {
  ASSIGN_OR_RETURN(const boost::json::value document, ParseJson(json, kLimits));
  const boost::json::object* metadata = document.if_object();
  if (metadata == nullptr) return absl::InvalidArgumentError("it is no JSON object");
  if (metadata->contains("kind") && StringAt(*metadata, "kind") != kKind) {
    return absl::InvalidArgumentError(StrCat("its kind is not ", kKind));
  }
  const std::string_view version = StringAt(*metadata, "version");
  if (version.empty()) return absl::InvalidArgumentError("it names no version");
  RETURN_IF_ERROR(ReleaseVersion::Parse(version).status());
  return std::string(version);
}

}  // namespace steward::olm
