// The expected results are the answers of a kube-apiserver 1.36.3.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/test_rules.h"

namespace steward::storage {
namespace {

WriteContext Context() {
  WriteContext context;
  context.now = absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone());
  context.new_uid = "new";
  context.name_suffix = "x7k2q";
  return context;
}

// Replaces "TYPE" by apiVersion and kind, so that rows show the other members only.
std::string Expand(const kube::ResourceType& type, std::string text) {
  const size_t at = text.find("TYPE");
  if (at == std::string::npos) return text;
  return text.replace(
      at, 4,
      StrCat(R"("apiVersion":")", type.gvk.ApiVersion(), R"(","kind":")", type.gvk.kind, "\""));
}

// The answer for `meta` as metadata of a Widget or a ConfigMap in the namespace "ns".
std::string CreateAnswer(const kube::ResourceType& type, const std::string& meta) {
  const std::string text = Expand(type, StrCat(R"({TYPE,"metadata":)", meta, "}"));
  return Answer(PrepareCreate(type, type.namespaced ? "ns" : "", JsonObject(text), Context()));
}

TEST(PrepareCreateTest, Stores) {
  struct Row {
    const char* name;
    kube::ResourceType type;
    const char* object;
    const char* stored;
  };
  const Row rows[] = {
      {"a custom resource", Widget(),
       R"({TYPE,"spec":{"x":1},"status":{"y":1},"metadata":{"name":"a"}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"x":1}})"},
      {"without a subresource status is spec", Gizmo(),
       R"({TYPE,"metadata":{"name":"a"},"status":{"y":1}})",
       R"({TYPE,"metadata":{"name":"a","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"},"status":{"y":1}})"},
      {"a built-in kind without its type", ConfigMap(),
       R"({"metadata":{"name":"a"},"data":{"k":"v"}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","creationTimestamp":"2026-01-02T03:04:05Z"},"data":{"k":"v"}})"},
      {"nulls for type", ConfigMap(), R"({"kind":null,"apiVersion":null,"metadata":{"name":"a"}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"system fields are not the client's", Widget(),
       R"({TYPE,"metadata":{"name":"a","uid":"u","creationTimestamp":"2020-01-01T00:00:00Z","generation":7,"selfLink":"/x","deletionTimestamp":"2020-01-01T00:00:00Z","deletionGracePeriodSeconds":3,"managedFields":[{}],"resourceVersion":"0","foo":1}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"what is empty or null is not there", Widget(),
       R"({TYPE,"metadata":{"name":"a","labels":{},"annotations":null,"finalizers":[],"ownerReferences":[],"creationTimestamp":null,"generateName":""}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"a null label is an empty one", Widget(),
       R"({TYPE,"metadata":{"name":"a","labels":{"a":null},"annotations":{"Example.COM/Ab":"x"}}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":""},"annotations":{"Example.COM/Ab":"x"}}})"},
      {"an owner listed twice, and what it says too much", Widget(),
       R"({TYPE,"metadata":{"name":"a","ownerReferences":[{"uid":"u","apiVersion":"v1","kind":"X","name":"n","foo":1},{"apiVersion":"v1","kind":"X","name":"n","uid":"u"},{"apiVersion":"v1","kind":"X","name":"n","uid":"u","controller":true}]}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z","ownerReferences":[{"apiVersion":"v1","kind":"X","name":"n","uid":"u"},{"apiVersion":"v1","kind":"X","name":"n","uid":"u","controller":true}]}})"},
      {"a finalizer stays twice", Widget(),
       R"({TYPE,"metadata":{"name":"a","finalizers":["a/b","a/b","abc"]}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["a/b","a/b","abc"]}})"},
      {"a cluster-scoped object loses its namespace", Gizmo(),
       R"({TYPE,"metadata":{"name":"a","namespace":"x"}})",
       R"({TYPE,"metadata":{"name":"a","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"a name from generateName", Widget(), R"({TYPE,"metadata":{"generateName":"abc-"}})",
       R"({TYPE,"metadata":{"name":"abc-x7k2q","generateName":"abc-","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"a name wins over generateName", Widget(),
       R"({TYPE,"metadata":{"name":"a","generateName":"b-"}})",
       R"({TYPE,"metadata":{"name":"a","generateName":"b-","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"a role's name is a path segment", Role(), R"({TYPE,"metadata":{"name":"A:b_c d"}})",
       R"({TYPE,"metadata":{"name":"A:b_c d","namespace":"ns","uid":"new","creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"an event's too, and its finalizers are its own", Event(),
       R"({TYPE,"metadata":{"name":"A b","finalizers":["abc"]}})",
       R"({TYPE,"metadata":{"name":"A b","namespace":"ns","uid":"new","creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["abc"]}})"},
      {"a namespace without its status", Namespace(),
       R"({TYPE,"metadata":{"name":"a"},"status":{"phase":"Terminating"}})",
       R"({TYPE,"metadata":{"name":"a","uid":"new","creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"built-in kinds keep a generation that they are given", ConfigMap(),
       R"({TYPE,"metadata":{"name":"a","generation":7}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":7,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
      {"a resourceVersion that is no number", Widget(),
       R"({TYPE,"metadata":{"name":"a","resourceVersion":"x"}})",
       R"({TYPE,"metadata":{"name":"a","namespace":"ns","uid":"new","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z"}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<boost::json::object> stored =
        PrepareCreate(row.type, row.type.namespaced ? "ns" : "",
                      JsonObject(Expand(row.type, row.object)), Context());
    ASSERT_OK(stored);
    // The comparison is one of text, since the order matters, too.
    EXPECT_EQ(Serialize(*stored), Serialize(Json(Expand(row.type, row.stored))));
  }
}

TEST(PrepareCreateTest, RefusesAnotherType) {
  struct Row {
    const char* name;
    kube::ResourceType type;
    const char* object;
    const char* answer;
  };
  const Row rows[] = {
      {"custom: kind missing", Widget(), R"({"apiVersion":"example.com/v1","metadata":{}})",
       R"(400 BadRequest the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":{}}' ({"apiVersion":"example.com/v1" ...))"},
      {"custom: apiVersion missing", Widget(), R"({"kind":"Widget","metadata":{"name":"a"}})",
       "400 BadRequest the API version in the data () does not match the expected API version "
       "(example.com/v1)"},
      {"custom: another version", Widget(),
       R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}})",
       "400 BadRequest the API version in the data (example.com/v2) does not match the expected "
       "API version (example.com/v1)"},
      {"custom: another kind", Widget(),
       R"({"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"A"}})",
       R"(422 Invalid Other.example.com "A" is invalid: kind: Invalid value: "Other": must be Widget)"},
      {"custom: unreadable metadata of another version", Widget(),
       R"({"apiVersion":"example.com/v7","kind":"Widget","metadata":{"name":5}})",
       "400 BadRequest Widget in version \"v7\" cannot be handled as a Widget: json: cannot "
       "unmarshal number into Go struct field ObjectMeta.name of type string"},
      {"another kind", ConfigMap(), R"({"apiVersion":"v1","kind":"Other"})",
       R"(400 BadRequest Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1")"},
      {"another group", ConfigMap(), R"({"apiVersion":"example.com/v2","kind":"ConfigMap"})",
       R"(400 BadRequest ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "example.com/v2")"},
      {"no apiVersion", ConfigMap(), R"({"apiVersion":"a/b/c","kind":"ConfigMap"})",
       R"(400 BadRequest the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...))"},
      {"kind no string", ConfigMap(), R"({"kind":3})",
       R"(400 BadRequest the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":3}))"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Answer(PrepareCreate(row.type, "ns", JsonObject(row.object), Context())), row.answer);
  }
}

TEST(PrepareCreateTest, RefusesUnreadableMetadata) {
  struct Row {
    const char* meta;
    const char* what;   // the value that cannot be read
    const char* field;  // "" = metadata itself
    const char* type;
    const char* in = "ObjectMeta";
  };
  const Row rows[] = {
      {R"("x")", "string", "", "v1.ObjectMeta"},
      {"[]", "array", "", "v1.ObjectMeta"},
      {"7", "number", "", "v1.ObjectMeta"},
      {R"({"name":7})", "number", "name", "string"},
      {R"({"name":true})", "bool", "name", "string"},
      {R"({"name":{}})", "object", "name", "string"},
      {R"({"namespace":[]})", "array", "namespace", "string"},
      {R"({"generateName":3,"name":7})", "number", "generateName", "string"},
      {R"({"uid":1})", "number", "uid", "types.UID"},
      {R"({"resourceVersion":5})", "number", "resourceVersion", "string"},
      {R"({"selfLink":5})", "number", "selfLink", "string"},
      {R"({"generation":"1"})", "string", "generation", "int64"},
      {R"({"generation":1.5})", "number 1.5", "generation", "int64"},
      {R"({"generation":18446744073709551615})", "number 18446744073709551615", "generation",
       "int64"},
      {R"({"deletionGracePeriodSeconds":"3"})", "string", "deletionGracePeriodSeconds", "int64"},
      {R"({"creationTimestamp":3})", "number", "creationTimestamp", "string"},
      {R"({"labels":"x"})", "string", "labels", "map[string]string"},
      {R"({"labels":[]})", "array", "labels", "map[string]string"},
      {R"({"labels":{"a":1}})", "number", "labels", "string"},
      {R"({"annotations":{"a":{}}})", "object", "annotations", "string"},
      {R"({"finalizers":"x"})", "string", "finalizers", "[]string"},
      {R"({"finalizers":[1]})", "number", "finalizers", "string"},
      {R"({"ownerReferences":{}})", "object", "ownerReferences", "[]v1.OwnerReference"},
      {R"({"ownerReferences":["x"]})", "string", "ownerReferences", "v1.OwnerReference"},
      {R"({"ownerReferences":[{"uid":1}]})", "number", "ownerReferences.uid", "types.UID",
       "OwnerReference"},
      {R"({"ownerReferences":[{"controller":"x"}]})", "string", "ownerReferences.controller",
       "bool", "OwnerReference"},
      {R"({"managedFields":"x"})", "string", "managedFields", "[]v1.ManagedFieldsEntry"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.meta);
    const bool whole = row.field[0] == '\0';
    const auto expected = [&](const char* kind, const char* path) {
      const std::string into =
          whole ? (path[0] == '\0' ? "Go value" : StrCat("Go struct field ", kind, ".metadata"))
                : StrCat("Go struct field ", row.in, ".", path, row.field);
      return StrCat("400 BadRequest ", kind, " in version \"v1\" cannot be handled as a ", kind,
                    ": json: cannot unmarshal ", row.what, " into ", into, " of type ", row.type);
    };
    EXPECT_EQ(CreateAnswer(Widget(), row.meta), expected("Widget", ""));
    EXPECT_EQ(CreateAnswer(ConfigMap(), row.meta), expected("ConfigMap", "metadata."));
  }
  EXPECT_EQ(CreateAnswer(Widget(), R"({"creationTimestamp":"yesterday"})"),
            "400 BadRequest Widget in version \"v1\" cannot be handled as a Widget: parsing time "
            "\"yesterday\" as \"2006-01-02T15:04:05Z07:00\": not an RFC 3339 time");
  EXPECT_EQ(CreateAnswer(Widget(), R"({"creationTimestamp":"0000-01-01T00:00:00+01:00"})"),
            "400 BadRequest Widget in version \"v1\" cannot be handled as a Widget: parsing time "
            "\"0000-01-01T00:00:00+01:00\" as \"2006-01-02T15:04:05Z07:00\": not an RFC 3339 time");
}

// One complaint in the form in which it ends the message of an Invalid error.
std::string Complaint(std::string_view field, std::string_view value, std::string_view detail) {
  return StrCat("metadata.", field, ": Invalid value: ", value, ": ", detail);
}

TEST(PrepareCreateTest, ChecksNames) {
  const std::string long_label(64, 'a');
  const std::string long_name(254, 'a');
  const std::string long_base(70, 'a');
  struct Row {
    const char* name;
    kube::ResourceType type;
    std::string meta;
    std::string answer;
  };
  const std::string widget = "422 Invalid Widget.example.com ";
  const std::string ns = "422 Invalid Namespace ";
  const std::string role = "422 Invalid Role.rbac.authorization.k8s.io ";
  const std::string required = "metadata.name: Required value: name or generateName is required";
  const Row rows[] = {
      {"no metadata", Widget(), "null", StrCat(widget, "\"\" is invalid: ", required)},
      {"no name", Widget(), "{}", StrCat(widget, "\"\" is invalid: ", required)},
      {"null name", Namespace(), R"({"name":null})", StrCat(ns, "\"\" is invalid: ", required)},
      {"no subdomain", Widget(), R"({"name":"A_b"})",
       StrCat(widget, "\"A_b\" is invalid: ", Complaint("name", "\"A_b\"", kSubdomainForm))},
      {"dots in a row", Widget(), R"({"name":"a..b"})",
       StrCat(widget, "\"a..b\" is invalid: ", Complaint("name", "\"a..b\"", kSubdomainForm))},
      {"too long", Widget(), StrCat(R"({"name":")", long_name, "\"}"),
       StrCat(widget, "\"", long_name, "\" is invalid: ",
              Complaint("name", StrCat("\"", long_name, "\""),
                        "must be no more than 253 characters"))},
      {"long labels are no matter in a subdomain", Widget(),
       StrCat(R"({"name":")", long_label, ".b\"}"), "OK"},
      {"dots in a namespace", Namespace(), R"({"name":"a.b"})",
       StrCat(ns, "\"a.b\" is invalid: ", Complaint("name", "\"a.b\"", "must not contain dots"))},
      {"no label", Namespace(), R"({"name":"-a"})",
       StrCat(ns, "\"-a\" is invalid: ", Complaint("name", "\"-a\"", kLabelForm))},
      {"long label", Namespace(), StrCat(R"({"name":")", long_label, "\"}"),
       StrCat(ns, "\"", long_label, "\" is invalid: ",
              Complaint("name", StrCat("\"", long_label, "\""),
                        "must be no more than 63 characters"))},
      {"slash", Role(), R"({"name":"a/b"})",
       StrCat(role, "\"a/b\" is invalid: ", Complaint("name", "\"a/b\"", "may not contain '/'"))},
      {"slash and percent", Role(), R"({"name":"a%b/c"})",
       StrCat(role, "\"a%b/c\" is invalid: [",
              Complaint("name", "\"a%b/c\"", "may not contain '/'"), ", ",
              Complaint("name", "\"a%b/c\"", "may not contain '%'"), "]")},
      {"dots alone", Role(), R"({"name":".."})",
       StrCat(role, "\"..\" is invalid: ", Complaint("name", "\"..\"", "may not be '..'"))},
      {"generateName may be dots", Role(), R"({"generateName":"."})", "OK"},
      {"bad generateName", Widget(), R"({"generateName":"A_"})",
       StrCat(widget, "\"A_x7k2q\" is invalid: [",
              Complaint("generateName", "\"A_\"", kSubdomainForm), ", ",
              Complaint("name", "\"A_x7k2q\"", kSubdomainForm), "]")},
      {"bad generateName beside a name", Widget(), R"({"name":"ok","generateName":"A_"})",
       StrCat(widget, "\"ok\" is invalid: ", Complaint("generateName", "\"A_\"", kSubdomainForm))},
      {"a dash alone", Widget(), R"({"generateName":"-"})",
       StrCat(widget, "\"-x7k2q\" is invalid: [",
              Complaint("generateName", "\"-\"", kSubdomainForm), ", ",
              Complaint("name", "\"-x7k2q\"", kSubdomainForm), "]")},
      {"another namespace", Widget(), R"({"name":"A","namespace":"other"})",
       "400 BadRequest the namespace of the provided object does not match the namespace sent on "
       "the request"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(CreateAnswer(row.type, row.meta), row.answer);
  }
  const absl::StatusOr<boost::json::object> stored = PrepareCreate(
      ConfigMap(), "ns", JsonObject(StrCat(R"({"metadata":{"generateName":")", long_base, "\"}}")),
      Context());
  ASSERT_OK(stored);
  EXPECT_EQ(stored->at("metadata").at("name"),
            boost::json::value(StrCat(std::string(58, 'a'), "x7k2q")));
}

TEST(PrepareCreateTest, ChecksMetadata) {
  const std::string big(256 << 10, 'x');
  const std::string owner = R"("apiVersion":"v1","kind":"X","name":"n","uid":"u")";
  const std::string fine =
      R"({"apiVersion":"v1","kind":"X","name":"n","uid":"u","controller":true})";
  struct Row {
    const char* name;
    std::string meta;
    std::vector<std::string> complaints;
  };
  const auto empty_owner = [](const char* key) {
    return Complaint(StrCat("ownerReferences.", key), "\"\"", "must not be empty");
  };
  const Row rows[] = {
      {"label key", R"("labels":{"a b":"x"})", {Complaint("labels", "\"a b\"", kKeyForm)}},
      {"two complaints about a key",
       R"("labels":{"B!/_":"x"})",
       {Complaint("labels", "\"B!/_\"", StrCat("prefix part ", kSubdomainForm)),
        Complaint("labels", "\"B!/_\"", kKeyForm)}},
      {"label value", R"("labels":{"a":"x y"})", {Complaint("labels", "\"x y\"", kValueForm)}},
      {"annotation key",
       R"("annotations":{"a b":"x"})",
       {Complaint("annotations", "\"a b\"", kKeyForm)}},
      {"annotations too long",
       StrCat(R"("annotations":{"a":")", big, "\"}"),
       {"metadata.annotations: Too long: may not be more than 262144 bytes"}},
      {"finalizer", R"("finalizers":["q/a b"])", {Complaint("finalizers", "\"q/a b\"", kKeyForm)}},
      {"both of the garbage collector",
       R"("finalizers":["orphan","foregroundDeletion"])",
       {Complaint("finalizers", R"(["orphan","foregroundDeletion"])",
                  "finalizer orphan and foregroundDeletion cannot be both set")}},
      {"empty owner",
       R"("ownerReferences":[null])",
       {Complaint("ownerReferences.apiVersion", "\"\"", "version must not be empty"),
        empty_owner("kind"), empty_owner("name"), empty_owner("uid")}},
      {"owner's version",
       R"("ownerReferences":[{"apiVersion":"a/","kind":"X","name":"n","uid":"u"}])",
       {Complaint("ownerReferences.apiVersion", "\"a/\"", "version must not be empty")}},
      {"an Event",
       R"("ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}])",
       {Complaint("ownerReferences", R"({"apiVersion":"v1","kind":"Event","name":"n","uid":"u"})",
                  "/v1, Kind=Event is disallowed from being an owner")}},
      {"two controllers",
       StrCat(R"("ownerReferences":[)", fine,
              R"(,{"apiVersion":"v1","kind":"X","name":"m","uid":"v","controller":true}])"),
       {Complaint(
           "ownerReferences",
           StrCat("[", fine,
                  R"(,{"apiVersion":"v1","kind":"X","name":"m","uid":"v","controller":true}])"),
           "Only one reference can have Controller set to true. Found \"true\" in "
           "references for X/n and X/m")}},
      {"many",
       R"("labels":{"a b":"c d"},"finalizers":["q/q q"],"annotations":{"x x":""})",
       {Complaint("labels", "\"a b\"", kKeyForm), Complaint("labels", "\"c d\"", kValueForm),
        Complaint("annotations", "\"x x\"", kKeyForm),
        Complaint("finalizers", "\"q/q q\"", kKeyForm)}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::string complaints = row.complaints[0];
    for (size_t i = 1; i < row.complaints.size(); ++i) complaints += ", " + row.complaints[i];
    if (row.complaints.size() > 1) complaints = "[" + complaints + "]";
    const std::string meta = StrCat(R"({"name":"a",)", row.meta, "}");
    EXPECT_EQ(CreateAnswer(Widget(), meta),
              "422 Invalid Widget.example.com \"a\" is invalid: " + complaints);
    EXPECT_EQ(CreateAnswer(ConfigMap(), meta),
              "422 Invalid ConfigMap \"a\" is invalid: " + complaints);
  }
  EXPECT_EQ(CreateAnswer(ConfigMap(), R"({"name":"a","finalizers":["abc","kubernetes","x/y"]})"),
            "422 Invalid ConfigMap \"a\" is invalid: metadata.finalizers[0]: Invalid value: "
            "\"abc\": name is neither a standard finalizer name nor is it fully qualified");
  EXPECT_EQ(CreateAnswer(ConfigMap(), R"({"name":"a","generation":-1})"),
            "422 Invalid ConfigMap \"a\" is invalid: metadata.generation: Invalid value: -1: must "
            "be greater than or equal to 0");
}

TEST(PrepareCreateTest, ComplaintsAreBounded) {
  std::string labels;
  for (int i = 0; i < 1000; ++i) StrAppend(&labels, i == 0 ? "" : ",", "\"", i, " \":\"\"");
  const absl::StatusOr<boost::json::object> stored = PrepareCreate(
      ConfigMap(), "ns", JsonObject(StrCat(R"({"metadata":{"name":"a","labels":{)", labels, "}}}")),
      Context());
  ASSERT_FALSE(stored.ok());
  EXPECT_EQ(kube::FromStatus(stored.status()).causes.size(), 100u);
}

TEST(PrepareCreateTest, RefusesResourceVersionLast) {
  EXPECT_EQ(CreateAnswer(Widget(), R"({"name":"a","resourceVersion":"5"})"),
            "500  resourceVersion should not be set on objects to be created");
  EXPECT_THAT(CreateAnswer(Widget(), R"({"name":"A","resourceVersion":"5"})"),
              testing::StartsWith("422 Invalid Widget"));
}

TEST(PrepareCreateTest, SaysWhatIsInvalid) {
  const absl::StatusOr<boost::json::object> stored = PrepareCreate(
      ConfigMap(), "ns", JsonObject(R"({"metadata":{"name":"a","labels":{"a b":""}}})"), Context());
  ASSERT_FALSE(stored.ok());
  const kube::Status status = kube::FromStatus(stored.status());
  EXPECT_EQ(status.name, "a");
  EXPECT_EQ(status.kind, "ConfigMap");
  ASSERT_EQ(status.causes.size(), 1u);
  EXPECT_EQ(status.causes[0].reason, "FieldValueInvalid");
  EXPECT_EQ(status.causes[0].field, "metadata.labels");
  EXPECT_EQ(status.causes[0].message, StrCat("Invalid value: \"a b\": ", kKeyForm));
}

TEST(PrepareCreateTest, FollowsTheSchema) {
  const absl::StatusOr<kube::Schema> schema = kube::Schema::Parse(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
      R"("size":{"type":"integer"},"colour":{"type":"string","default":"red"}}}}})");
  ASSERT_OK(schema);
  WriteContext context = Context();
  context.schema = &*schema;
  const auto create = [&](const char* name, const char* spec) {
    return PrepareCreate(
        Widget(), "ns",
        JsonObject(StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget",)",
                          R"("metadata":{"name":")", name, R"("},"spec":)", spec, "}")),
        context);
  };
  ASSERT_OK_AND_ASSIGN(const boost::json::object stored, create("a", R"({"size":1,"other":2})"));
  EXPECT_EQ(stored.at("spec"), Json(R"({"size":1,"colour":"red"})"));
  // One answer has all that is wrong.
  EXPECT_THAT(Answer(create("A", R"({"size":"1"})")),
              testing::AllOf(testing::StartsWith("422 Invalid Widget.example.com"),
                             testing::HasSubstr("metadata.name"),
                             testing::HasSubstr("spec.size: Invalid value: \"string\": spec.size "
                                                "in body must be of type integer: \"string\"")));
}

}  // namespace
}  // namespace steward::storage
