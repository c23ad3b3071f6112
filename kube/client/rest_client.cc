#include "kube/client/rest_client.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/async/on_executor.h"
#include "base/clock/time_limit.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/api_resources.h"
#include "kube/client/impersonation.h"
#include "kube/client/list_page.h"
#include "kube/client/provider_version.h"
#include "kube/client/refusing_client.h"
#include "kube/client/request_sender.h"
#include "kube/client/request_target.h"
#include "kube/client/watch_frame_reader.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/user_info.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;

using SenderPtr = std::shared_ptr<RequestSender>;
using Body = std::shared_ptr<const std::string>;

constexpr int kMaxJsonDepth = 128;

std::string_view WithoutPadding(const Body& body) {
  return std::string_view(*body).substr(0, body->size() - RawObject::kPadding);
}

// These functions run on the client's executor. They own all that they need, because their caller
// may be gone before they end.

Task<RawObject> FetchObject(SenderPtr sender, RestRequest request) {
  CO_ASSIGN_OR_RETURN(Body body, co_await sender->Fetch(std::move(request)));
  co_return RawObject{WithoutPadding(body), body};
}

Task<ListPage> FetchPage(SenderPtr sender, RestRequest request) {
  CO_ASSIGN_OR_RETURN(Body body, co_await sender->Fetch(std::move(request)));
  co_return ParseListPage(std::move(body));
}

Task<std::vector<ApiResource>> FetchResources(SenderPtr sender, RestRequest request,
                                              GroupVersion gv) {
  CO_ASSIGN_OR_RETURN(Body body, co_await sender->Fetch(std::move(request)));
  co_return ParseApiResources(WithoutPadding(body), gv);
}

Task<std::vector<GroupVersion>> FetchGroups(SenderPtr sender, RestRequest request) {
  CO_ASSIGN_OR_RETURN(Body body, co_await sender->Fetch(std::move(request)));
  co_return ParseApiGroups(WithoutPadding(body));
}

Task<boost::json::value> FetchJson(SenderPtr sender, RestRequest request) {
  CO_ASSIGN_OR_RETURN(Body body, co_await sender->Fetch(std::move(request)));
  const std::string_view text = WithoutPadding(body);
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::system::error_code error;
  boost::json::value value =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (error) {
    co_return absl::DataLossError(StrCat("the server's answer is not JSON: ", error.message()));
  }
  co_return value;
}

absl::StatusOr<NamespacedName> NameIn(const boost::json::value& object) {
  NamespacedName name = NameOf(object);
  if (name.name.empty()) return absl::InvalidArgumentError("the object has no metadata.name");
  return name;
}

std::string MediaType(PatchType type) {
  switch (type) {
    case PatchType::kJsonMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is YAML
  }
  return "application/json";
}

// The Accept header of a list or a watch. Servers that do not know the first media type in it send
// the second.
std::string Accepted(bool metadata_only, std::string_view form) {
  if (!metadata_only) return "application/json";
  return StrCat("application/json;as=", form, ";g=meta.k8s.io;v=v1,application/json");
}

boost::json::object DeleteBody(const DeleteOptions& options) {
  boost::json::object body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  boost::json::object preconditions;
  if (!options.uid.empty()) preconditions["uid"] = options.uid;
  if (!options.resource_version.empty()) {
    preconditions["resourceVersion"] = options.resource_version;
  }
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  switch (options.propagation) {
    case DeleteOptions::Propagation::kDefault:
      break;
    case DeleteOptions::Propagation::kBackground:
      body["propagationPolicy"] = "Background";
      break;
    case DeleteOptions::Propagation::kForeground:
      body["propagationPolicy"] = "Foreground";
      break;
    case DeleteOptions::Propagation::kOrphan:
      body["propagationPolicy"] = "Orphan";
      break;
  }
  if (options.dry_run) body["dryRun"] = boost::json::array{"All"};
  return body;
}

// A watch's state. Used only within Next: on the caller's executor while frames are buffered, on
// the client's executor while reading.
struct WatchState {
  SenderPtr sender;
  ConnectionPool::Lease lease;
  WatchFrameReader reader;
  absl::Time must_end_by;
  bool over = false;
};

Task<std::optional<WatchEvent>> ReadEvent(std::shared_ptr<WatchState> state) {
  Clock& clock = state->sender->clock();
  const absl::Duration silence = state->sender->options().watch_silence;
  while (true) {
    const absl::Duration limit = std::min(silence, state->must_end_by - clock.Now());
    if (limit <= absl::ZeroDuration()) {
      co_return absl::DeadlineExceededError("the watch did not end when it should have");
    }
    absl::StatusOr<bool> more =
        co_await WithTimeout(clock, limit, "watch", state->lease->ReadBody(state->reader.buffer()));
    CO_RETURN_IF_ERROR(more.status());
    if (!*more) {
      state->lease.Recycle();
      CO_RETURN_IF_ERROR(state->reader.Finish());
      co_return std::nullopt;
    }
    CO_ASSIGN_OR_RETURN(std::optional<WatchEvent> event, state->reader.Next());
    if (event) co_return std::move(event);
  }
}

class RestWatch : public Watch {
 public:
  RestWatch(asio::any_io_executor executor, std::shared_ptr<WatchState> state)
      : executor_(std::move(executor)), state_(std::move(state)) {}

  // The connection must be closed on its own executor.
  ~RestWatch() override {
    asio::post(executor_, [state = std::move(state_)] {});
  }

  Task<std::optional<WatchEvent>> Next() override {
    std::shared_ptr<WatchState> state = state_;
    if (state->over) co_return std::nullopt;
    // set first: the watch is over however this call ends, also by a cancellation
    state->over = true;
    CO_ASSIGN_OR_RETURN(std::optional<WatchEvent> event, state->reader.Next());
    if (!event) {
      CO_ASSIGN_OR_RETURN(event, co_await OnExecutor(executor_, ReadEvent(state)));
    }
    state->over = !event.has_value();
    co_return std::move(event);
  }

 private:
  const asio::any_io_executor executor_;
  std::shared_ptr<WatchState> state_;
};

Task<std::unique_ptr<Watch>> OpenWatch(asio::any_io_executor executor, SenderPtr sender,
                                       RestRequest request, absl::Duration lifetime) {
  CO_ASSIGN_OR_RETURN(ConnectionPool::Lease lease, co_await sender->Open(std::move(request)));
  auto state = std::make_shared<WatchState>();
  state->must_end_by = sender->clock().Now() + lifetime + sender->options().watch_grace;
  state->sender = std::move(sender);
  state->lease = std::move(lease);
  co_return std::make_unique<RestWatch>(std::move(executor), std::move(state));
}

constexpr size_t kMaxVersionBytes = 64 << 10;
constexpr size_t kMaxOpenApiBytes = 16 << 20;

class RestClient : public Client, public ProviderVersions {
 public:
  // `impersonation` as in RestRequest. `acts_for_good`: it comes from the configuration.
  RestClient(asio::any_io_executor executor, RestClientOptions options, SenderPtr sender,
             std::string impersonation, bool acts_for_good)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        sender_(std::move(sender)),
        impersonation_(std::move(impersonation)),
        acts_for_good_(acts_for_good) {}

  ~RestClient() override {
    asio::post(executor_, [sender = std::move(sender_)] {});
  }

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override {
    CO_ASSIGN_OR_RETURN(std::string target, ObjectTarget(gvr, name));
    RestRequest request = ReadRequest(std::move(target));
    co_return co_await OnExecutor(executor_, FetchObject(sender_, std::move(request)));
  }

  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override {
    CO_ASSIGN_OR_RETURN(std::string target, ListTarget(gvr, options));
    RestRequest request = ReadRequest(std::move(target));
    request.timeout = options_.list_timeout;
    request.max_body_bytes = options_.max_list_bytes;
    if (options.max_bytes > 0 && options.max_bytes < request.max_body_bytes) {
      request.max_body_bytes = options.max_bytes;
    }
    request.accept = Accepted(options.metadata_only, "PartialObjectMetadataList");
    co_return co_await OnExecutor(executor_, FetchPage(sender_, std::move(request)));
  }

  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override {
    CO_ASSIGN_OR_RETURN(std::string target, WatchTarget(gvr, options));
    const absl::Duration lifetime = options.timeout;
    RestRequest request = ReadRequest(std::move(target));
    request.accept = Accepted(options.metadata_only, "PartialObjectMetadata");
    co_return co_await OnExecutor(executor_,
                                  OpenWatch(executor_, sender_, std::move(request), lifetime));
  }

  Task<boost::json::value> Create(const GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const WriteOptions& options) override {
    std::string target;
    if (options.subresource.empty()) {
      CO_ASSIGN_OR_RETURN(target, CreateTarget(gvr, ns, options));
    } else {
      // A subresource of one object, such as the token of a ServiceAccount.
      CO_ASSIGN_OR_RETURN(NamespacedName name, NameIn(object));
      name.ns = ns;
      CO_ASSIGN_OR_RETURN(target, WriteTarget(gvr, name, options));
    }
    RestRequest request = WriteRequest("POST", std::move(target), object, options);
    co_return co_await Write(std::move(request), options);
  }

  Task<boost::json::value> Update(const GroupVersionResource& gvr, const boost::json::value& object,
                                  const WriteOptions& options) override {
    CO_ASSIGN_OR_RETURN(NamespacedName name, NameIn(object));
    CO_ASSIGN_OR_RETURN(std::string target, WriteTarget(gvr, name, options));
    RestRequest request = WriteRequest("PUT", std::move(target), object, options);
    co_return co_await Write(std::move(request), options);
  }

  Task<boost::json::value> Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                 PatchType type, const boost::json::value& patch,
                                 const WriteOptions& options) override {
    if (type == PatchType::kApply && options.field_manager.empty()) {
      co_return absl::InvalidArgumentError("server-side apply needs a field manager");
    }
    CO_ASSIGN_OR_RETURN(std::string target, WriteTarget(gvr, name, options));
    RestRequest request = WriteRequest("PATCH", std::move(target), patch, options);
    request.content_type = MediaType(type);
    co_return co_await Write(std::move(request), options);
  }

  Task<boost::json::value> Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                  const DeleteOptions& options) override {
    CO_ASSIGN_OR_RETURN(std::string target, ObjectTarget(gvr, name));
    // Only the body counts. The query is for readers of audit logs, which leave bodies out.
    if (options.dry_run) target += "?dryRun=All";
    RestRequest request = BodyRequest("DELETE", std::move(target), DeleteBody(options));
    request.may_send = options.may_send;
    co_return co_await OnExecutor(executor_, FetchJson(sender_, std::move(request)));
  }

  Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) override {
    CO_ASSIGN_OR_RETURN(std::string target, DiscoveryTarget(gv));
    RestRequest request = ReadRequest(std::move(target));
    request.max_body_bytes = kMaxDiscoveryBytes;
    co_return co_await OnExecutor(executor_, FetchResources(sender_, std::move(request), gv));
  }

  Task<std::vector<GroupVersion>> DiscoverGroups() override {
    std::vector<GroupVersion> all;
    for (const char* target : {"/api", "/apis"}) {
      RestRequest request = ReadRequest(target);
      request.max_body_bytes = kMaxDiscoveryBytes;
      CO_ASSIGN_OR_RETURN(const std::vector<GroupVersion> some,
                          co_await OnExecutor(executor_, FetchGroups(sender_, std::move(request))));
      all.insert(all.end(), some.begin(), some.end());
    }
    co_return all;
  }

  Task<std::string> ServerVersion() override {
    RestRequest request = ReadRequest("/version");
    request.max_body_bytes = kMaxVersionBytes;
    CO_ASSIGN_OR_RETURN(const boost::json::value version,
                        co_await OnExecutor(executor_, FetchJson(sender_, std::move(request))));
    const boost::json::object* object = version.if_object();
    if (object != nullptr && !StringAt(*object, "gitVersion").empty()) {
      co_return std::string(StringAt(*object, "gitVersion"));
    }
    co_return absl::DataLossError("the server does not say its version");
  }

  Task<std::string> ProviderVersion(const GroupVersion& gv) override {
    CO_ASSIGN_OR_RETURN(const std::string target, DiscoveryTarget(gv));
    RestRequest request = ReadRequest(StrCat("/openapi/v3", target));
    request.max_body_bytes = kMaxOpenApiBytes;
    CO_ASSIGN_OR_RETURN(const boost::json::value document,
                        co_await OnExecutor(executor_, FetchJson(sender_, std::move(request))));
    const boost::json::object* object = document.if_object();
    const boost::json::object* info = object == nullptr ? nullptr : ObjectAt(*object, "info");
    if (info != nullptr && !StringAt(*info, "version").empty()) {
      co_return std::string(StringAt(*info, "version"));
    }
    co_return absl::DataLossError("the OpenAPI document does not say a version");
  }

  Task<absl::Time> ServerTime() override {
    RestRequest request = ReadRequest("/version");
    request.max_body_bytes = kMaxVersionBytes;
    const auto date = std::make_shared<std::optional<absl::Time>>();
    request.date = date;
    const auto answer = co_await OnExecutor(executor_, FetchJson(sender_, std::move(request)));
    // An error answer has a valid date, too.
    if (date->has_value()) co_return **date;
    CO_RETURN_IF_ERROR(answer.status());
    co_return absl::DataLossError("the server does not say what time it is");
  }

  std::unique_ptr<Client> As(const UserInfo& user) override {
    absl::Status refused = CheckActingUser(user);
    if (acts_for_good_) {
      refused = absl::FailedPreconditionError(
          "the configuration acts as somebody already (impersonation), and nobody can act as two");
    }
    if (!refused.ok()) return std::make_unique<RefusingClient>(std::move(refused));
    return std::make_unique<RestClient>(executor_, options_, sender_, ImpersonationHeaders(user),
                                        /*acts_for_good=*/false);
  }

 private:
  RestRequest Request(std::string method, std::string target, std::string body) const {
    RestRequest request{std::move(method), std::move(target), std::move(body),
                        options_.request_timeout, options_.max_object_bytes};
    request.impersonation = impersonation_;
    return request;
  }
  RestRequest ReadRequest(std::string target) const {
    return Request("GET", std::move(target), "");
  }
  RestRequest BodyRequest(std::string method, std::string target,
                          const boost::json::value& body) const {
    return Request(std::move(method), std::move(target), boost::json::serialize(body));
  }
  RestRequest WriteRequest(std::string method, std::string target, const boost::json::value& body,
                           const WriteOptions& options) const {
    RestRequest request = BodyRequest(std::move(method), std::move(target), body);
    request.traceparent = options.traceparent;
    request.may_send = options.may_send;
    if (options.on_warning) request.warnings = std::make_shared<std::vector<std::string>>();
    return request;
  }
  // Passes the warnings on here, because here the caller certainly still exists.
  Task<boost::json::value> Write(RestRequest request, const WriteOptions& options) {
    const std::shared_ptr<const std::vector<std::string>> warnings = request.warnings;
    absl::StatusOr<boost::json::value> answer =
        co_await OnExecutor(executor_, FetchJson(sender_, std::move(request)));
    if (warnings != nullptr) {
      for (const std::string& text : *warnings) options.on_warning(text);
    }
    co_return std::move(answer);
  }

  const asio::any_io_executor executor_;
  const RestClientOptions options_;
  SenderPtr sender_;
  const std::string impersonation_;
  const bool acts_for_good_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> MakeRestClient(const ClientConfig& config,
                                                       asio::any_io_executor executor, Clock& clock,
                                                       Random& random, RestClientOptions options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport,
                   Transport::Create(config, executor, clock, options.transport));
  auto sender = std::make_shared<RequestSender>(std::move(transport), clock, random, options);
  return std::make_unique<RestClient>(std::move(executor), std::move(options), std::move(sender),
                                      config.acting ? ImpersonationHeaders(*config.acting) : "",
                                      config.acting.has_value());
}

}  // namespace steward::kube
