#include "kube/testing/conformance/trial.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/clock/time_limit.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/conformance/objects.h"

namespace steward::kube::conformance {

namespace json = boost::json;

namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kPollPeriod = absl::Milliseconds(20);

std::string FreshId() {
  std::random_device random;
  return StrCat("conf-", absl::StrFormat("%08x", random()));
}

absl::StatusOr<json::value> Parse(const RawObject& object) {
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(object.json.data(), object.json.size()), error);
  if (error) return absl::DataLossError(StrCat("not JSON: ", object.json));
  return value;
}

std::string TypeName(WatchEvent::Type type) {
  switch (type) {
    case WatchEvent::Type::kAdded:
      return "ADDED";
    case WatchEvent::Type::kModified:
      return "MODIFIED";
    case WatchEvent::Type::kDeleted:
      return "DELETED";
    case WatchEvent::Type::kBookmark:
      return "BOOKMARK";
  }
  return "?";
}

std::string Describe(const absl::Status& status) {
  if (status.ok()) return "success";
  const Status said = FromStatus(status);
  return StrCat(said.code, " ", said.reason, ": ", said.message);
}

}  // namespace

Trial::Trial(Server& server) : server_(server), id_(FreshId()) {}

Trial::~Trial() {
  for (auto it = made_.rbegin(); it != made_.rend(); ++it) {
    const absl::Status ignored = Delete(it->gvr, {"", it->name}).status();
    static_cast<void>(ignored);
  }
}

std::string Trial::Namespace() {
  std::string name = StrCat(id_, "-", ++namespaces_);
  Ok("a namespace for the case", Create(kNamespaces, "", NamespaceNamed(name)));
  Created(kNamespaces, name);
  return name;
}

const GroupVersionResource& Trial::Widgets() {
  return server_.shared_widgets ? *server_.shared_widgets : OwnWidgets();
}

const GroupVersionResource& Trial::OwnWidgets() {
  if (!widgets_) {
    widgets_ = GroupVersionResource{id_ + ".example.com", "v1", "widgets"};
    Define(Definition(widgets_->group, "Widget", {"v1"}));
  }
  return *widgets_;
}

void Trial::Define(const json::value& definition) {
  Ok("a definition for the case", Create(kDefinitions, "", definition));
  Created(kDefinitions, At(definition, "metadata.name"));
  for (const json::value& version : definition.at("spec").at("versions").as_array()) {
    const GroupVersionResource gvr{At(definition, "spec.group"), At(version, "name"),
                                   At(definition, "spec.names.plural")};
    Eventually(StrCat(gvr.GroupResource(), " is served"),
               [&] { return List(gvr, ListOptions()).ok(); });
  }
}

void Trial::Created(const GroupVersionResource& gvr, const std::string& name) {
  made_.push_back({gvr, name});
}

Answer Trial::Get(const GroupVersionResource& gvr, const NamespacedName& name) {
  const absl::StatusOr<RawObject> object = RunOn(server_.io, server_.client.Get(gvr, name));
  if (!object.ok()) return object.status();
  return Parse(*object);
}

absl::StatusOr<Listed> Trial::List(const GroupVersionResource& gvr, const ListOptions& options) {
  const absl::StatusOr<ListPage> page = RunOn(server_.io, server_.client.List(gvr, options));
  if (!page.ok()) return page.status();
  Listed listed{page->resource_version, page->continue_token, {}};
  for (const RawObject& item : page->items) {
    absl::StatusOr<json::value> object = Parse(item);
    if (!object.ok()) return object.status();
    listed.items.push_back(*std::move(object));
  }
  return listed;
}

Answer Trial::Create(const GroupVersionResource& gvr, const std::string& ns,
                     const json::value& object, const WriteOptions& options) {
  return RunOn(server_.io, server_.client.Create(gvr, ns, object, options));
}

Answer Trial::Update(const GroupVersionResource& gvr, const json::value& object,
                     const WriteOptions& options) {
  return RunOn(server_.io, server_.client.Update(gvr, object, options));
}

Answer Trial::Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                    const json::value& patch, PatchType type, const WriteOptions& options) {
  return RunOn(server_.io, server_.client.Patch(gvr, name, type, patch, options));
}

Answer Trial::Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                     const DeleteOptions& options) {
  return RunOn(server_.io, server_.client.Delete(gvr, name, options));
}

absl::StatusOr<std::vector<ApiResource>> Trial::Discover(const GroupVersion& gv) {
  return RunOn(server_.io, server_.client.Discover(gv));
}

absl::StatusOr<std::vector<GroupVersion>> Trial::DiscoverGroups() {
  return RunOn(server_.io, server_.client.DiscoverGroups());
}

std::unique_ptr<Watch> Trial::StartWatch(const GroupVersionResource& gvr,
                                         const WatchOptions& options) {
  absl::StatusOr<std::unique_ptr<Watch>> watch =
      RunOn(server_.io, server_.client.StartWatch(gvr, options));
  if (watch.ok()) return *std::move(watch);
  Complain(StrCat("a watch is refused: ", Describe(watch.status())));
  return nullptr;
}

Event Trial::NextOfAll(const std::unique_ptr<Watch>& watch, absl::Duration patience) {
  if (!watch) return {"ERROR", nullptr, absl::FailedPreconditionError("no watch")};
  absl::StatusOr<std::optional<WatchEvent>> event =
      RunOn(server_.io, WithTimeout(Clock::Real(), patience, "an event", watch->Next()));
  if (!event.ok()) return {"ERROR", nullptr, event.status()};
  if (!*event) return {"END", nullptr, absl::OkStatus()};
  absl::StatusOr<json::value> object = Parse((*event)->object);
  if (!object.ok()) return {"ERROR", nullptr, object.status()};
  Eq("an event's resourceVersion", (*event)->resource_version,
     At(*object, "metadata.resourceVersion"));
  return {TypeName((*event)->type), *std::move(object), absl::OkStatus()};
}

Event Trial::Next(const std::unique_ptr<Watch>& watch) {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  Event event = NextOfAll(watch);
  while (event.type == "BOOKMARK") event = NextOfAll(watch, deadline - absl::Now());
  return event;
}

Event Trial::FirstOf(const GroupVersionResource& gvr, const WatchOptions& options) {
  absl::StatusOr<std::unique_ptr<Watch>> watch =
      RunOn(server_.io, server_.client.StartWatch(gvr, options));
  if (!watch.ok()) return {"ERROR", nullptr, watch.status()};
  return Next(*watch);
}

void Trial::RefusesWatch(std::string_view what, const GroupVersionResource& gvr,
                         const WatchOptions& options, int code, std::string_view reason,
                         std::string_view message) {
  Fails(what, RunOn(server_.io, server_.client.StartWatch(gvr, options)).status(), code, reason,
        message);
}

void Trial::True(std::string_view what, bool holds) {
  if (!holds) Complain(std::string(what));
}

void Trial::Eq(std::string_view what, std::string_view actual, std::string_view expected) {
  if (actual != expected) Complain(StrCat(what, ": \"", actual, "\", not \"", expected, "\""));
}

json::value Trial::Ok(std::string_view what, const Answer& answer) {
  if (answer.ok()) return *answer;
  Complain(StrCat(what, ": ", Describe(answer.status())));
  return nullptr;
}

Listed Trial::Ok(std::string_view what, const absl::StatusOr<Listed>& answer) {
  if (answer.ok()) return *answer;
  Complain(StrCat(what, ": ", Describe(answer.status())));
  return {};
}

void Trial::Fails(std::string_view what, const absl::Status& status, int code,
                  std::string_view reason, std::string_view message) {
  const std::string expected = StrCat(code, " ", reason, ": ...", message);
  const Status said = status.ok() ? Status{} : FromStatus(status);
  if (!status.ok() && said.code == code && said.reason == reason &&
      said.message.find(message) != std::string::npos) {
    return;
  }
  Complain(StrCat(what, ": \"", Describe(status), "\", not \"", expected, "\""));
}

void Trial::Fails(std::string_view what, const Answer& answer, int code, std::string_view reason,
                  std::string_view message) {
  Fails(what, answer.status(), code, reason, message);
}

void Trial::Fails(std::string_view what, const absl::StatusOr<Listed>& answer, int code,
                  std::string_view reason, std::string_view message) {
  Fails(what, answer.status(), code, reason, message);
}

json::value Trial::Told(std::string_view what, const Event& event, std::string_view type,
                        std::string_view name) {
  const std::string actual = StrCat(event.type, " ", At(event.object, "metadata.name"));
  if (actual != StrCat(type, " ", name)) {
    Complain(StrCat(what, ": ", actual, event.error.ok() ? "" : Describe(event.error), ", not ",
                    type, " ", name));
  }
  return event.object;
}

void Trial::Eventually(std::string_view what, const std::function<bool()>& holds) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (!holds()) {
    if (absl::Now() > deadline) {
      Complain(StrCat("not within ", absl::FormatDuration(kPatience), ": ", what));
      return;
    }
    RunOn(server_.io, Clock::Real().Sleep(kPollPeriod));
  }
}

void Trial::Complain(std::string text) { complaints_.push_back(std::move(text)); }

}  // namespace steward::kube::conformance
