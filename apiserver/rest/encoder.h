// Writes what a resource answers in the form that the client asked for.
#ifndef APISERVER_REST_ENCODER_H_
#define APISERVER_REST_ENCODER_H_

#include "absl/status/status.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/negotiation.h"
#include "apiserver/rest/parameters.h"
#include "apiserver/rest/resource.h"
#include "base/async/task.h"

namespace steward::rest {

struct Encoding {
  OutputFormat format;
  IncludeObject include_object = IncludeObject::kMetadata;  // for Tables
  bool gzip = false;                                        // the client takes it
};

// 406 when the form does not fit: PartialObjectMetadata of a list, or PartialObjectMetadataList of
// one object.
absl::Status CheckForm(const Resource& resource, const OutputFormat& format, bool is_list);

// The whole 200 response. Lists are streamed: memory does not depend on their length. Errors mean
// that the client is gone, or, when nothing was sent yet, that the object could not be encoded.
// Parameters by reference must outlive the task. REQUIRES: CheckForm is OK.
StatusTask WriteList(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                     Reading reading);
// REQUIRES: `reading` has one object.
StatusTask WriteObject(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                       Reading reading);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODER_H_
