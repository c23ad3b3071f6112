// Structural schemas: what a CustomResourceDefinition (openAPIV3Schema) says of its objects.
// Immutable values; thread-safe.
//
// Follows kube-apiserver 1.36 (k8s.io/apiextensions-apiserver, k8s.io/kube-openapi/pkg/validation):
// its rules, its field paths and its words. A library of JSON Schema cannot do this: its paths,
// words and order of checks differ, and nullable, int-or-string, pruning, defaulting and the
// tolerance for values that an update leaves alone are Kubernetes' own.
//
// These are not enforced: x-kubernetes-validations (CEL), x-kubernetes-list-type, the metadata of
// embedded resources, patterns that RE2 cannot do (look-around and back-references), and the
// formats that formats.h does not know.
#ifndef KUBE_SCHEMA_SCHEMA_H_
#define KUBE_SCHEMA_SCHEMA_H_

#include <boost/json/object.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/status.h"

namespace steward::kube {

struct SchemaNode;

class Schema {
 public:
  // Levels of a schema; what lies deeper is not checked.
  static constexpr int kMaxDepth = 100;
  // Causes of one refusal.
  static constexpr size_t kMaxCauses = 100;
  // Limit of the checks for one object: each value counts once for each schema that checks it.
  static constexpr int64_t kMaxSteps = 1 << 20;

  // `json` is the text of an openAPIV3Schema. kInvalidArgument when it is no JSON object. Keywords
  // that are unknown, or of another type than they should have, are ignored.
  static absl::StatusOr<Schema> Parse(std::string_view json);

  // Makes `object`, a whole resource, what a server would decode: drops fields that the schema does
  // not know and nulls that it does not allow, then fills in defaults. apiVersion, kind and
  // metadata stay as they are.
  void Complete(boost::json::object& object) const;

  // The causes of a 422, empty when `object` is valid. Problems in values that are equal in
  // `stored` (null = a new object) are tolerated, as Kubernetes does in an update. An object that
  // would take more than kMaxSteps is refused.
  std::vector<StatusCause> Validate(const boost::json::object& object,
                                    const boost::json::object* stored) const;

 private:
  explicit Schema(std::shared_ptr<const SchemaNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const SchemaNode> root_;
};

}  // namespace steward::kube

#endif  // KUBE_SCHEMA_SCHEMA_H_
