#include "storage/operators/watched_operators.h"

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

ReflectorOptions CsvOptions() {
  ReflectorOptions options;
  options.gvr = olm::kCsvs;
  options.may_be_absent = true;
  options.label_selector = StrCat("!", olm::kCopiedFromLabel);
  // Real ClusterServiceVersions are tens of kB each.
  options.page_size = 100;
  return options;
}

ReflectorOptions OperatorGroupOptions() {
  ReflectorOptions options;
  options.gvr = olm::kOperatorGroups;
  options.may_be_absent = true;
  return options;
}

ReflectorOptions NamespaceOptions() {
  ReflectorOptions options;
  options.gvr = kube::kNamespaces;
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
