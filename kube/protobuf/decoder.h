// A decoder for Kubernetes' binary form of objects, which typed clients send for built-in kinds.
// Thread-safe. The messages are in the .proto files of this folder.
#ifndef KUBE_PROTOBUF_DECODER_H_
#define KUBE_PROTOBUF_DECODER_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::kube {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

// Returns `body` in its JSON form: kind, apiVersion, then the other members, without those that are
// empty or that the .proto files do not list. A version or kind that is missing in the body is
// taken from `expected`; if they are there, they are not compared with `expected`. Errors:
//  - kUnimplemented: a kind that has no message here;
//  - kResourceExhausted: larger than JsonLimits::max_size;
//  - kInvalidArgument: not the binary form of that kind, or some value has no JSON form (text that
//    is not UTF-8, a year beyond 9999).
absl::StatusOr<boost::json::object> DecodeProtobuf(std::string_view body,
                                                   const GroupVersionKind& expected);

}  // namespace steward::kube

#endif  // KUBE_PROTOBUF_DECODER_H_
