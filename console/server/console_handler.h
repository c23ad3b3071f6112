// The handler of all requests to the console, in both of its modes. As thread-safe as the handler
// for the API, otherwise thread-safe.
#ifndef CONSOLE_SERVER_CONSOLE_HANDLER_H_
#define CONSOLE_SERVER_CONSOLE_HANDLER_H_

#include <memory>
#include <string>

#include "apiserver/http/message/message.h"
#include "console/server/access.h"
#include "console/server/file_index.h"

namespace steward::console {

// Serves the files of a plugin of the OpenShift console, and /healthz, /livez and /readyz.
http::Handler PluginHandler(std::shared_ptr<const FileIndex> files);

struct StandaloneParts {
  std::shared_ptr<const FileIndex> files;
  http::Handler api;  // answers paths that are an IsApiPath
  Authentication authentication = Authentication::kToken;
  std::string version;  // of this program
};

// The console without OpenShift: the files at "/", index.html for every path of a page, the page's
// configuration at /console-config.json, the API by `api`, and health. With kKubeconfig, a request
// whose Host does not name this machine itself is answered with 403.
http::Handler StandaloneHandler(StandaloneParts parts);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_CONSOLE_HANDLER_H_
