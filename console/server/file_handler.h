// The handler that answers with the files of an index. Thread-safe.
#ifndef CONSOLE_SERVER_FILE_HANDLER_H_
#define CONSOLE_SERVER_FILE_HANDLER_H_

#include <memory>
#include <string>

#include "apiserver/http/message/message.h"
#include "console/server/file_index.h"

namespace steward::console {

struct FileHandlerOptions {
  // The file that answers "/" and, because the page routes its own paths, every path without a file
  // and without a file's extension. "" = none.
  std::string page;
  // Fields of every answer, in addition to those of the file.
  http::Headers headers;
};

// Answers GET and HEAD: 200, or 304 where If-None-Match names the file's ETag; gzip if the client
// accepts it. Other requests get 404, or 405 with Allow.
http::Handler ServeFiles(std::shared_ptr<const FileIndex> files, FileHandlerOptions options);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_FILE_HANDLER_H_
