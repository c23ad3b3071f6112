#include "storage/operators/watched_operators.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "olm/copy.h"
#include "olm/decode.h"
#include "olm/resources.h"
#include "storage/reflector/reflector.h"
#include "storage/world/source_set.h"

namespace steward::storage {
namespace {

// The limit of a page: some hundred objects of the usual size, or a few very large ones.
constexpr size_t kPageBytes = size_t{32} << 20;

ReflectorOptions CsvOptions() {
  ReflectorOptions options;
  options.gvr = olm::kCsvs;
  options.may_be_absent = true;
  options.label_selector = StrCat("!", olm::kCopiedFromLabel);
  // Real ClusterServiceVersions are tens of kB each.
  options.page_size = 100;
  options.page_bytes = kPageBytes;
  return options;
}

ReflectorOptions OperatorGroupOptions() {
  ReflectorOptions options;
  options.gvr = olm::kOperatorGroups;
  options.may_be_absent = true;
  options.page_bytes = kPageBytes;
  return options;
}

ReflectorOptions NamespaceOptions() {
  ReflectorOptions options;
  options.gvr = kube::kNamespaces;
  options.page_bytes = kPageBytes;
  return options;
}

}  // namespace

std::vector<WatchedSource> WatchedOperators() {
  return {
      {CsvOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> { return olm::DecodeCsv(json); }},
      {OperatorGroupOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> {
         return olm::DecodeOperatorGroup(json);
       }},
      {NamespaceOptions(),
       [](std::string_view json) -> absl::StatusOr<ObjectPtr> {
         return olm::DecodeNamespace(json);
       }},
  };
}

}  // namespace steward::storage
