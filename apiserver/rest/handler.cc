#include "apiserver/rest/handler.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/encoding/body_stream.h"
#include "apiserver/rest/encoding/encoder.h"
#include "apiserver/rest/encoding/errors.h"
#include "apiserver/rest/mutation_handler.h"
#include "apiserver/rest/negotiation/etag.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/page_getter.h"
#include "apiserver/rest/watch_handler.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// Resources by plural, by group and version.
using Routes =
    std::map<std::pair<std::string, std::string>, std::map<std::string, Resource, std::less<>>>;

absl::Status NotFoundPath() { return kube::ToStatus(kube::NotFoundPath()); }

struct Verb {
  std::string_view name;
  std::string_view method;
  bool of_object;  // of one object, not of the collection
};

constexpr Verb kVerbs[] = {
    {"get", "GET", true},       {"list", "GET", false},  {"watch", "GET", false},
    {"create", "POST", false},  {"update", "PUT", true}, {"patch", "PATCH", true},
    {"delete", "DELETE", true},
};

// Null if info.verb, which is the authorized verb, does not belong to `method` or to the kind of
// path.
const Verb* FindVerb(const http::RequestInfo& info, const std::string& method) {
  for (const Verb& verb : kVerbs) {
    if (verb.name != info.verb || verb.method != method) continue;
    // A list may have a name, too: that of its field selector.
    if (verb.method != "GET" && verb.of_object == info.name.empty()) return nullptr;
    return &verb;
  }
  return nullptr;
}

// The request info of a Namespace says that the object is in its own namespace.
std::string_view NamespaceOf(const http::RequestInfo& info, const Resource& resource) {
  const bool is_namespace = info.group.empty() && info.resource == "namespaces";
  return is_namespace && !resource.descriptor.namespaced ? std::string_view() : info.ns;
}

// RequestInfo does not contain path segments behind the subresource, nor a namespace that the
// resource does not have; the path itself does.
bool PathFits(const http::Request& request, const Resource& resource, bool of_object) {
  const http::RequestInfo& info = request.info;
  const bool namespaced = resource.descriptor.namespaced;
  const std::string_view ns = NamespaceOf(info, resource);
  if (!namespaced && !ns.empty()) return false;
  if (namespaced && of_object && ns.empty()) return false;
  std::string path = info.group.empty() ? "/api/" : StrCat("/apis/", info.group, "/");
  path += info.version;
  if (!ns.empty()) StrAppend(&path, "/namespaces/", ns);
  StrAppend(&path, "/", info.resource);
  if (of_object) StrAppend(&path, "/", info.name);
  if (!info.subresource.empty()) StrAppend(&path, "/", info.subresource);
  std::string_view asked = request.path;
  if (asked.ends_with('/')) asked.remove_suffix(1);
  return asked == path;
}

kube::NamespacedName NameOf(const http::Request& request, const Resource& resource) {
  return {std::string(NamespaceOf(request.info, resource)), request.info.name};
}

absl::Status MethodNotAllowed(const http::Request& request, const Resource& resource) {
  kube::Status status = kube::MethodNotAllowed();
  const std::string& method = request.method;
  const bool writes =
      method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
  if (writes && resource.where_to_write) {
    StrAppend(&status.message, ": ", resource.where_to_write(NameOf(request, resource)));
  }
  return kube::ToStatus(status);
}

// Kubernetes refuses, for every resource, names that would change the meaning of a path.
absl::Status CheckPathName(const std::string& name) {
  std::string why;
  if (name == "." || name == "..") why = StrCat("may not be '", name, "'");
  if (name.find('%') != std::string::npos) why = "may not contain '%'";
  if (why.empty()) return absl::OkStatus();
  return kube::ToStatus(
      kube::BadRequest(StrCat("Name parameter invalid: ", kube::Quote(name), ": ", why)));
}

// Checks the form, and reads a Table's further option. Called after the read, so that its errors,
// such as 404, take precedence.
absl::Status SetForm(const Resource& resource, const http::Request& request, bool is_list,
                     Encoding& encoding) {
  RETURN_IF_ERROR(CheckForm(resource, encoding.format, is_list));
  if (encoding.format.form == Form::kTable) {
    ASSIGN_OR_RETURN(encoding.include_object, ParseIncludeObject(request));
  }
  return absl::OkStatus();
}

StatusTask ServeList(const Resource& resource, const HandlerOptions& options,
                     const http::Request& request, http::ResponseWriter& writer) {
  Encoding encoding;
  CO_ASSIGN_OR_RETURN(encoding.format, NegotiateResource(request));
  CO_ASSIGN_OR_RETURN(ListParameters parameters, ParseListParameters(request, resource));
  encoding.gzip = AcceptsGzip(request) ? options.texts.get() : nullptr;
  absl::StatusOr<Reading> reading =
      co_await resource.list->List(parameters.selection, parameters.read);
  if (!reading.ok()) co_return reading.status();
  CO_RETURN_IF_ERROR(SetForm(resource, request, /*is_list=*/true, encoding));
  co_return co_await WriteList(writer, resource, std::move(encoding), *std::move(reading));
}

StatusTask ServeGet(const Resource& resource, Getter& getter, const HandlerOptions& options,
                    const http::Request& request, http::ResponseWriter& writer) {
  Encoding encoding;
  CO_ASSIGN_OR_RETURN(encoding.format, NegotiateResource(request));
  CO_ASSIGN_OR_RETURN(const ReadOptions read, ParseGetParameters(request));
  encoding.gzip = AcceptsGzip(request) ? options.texts.get() : nullptr;
  absl::StatusOr<Reading> reading = co_await getter.Get(NameOf(request, resource), read);
  if (!reading.ok()) co_return reading.status();
  CO_RETURN_IF_ERROR(SetForm(resource, request, /*is_list=*/false, encoding));
  co_return co_await WriteObject(writer, resource, std::move(encoding), *std::move(reading));
}

StatusTask ServeBlob(BlobGetter& getter, kube::NamespacedName name, const http::Request& request,
                     http::ResponseWriter& writer) {
  absl::StatusOr<Blob> blob = co_await getter.GetBlob(name);
  if (!blob.ok()) co_return blob.status();

  http::ResponseHead head;
  if (!blob->etag.empty()) head.headers.Set("ETag", blob->etag);
  if (ClientHolds(request, blob->etag)) {
    head.status = 304;
    CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
    co_return co_await writer.Finish();
  }
  head.headers.Set("Content-Type", blob->content_type);
  // The bytes come from others: an SVG opened by itself must not run scripts under this server's
  // name.
  head.headers.Set("X-Content-Type-Options", "nosniff");
  head.headers.Set("Content-Security-Policy",
                   "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  BodyStream body(writer, std::move(head), /*gzip=*/nullptr);
  body.buffer().text() = std::move(blob->bytes);
  co_return co_await body.Finish();
}

StatusTask ServePage(PageGetter& getter, kube::NamespacedName name, const HandlerOptions& options,
                     const http::Request& request, http::ResponseWriter& writer) {
  const std::optional<OutputFormat> format = NegotiatePlain(request);
  if (!format.has_value()) co_return NotAcceptable();
  CO_ASSIGN_OR_RETURN(PageParameters parameters, ParsePageParameters(request));
  PageRequest page;
  page.name = std::move(name);
  page.limit = parameters.limit;
  page.continue_token = std::move(parameters.continue_token);
  page.audit_id = request.audit_id;
  page.traceparent = request.traceparent;
  CO_ASSIGN_OR_RETURN(std::string json, co_await getter.GetPage(request.user, std::move(page)));
  Encoding encoding;
  encoding.format = *format;
  encoding.gzip = AcceptsGzip(request) ? options.texts.get() : nullptr;
  co_return co_await WriteDocument(writer, std::move(encoding), std::move(json));
}

const Subresource* FindSubresource(const Resource& resource, std::string_view name) {
  for (const Subresource& subresource : resource.subresources) {
    if (subresource.name == name) return &subresource;
  }
  return nullptr;
}

StatusTask Refuse(absl::Status status) { co_return status; }

StatusTask ServeSubresource(const Resource& resource, const Subresource& subresource,
                            const HandlerOptions& options, const http::Request& request,
                            http::ResponseWriter& writer) {
  const std::string& verb = request.info.verb;
  if (verb == "get" && subresource.get_blob != nullptr) {
    return ServeBlob(*subresource.get_blob, NameOf(request, resource), request, writer);
  }
  if (verb == "get" && subresource.get_page != nullptr) {
    return ServePage(*subresource.get_page, NameOf(request, resource), options, request, writer);
  }
  if (verb == "get" && subresource.get_object != nullptr) {
    return ServeGet(resource, *subresource.get_object, options, request, writer);
  }
  if (verb == "update" && subresource.update != nullptr) {
    return ServeUpdate(resource, *subresource.update, NameOf(request, resource), request, writer);
  }
  if (verb == "patch" && subresource.patch != nullptr) {
    return ServePatch(resource, *subresource.patch, NameOf(request, resource), request, writer);
  }
  return Refuse(MethodNotAllowed(request, resource));
}

StatusTask ServeVerb(const Resource& resource, const HandlerOptions& options,
                     const http::Request& request, http::ResponseWriter& writer) {
  const std::string& verb = request.info.verb;
  if (verb == "get" && resource.get != nullptr) {
    return ServeGet(resource, *resource.get, options, request, writer);
  }
  if (verb == "list" && resource.list != nullptr)
    return ServeList(resource, options, request, writer);
  if (verb == "watch" && resource.watch != nullptr) {
    return ServeWatch(resource, request, writer,
                      {options.random, options.clock, options.min_request_timeout,
                       options.stop == nullptr ? nullptr : options.stop()});
  }
  if (verb == "create" && resource.create != nullptr) {
    return ServeCreate(resource, *resource.create, request, writer);
  }
  if (verb == "create" && resource.review != nullptr) {
    return ServeReview(resource, *resource.review, request, writer);
  }
  if (verb == "update" && resource.update != nullptr) {
    return ServeUpdate(resource, *resource.update, NameOf(request, resource), request, writer);
  }
  if (verb == "patch" && resource.patch != nullptr) {
    return ServePatch(resource, *resource.patch, NameOf(request, resource), request, writer);
  }
  if (verb == "delete" && resource.del != nullptr) {
    return ServeDelete(resource, *resource.del, NameOf(request, resource), request, writer);
  }
  return Refuse(MethodNotAllowed(request, resource));
}

StatusTask ServeResource(const Resource& resource, const HandlerOptions& options,
                         const http::Request& request, http::ResponseWriter& writer) {
  const http::RequestInfo& info = request.info;
  const Subresource* subresource = nullptr;
  if (!info.subresource.empty()) {
    subresource = FindSubresource(resource, info.subresource);
    if (subresource == nullptr) return Refuse(NotFoundPath());
  }
  const Verb* verb = FindVerb(info, request.method);
  if (verb == nullptr) return Refuse(MethodNotAllowed(request, resource));
  if (!PathFits(request, resource, verb->of_object)) return Refuse(NotFoundPath());
  if (verb->of_object) {
    if (absl::Status status = CheckPathName(info.name); !status.ok()) return Refuse(status);
  }
  if (subresource != nullptr) {
    return ServeSubresource(resource, *subresource, options, request, writer);
  }
  return ServeVerb(resource, options, request, writer);
}

// True for requests to a namespaced resource that name no namespace: only lists and watches may do
// so.
bool IsNowhere(const Resource& resource, const http::RequestInfo& info) {
  return resource.descriptor.namespaced && info.ns.empty() && info.verb != "list" &&
         info.verb != "watch";
}

struct State {
  HandlerOptions options;
  Routes routes;
};

VoidTask Serve(std::shared_ptr<const State> state, const http::Request& request,
               http::ResponseWriter& writer) {
  const http::RequestInfo& info = request.info;
  if (info.is_resource && state->options.available) {
    if (absl::Status status = state->options.available(); !status.ok()) {
      // An error means that the client is gone.
      (void)co_await RespondError(request, writer, std::move(status));
      co_return;
    }
  }
  const auto version = state->routes.find({info.group, info.version});
  const Resource* resource = nullptr;
  bool exists = info.is_resource && version != state->routes.end();
  if (exists) {
    const auto found = version->second.find(info.resource);
    if (found != version->second.end()) resource = &found->second;
    exists = resource == nullptr || !IsNowhere(*resource, info);
  }
  if (!exists) {
    // An error means that the client is gone.
    (void)co_await RespondNoSuchPath(writer);
    co_return;
  }
  absl::Status status;
  if (resource == nullptr) {
    status = NotFoundPath();
  } else {
    status = co_await ServeResource(*resource, state->options, request, writer);
  }
  if (!status.ok() && writer.status() == 0) {
    (void)co_await RespondError(request, writer, std::move(status));
  }
}

}  // namespace

http::Handler MakeResourceHandler(std::vector<Resource> resources, HandlerOptions options) {
  if (options.texts == nullptr) options.texts = std::make_shared<DeflatedTexts>();
  auto state = std::make_shared<State>(State{std::move(options), {}});
  for (Resource& resource : resources) {
    const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
    auto& version = state->routes[{gvk.group, gvk.version}];
    std::string plural = resource.descriptor.plural;
    version.emplace(std::move(plural), std::move(resource));
  }
  return [state = std::shared_ptr<const State>(std::move(state))](http::Request& request,
                                                                  http::ResponseWriter& writer) {
    return Serve(state, request, writer);
  };
}

}  // namespace steward::rest
