#include "apiserver/rest/handler.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/body_stream.h"
#include "apiserver/rest/encoder.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/etag.h"
#include "apiserver/rest/negotiation.h"
#include "apiserver/rest/parameters.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// Resources by plural, by group and version.
using Routes =
    std::map<std::pair<std::string, std::string>, std::map<std::string, Resource, std::less<>>>;

absl::Status NotFoundPath() { return kube::ToStatus(kube::NotFoundPath()); }
absl::Status MethodNotAllowed() { return kube::ToStatus(kube::MethodNotAllowed()); }

// RequestInfo keeps no trace of path segments behind the subresource nor of a namespace that the
// resource doesn't have; the path itself does.
bool PathFits(const http::Request& request, const Resource& resource) {
  const http::RequestInfo& info = request.info;
  if (!resource.descriptor.namespaced && !info.ns.empty()) return false;
  std::string path = StrCat("/apis/", info.group, "/", info.version);
  if (!info.ns.empty()) StrAppend(&path, "/namespaces/", info.ns);
  StrAppend(&path, "/", info.resource);
  // A list may have a name too: that of its field selector.
  if (info.verb == "get") {
    if (resource.descriptor.namespaced && info.ns.empty()) return false;
    StrAppend(&path, "/", info.name);
    if (!info.subresource.empty()) StrAppend(&path, "/", info.subresource);
  }
  std::string_view asked = request.path;
  if (asked.ends_with('/')) asked.remove_suffix(1);
  return asked == path;
}

kube::NamespacedName NameOf(const http::Request& request) {
  return {request.info.ns, request.info.name};
}

StatusTask ServeList(const Resource& resource, const http::Request& request,
                     http::ResponseWriter& writer) {
  Encoding encoding;
  CO_ASSIGN_OR_RETURN(encoding.format, NegotiateResource(request));
  CO_ASSIGN_OR_RETURN(ListParameters parameters, ParseListParameters(request, resource));
  if (parameters.watch || resource.list == nullptr) co_return MethodNotAllowed();
  CO_RETURN_IF_ERROR(CheckForm(resource, encoding.format, /*is_list=*/true));
  if (encoding.format.form == Form::kTable) {
    CO_ASSIGN_OR_RETURN(encoding.include_object, ParseIncludeObject(request));
  }
  encoding.gzip = AcceptsGzip(request);
  absl::StatusOr<Reading> reading =
      co_await resource.list->List(parameters.selection, parameters.read);
  if (!reading.ok()) co_return reading.status();
  co_return co_await WriteList(writer, resource, std::move(encoding), *std::move(reading));
}

StatusTask ServeGet(const Resource& resource, const http::Request& request,
                    http::ResponseWriter& writer) {
  if (resource.get == nullptr) co_return MethodNotAllowed();
  Encoding encoding;
  CO_ASSIGN_OR_RETURN(encoding.format, NegotiateResource(request));
  CO_ASSIGN_OR_RETURN(const ReadOptions options, ParseGetParameters(request));
  CO_RETURN_IF_ERROR(CheckForm(resource, encoding.format, /*is_list=*/false));
  if (encoding.format.form == Form::kTable) {
    CO_ASSIGN_OR_RETURN(encoding.include_object, ParseIncludeObject(request));
  }
  encoding.gzip = AcceptsGzip(request);
  const kube::NamespacedName name = NameOf(request);
  absl::StatusOr<Reading> reading = co_await resource.get->Get(name, options);
  if (!reading.ok()) co_return reading.status();
  co_return co_await WriteObject(writer, resource, std::move(encoding), *std::move(reading));
}

StatusTask ServeBlob(const Subresource& subresource, const http::Request& request,
                     http::ResponseWriter& writer) {
  if (subresource.get == nullptr) co_return MethodNotAllowed();
  const kube::NamespacedName name = NameOf(request);
  absl::StatusOr<Blob> blob = co_await subresource.get->GetBlob(name);
  if (!blob.ok()) co_return blob.status();

  http::ResponseHead head;
  if (!blob->etag.empty()) head.headers.Set("ETag", blob->etag);
  if (ClientHolds(request, blob->etag)) {
    head.status = 304;
    CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
    co_return co_await writer.Finish();
  }
  head.headers.Set("Content-Type", blob->content_type);
  // The bytes are somebody else's: an SVG opened by itself must not run scripts as this server.
  head.headers.Set("X-Content-Type-Options", "nosniff");
  head.headers.Set("Content-Security-Policy",
                   "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  BodyStream body(writer, std::move(head), /*gzip=*/false);
  body.buffer() = std::move(blob->bytes);
  co_return co_await body.Finish();
}

const Subresource* FindSubresource(const Resource& resource, std::string_view name) {
  for (const Subresource& subresource : resource.subresources) {
    if (subresource.name == name) return &subresource;
  }
  return nullptr;
}

StatusTask ServeResource(const Resource& resource, const http::Request& request,
                         http::ResponseWriter& writer) {
  const http::RequestInfo& info = request.info;
  const Subresource* subresource = nullptr;
  if (!info.subresource.empty()) {
    subresource = FindSubresource(resource, info.subresource);
    if (subresource == nullptr) co_return NotFoundPath();
  }
  if (request.method != "GET") co_return MethodNotAllowed();
  if (!PathFits(request, resource)) co_return NotFoundPath();
  if (subresource != nullptr) co_return co_await ServeBlob(*subresource, request, writer);
  if (info.verb == "get") co_return co_await ServeGet(resource, request, writer);
  co_return co_await ServeList(resource, request, writer);
}

VoidTask Serve(std::shared_ptr<const Routes> routes, const http::Request& request,
               http::ResponseWriter& writer) {
  const http::RequestInfo& info = request.info;
  const auto version = routes->find({info.group, info.version});
  if (!info.is_resource || version == routes->end()) {
    // Nobody is left to tell when the client is gone.
    (void)co_await RespondNoSuchPath(writer);
    co_return;
  }
  const auto resource = version->second.find(info.resource);
  absl::Status status = NotFoundPath();
  if (resource != version->second.end()) {
    status = co_await ServeResource(resource->second, request, writer);
  }
  if (!status.ok() && writer.status() == 0) {
    (void)co_await RespondError(request, writer, std::move(status));
  }
}

}  // namespace

http::Handler MakeResourceHandler(std::vector<Resource> resources) {
  auto routes = std::make_shared<Routes>();
  for (Resource& resource : resources) {
    const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
    auto& version = (*routes)[{gvk.group, gvk.version}];
    std::string plural = resource.descriptor.plural;
    version.emplace(std::move(plural), std::move(resource));
  }
  return [routes = std::shared_ptr<const Routes>(std::move(routes))](http::Request& request,
                                                                     http::ResponseWriter& writer) {
    return Serve(routes, request, writer);
  };
}

}  // namespace steward::rest
