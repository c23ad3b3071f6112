// The encoder of a watch's events as frames: one line of JSON each. Not thread-safe.
#ifndef APISERVER_REST_ENCODING_WATCH_ENCODER_H_
#define APISERVER_REST_ENCODING_WATCH_ENCODER_H_

#include <string>

#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "base/splice/rope.h"
#include "kube/meta/status.h"

namespace steward::rest {

// Encodes one client's frames, in the form it asked for, by Kubernetes' rules:
//  - in a Table, only the first frame contains the columns;
//  - a bookmark has kind, apiVersion, metadata.resourceVersion and perhaps an annotation, and as a
//    Table one row of empty cells.
class WatchEncoder {
 public:
  // `resource` outlives the encoder. REQUIRES: the form is that of a single object.
  WatchEncoder(const Resource& resource, OutputFormat format, IncludeObject include_object);

  // Appends {"type":...,"object":...} and a newline.
  void Append(const WatchEvent& event, Rope& out);
  // Appends a frame of type ERROR, the last of a stream.
  static void AppendError(const kube::Status& status, std::string& out);

 private:
  void AppendBookmark(const WatchEvent& event, std::string& out) const;
  void AppendBookmarkRow(const WatchEvent& event, std::string& out) const;
  void AppendTable(const WatchEvent& event, Rope& out);

  const Resource& resource_;
  const OutputFormat format_;
  const IncludeObject include_object_;
  bool columns_sent_ = false;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_WATCH_ENCODER_H_
