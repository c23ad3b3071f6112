#include <string>

#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kBeforeCreate = "apiserver pkg/registry/rest/create.go BeforeCreate";
constexpr const char* kObjectMeta = "API conventions, Metadata";

void SetsSystemFields(Trial& t) {
  const std::string ns = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  json::value asked = Widget(widgets, "a");
  Set(asked, "metadata.labels.l", "v");
  Set(asked, "metadata.annotations.n", "v");
  const json::value made = t.Ok("create", t.Create(widgets, ns, asked));
  t.Eq("apiVersion", At(made, "apiVersion"), widgets.group + "/v1");
  t.Eq("kind", At(made, "kind"), "Widget");
  t.Eq("name", At(made, "metadata.name"), "a");
  t.Eq("namespace", At(made, "metadata.namespace"), ns);
  t.Eq("spec", At(made, "spec"), R"({"size":1})");
  t.Eq("labels", At(made, "metadata.labels"), R"({"l":"v"})");
  t.Eq("annotations", At(made, "metadata.annotations"), R"({"n":"v"})");
  t.Eq("generation", At(made, "metadata.generation"), "1");
  t.Eq("length of the uid", StrCat(At(made, "metadata.uid").size()), "36");
  t.True("resourceVersion is a number", IsNewer(At(made, "metadata.resourceVersion"), "1"));
  absl::Time created;
  std::string problem;
  t.True("creationTimestamp is a time of RFC 3339",
         absl::ParseTime("%Y-%m-%dT%H:%M:%SZ", At(made, "metadata.creationTimestamp"), &created,
                         &problem));
  t.Eq("deletionTimestamp", At(made, "metadata.deletionTimestamp"), "");
}

void BuiltInKindHasNoGeneration(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value made = t.Ok("create", t.Create(kConfigMaps, ns, ConfigMap("a")));
  t.Eq("data", At(made, "data"), R"({"a":"1"})");
  t.Eq("generation", At(made, "metadata.generation"), "");
}

// Fields that only a server may set are not taken from the client.
void DropsSystemFields(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "a");
  Set(asked, "metadata.uid", "11111111-2222-3333-4444-555555555555");
  Set(asked, "metadata.creationTimestamp", "2001-02-03T04:05:06Z");
  Set(asked, "metadata.deletionTimestamp", "2001-02-03T04:05:06Z");
  Set(asked, "metadata.deletionGracePeriodSeconds", 30);
  Set(asked, "metadata.generation", 7);
  const json::value made = t.Ok("create", t.Create(t.Widgets(), ns, asked));
  t.True("the uid is the server's", At(made, "metadata.uid") != At(asked, "metadata.uid"));
  t.True("creationTimestamp is the server's",
         At(made, "metadata.creationTimestamp") != At(asked, "metadata.creationTimestamp"));
  t.Eq("deletionTimestamp", At(made, "metadata.deletionTimestamp"), "");
  t.Eq("deletionGracePeriodSeconds", At(made, "metadata.deletionGracePeriodSeconds"), "");
  t.Eq("generation", At(made, "metadata.generation"), "1");
}

void DropsStatus(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "a");
  Set(asked, "status.phase", "Done");
  const json::value made = t.Ok("create", t.Create(t.Widgets(), ns, asked));
  t.Eq("status", At(made, "status"), "");
}

void RefusesExistingName(Trial& t) {
  const std::string ns = t.Namespace();
  const std::string other = t.Namespace();
  const GroupVersionResource& widgets = t.Widgets();
  t.Ok("first", t.Create(widgets, ns, Widget(widgets, "a")));
  t.Ok("in another namespace", t.Create(widgets, other, Widget(widgets, "a")));
  t.Fails("again", t.Create(widgets, ns, Widget(widgets, "a")), 409, "AlreadyExists",
          StrCat(widgets.GroupResource(), " \"a\" already exists"));
}

void GeneratesNames(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "x");
  Remove(asked, "metadata.name");
  Set(asked, "metadata.generateName", "w-");
  const std::string one = At(t.Ok("one", t.Create(t.Widgets(), ns, asked)), "metadata.name");
  const std::string two = At(t.Ok("two", t.Create(t.Widgets(), ns, asked)), "metadata.name");
  t.Eq("prefix", one.substr(0, 2), "w-");
  t.Eq("length", StrCat(one.size()), "7");
  t.True("names differ", one != two);
  Set(asked, "metadata.name", "own");
  t.Eq("a name of one's own wins",
       At(t.Ok("both", t.Create(t.Widgets(), ns, asked)), "metadata.name"), "own");
}

void NeedsName(Trial& t) {
  const std::string ns = t.Namespace();
  json::value nameless = Widget(t.Widgets(), "x");
  Remove(nameless, "metadata.name");
  t.Fails("no name", t.Create(t.Widgets(), ns, nameless), 422, "Invalid",
          "metadata.name: Required value: name or generateName is required");
  t.Fails("no subdomain", t.Create(t.Widgets(), ns, Widget(t.Widgets(), "A_b")), 422, "Invalid",
          "metadata.name: Invalid value: \"A_b\"");
  // Names that are not path segments are also refused, but with another message.
  t.Fails("a slash", t.Create(t.Widgets(), ns, Widget(t.Widgets(), "a/b")), 422, "Invalid",
          "metadata.name: Invalid value: \"a/b\"");
}

void RefusesOtherNamespace(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "a");
  Set(asked, "metadata.namespace", "elsewhere");
  t.Fails("another namespace", t.Create(t.Widgets(), ns, asked), 400, "BadRequest",
          "the namespace of the provided object does not match the namespace sent on the request");
  SetText(asked, "metadata.namespace", ns);
  t.Ok("the same namespace", t.Create(t.Widgets(), ns, asked));
}

void NeedsNamespace(Trial& t) {
  const GroupVersionResource& widgets = t.Widgets();
  const std::string missing = t.id() + "-missing";
  t.Fails("custom resource", t.Create(widgets, missing, Widget(widgets, "a")), 404, "NotFound",
          StrCat("namespaces \"", missing, "\" not found"));
  t.Fails("built-in", t.Create(kConfigMaps, missing, ConfigMap("a")), 404, "NotFound",
          StrCat("namespaces \"", missing, "\" not found"));
}

void RefusesTerminatingNamespace(Trial& t) {
  const std::string name = t.id() + "-ending";
  json::value ns = NamespaceNamed(name);
  Set(ns, "metadata.finalizers", json::array{"example.com/hold"});
  t.Ok("namespace", t.Create(kNamespaces, "", ns));
  t.Ok("delete it", t.Delete(kNamespaces, {"", name}));
  const Answer refused = t.Create(t.Widgets(), name, Widget(t.Widgets(), "a"));
  t.Fails("create", refused, 403, "Forbidden",
          StrCat("unable to create new content in namespace ", name,
                 " because it is being terminated"));
  if (!refused.ok()) {
    bool told = false;
    for (const StatusCause& cause : FromStatus(refused.status()).causes) {
      told |= cause.reason == "NamespaceTerminating";
    }
    t.True("with the cause NamespaceTerminating", told);
  }
  t.Ok("let it go", t.Patch(kNamespaces, {"", name}, {{"metadata", {{"finalizers", nullptr}}}}));
}

// Surprise: the error has no reason, and so becomes a 500.
void RefusesResourceVersion(Trial& t) {
  const std::string ns = t.Namespace();
  json::value asked = Widget(t.Widgets(), "a");
  Set(asked, "metadata.resourceVersion", "7");
  t.Fails("create", t.Create(t.Widgets(), ns, asked), 500, "",
          "resourceVersion should not be set on objects to be created");
  t.Fails("nothing was made", t.Get(t.Widgets(), {ns, "a"}), 404, "NotFound");
}

void ChecksMetadata(Trial& t) {
  struct Row {
    const char* name;
    const char* path;
    json::value value;
    const char* message;
  };
  const json::array nameless_owner = {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"uid", "u"}}};
  const json::array two_controllers = {
      {{"apiVersion", "v1"}, {"kind", "A"}, {"name", "a"}, {"uid", "u"}, {"controller", true}},
      {{"apiVersion", "v1"}, {"kind", "A"}, {"name", "b"}, {"uid", "v"}, {"controller", true}}};
  const std::vector<Row> rows = {
      {"label key", "metadata.labels", {{"a b", "v"}}, "metadata.labels: Invalid value: \"a b\""},
      {"label value", "metadata.labels", {{"a", "b c"}}, "metadata.labels: Invalid value: \"b c\""},
      {"long label value",
       "metadata.labels",
       {{"a", std::string(64, 'x')}},
       "must be no more than 63 "},
      {"annotation key",
       "metadata.annotations",
       {{"a b", "v"}},
       "metadata.annotations: Invalid value: \"a b\""},
      {"finalizer", "metadata.finalizers", json::array{"a b"},
       "metadata.finalizers: Invalid value: \"a b\""},
      {"owner", "metadata.ownerReferences", nameless_owner,
       "metadata.ownerReferences.name: Invalid value: \"\": must not be empty"},
      {"two controllers", "metadata.ownerReferences", two_controllers,
       "Only one reference can have Controller set to true"},
  };
  const std::string ns = t.Namespace();
  for (const Row& row : rows) {
    json::value asked = Widget(t.Widgets(), "a");
    Set(asked, row.path, row.value);
    t.Fails(row.name, t.Create(t.Widgets(), ns, asked), 422, "Invalid", row.message);
  }
}

void ChecksKind(Trial& t) {
  const std::string ns = t.Namespace();
  json::value kind = Widget(t.Widgets(), "a");
  Set(kind, "kind", "Gadget");
  // Surprise: a custom resource is decoded as the kind it claims to be, and then found invalid.
  t.Fails("another kind", t.Create(t.Widgets(), ns, kind), 422, "Invalid",
          "kind: Invalid value: \"Gadget\": must be Widget");
  json::value version = Widget(t.Widgets(), "a");
  SetText(version, "apiVersion", t.Widgets().group + "/v2");
  t.Fails("another version", t.Create(t.Widgets(), ns, version), 400, "BadRequest",
          StrCat("the API version in the data (", t.Widgets().group,
                 "/v2) does not match the expected API version (", t.Widgets().group, "/v1)"));
  json::value secret = ConfigMap("a");
  Set(secret, "kind", "Secret");
  t.Fails("another built-in kind", t.Create(kConfigMaps, ns, secret), 400, "BadRequest",
          "Secret in version \"v1\" cannot be handled as a ConfigMap");
}

void UnknownResource(Trial& t) {
  const std::string ns = t.Namespace();
  const std::string& group = t.Widgets().group;
  const json::value object = Widget(t.Widgets(), "a");
  for (const GroupVersionResource& gvr :
       {GroupVersionResource{group, "v1", "gadgets"}, GroupVersionResource{group, "v9", "widgets"},
        GroupVersionResource{t.id() + ".nowhere.example.com", "v1", "widgets"}}) {
    t.Fails(gvr.GroupResource(), t.Create(gvr, ns, object), 404, "NotFound");
  }
}

}  // namespace

std::vector<Case> CreateCases() {
  return {
      {"Create.SetsSystemFields", kObjectMeta, SetsSystemFields},
      {"Create.BuiltInKindHasNoGeneration", kObjectMeta, BuiltInKindHasNoGeneration},
      {"Create.DropsSystemFields", kBeforeCreate, DropsSystemFields},
      {"Create.DropsStatus", "apiextensions pkg/registry/customresource/strategy.go", DropsStatus},
      {"Create.RefusesExistingName", "API conventions, HTTP status codes", RefusesExistingName},
      {"Create.GeneratesNames", "API concepts, Generated values", GeneratesNames},
      {"Create.NeedsName", kBeforeCreate, NeedsName},
      {"Create.RefusesOtherNamespace", kBeforeCreate, RefusesOtherNamespace},
      {"Create.NeedsNamespace", "admission plugin NamespaceLifecycle", NeedsNamespace},
      {"Create.RefusesTerminatingNamespace", "admission plugin NamespaceLifecycle",
       RefusesTerminatingNamespace},
      {"Create.RefusesResourceVersion", "apiserver pkg/storage/errors.go", RefusesResourceVersion},
      {"Create.ChecksMetadata", "apimachinery pkg/api/validation/objectmeta.go", ChecksMetadata},
      {"Create.ChecksKind", "apiserver pkg/endpoints/handlers/create.go", ChecksKind},
      {"Create.UnknownResource", "API conventions, HTTP status codes", UnknownResource},
  };
}

}  // namespace steward::kube::conformance
