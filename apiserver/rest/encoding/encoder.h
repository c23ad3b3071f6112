// The encoding of a resource's answers in the form that the client asked for. Each task runs on its
// caller's executor.
#ifndef APISERVER_REST_ENCODING_ENCODER_H_
#define APISERVER_REST_ENCODING_ENCODER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "base/splice/deflated_texts.h"

namespace steward::rest {

struct Encoding {
  OutputFormat format;
  IncludeObject include_object = IncludeObject::kMetadata;  // for Tables
  // The kept compressed texts; null: the client does not accept gzip. Outlives the response.
  DeflatedTexts* gzip = nullptr;
  int status = 200;
  std::vector<std::string> warnings;  // printable ASCII; sent as Warning headers (code 299)
};

// 406 when the form does not apply: PartialObjectMetadata of a list, or PartialObjectMetadataList
// of one object.
absl::Status CheckForm(const Resource& resource, const OutputFormat& format, bool is_list);

// Writes the whole response. Lists are streamed: memory does not depend on their length, and other
// work of the thread gets its turns while a long one is written. The caller must answer an error
// when nothing was sent yet: an object could not be encoded, or the cursor failed. Any other error
// means that the client is gone or that the body is incomplete and must not be finished. Parameters
// passed by reference must outlive the task. REQUIRES: CheckForm is OK.
StatusTask WriteList(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                     Reading reading);
// REQUIRES: `reading` has exactly one object.
StatusTask WriteObject(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                       Reading reading);
// Writes `json`, a compact JSON document, in the layout of `encoding`. Ignores the form, because it
// applies to objects only.
StatusTask WriteDocument(http::ResponseWriter& writer, Encoding encoding, std::string json);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_ENCODER_H_
