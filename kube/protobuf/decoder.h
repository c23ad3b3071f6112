// Reads objects in Kubernetes' binary form, which typed clients send for the kinds of Kubernetes'
// own. Its messages are in the .proto files beside.
#ifndef KUBE_PROTOBUF_DECODER_H_
#define KUBE_PROTOBUF_DECODER_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::kube {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

// `body` as the JSON form has it: kind, apiVersion, then the other members but those that are empty
// or that the .proto files don't list. Where the body doesn't say its version or its kind, it is
// that of `expected`; whether they are the expected ones otherwise was not checked. Errors:
// - kUnimplemented: a kind that has no message here;
// - kResourceExhausted: larger than JsonLimits::max_size;
// - kInvalidArgument: not the binary form of that kind, or something in it has no JSON form (text
//   that is not UTF-8, a year beyond 9999).
absl::StatusOr<boost::json::object> DecodeProtobuf(std::string_view body,
                                                   const GroupVersionKind& expected);

}  // namespace steward::kube

#endif  // KUBE_PROTOBUF_DECODER_H_
