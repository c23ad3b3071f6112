// Writes what a resource answers in the form that the client asked for.
#ifndef APISERVER_REST_ENCODER_H_
#define APISERVER_REST_ENCODER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/negotiation.h"
#include "apiserver/rest/parameters.h"
#include "apiserver/rest/resource.h"
#include "base/async/task.h"
#include "base/splice/deflated_texts.h"

namespace steward::rest {

struct Encoding {
  OutputFormat format;
  IncludeObject include_object = IncludeObject::kMetadata;  // for Tables
  // Where compressed text is kept; null: the client doesn't take gzip. Outlives the answer.
  DeflatedTexts* gzip = nullptr;
  int status = 200;
  std::vector<std::string> warnings;  // printable ASCII; sent as Warning headers (code 299)
};

// 406 when the form does not fit: PartialObjectMetadata of a list, or PartialObjectMetadataList of
// one object.
absl::Status CheckForm(const Resource& resource, const OutputFormat& format, bool is_list);

// The whole response. Lists are streamed: memory does not depend on their length, and other work of
// the thread gets its turns while a long one is written. Errors with nothing sent are to be
// answered: an object could not be encoded, or the cursor failed. Any other means that the client
// is gone or that the body breaks off; it must not be finished then. Parameters by reference must
// outlive the task. REQUIRES: CheckForm is OK.
StatusTask WriteList(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                     Reading reading);
// REQUIRES: `reading` has one object.
StatusTask WriteObject(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                       Reading reading);
// `json`, a compact JSON document, as it stands but for its layout: forms are for objects.
StatusTask WriteDocument(http::ResponseWriter& writer, Encoding encoding, std::string json);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODER_H_
