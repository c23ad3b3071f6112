// The expected results are the answers of a kube-apiserver 1.36.3, except for the codes of
// malformed patches.
#include "storage/embedded/rules/strategic_patch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "storage/embedded/rules/test_rules.h"

namespace steward::storage {
namespace {

constexpr char kObject[] =
    R"({"kind":"ConfigMap","metadata":{"labels":{"l":"1","m":"2"},"finalizers":["a","b"],"ownerReferences":[{"uid":"u","name":"n","controller":true}]},"data":{"k":"v"},"list":[1,2],"items":[{"a":1}]})";

// "OK" and the patched object, or the Status.
std::string Patched(const kube::ResourceType& type, std::string_view object,
                    std::string_view patch) {
  boost::json::object target = JsonObject(object);
  const absl::Status status = ApplyStrategicPatch(type, JsonObject(patch), target);
  if (status.ok()) return Serialize(target);
  return Answer(absl::StatusOr<int>(status));
}

TEST(StrategicPatchTest, Merges) {
  struct Row {
    const char* name;
    const char* patch;
    const char* result;  // the members that differ; null = removed
  };
  const Row rows[] = {
      {"nothing", "{}", "{}"},
      {"maps merge", R"({"metadata":{"labels":{"l":"3","n":"4"}}})",
       R"({"metadata":{"labels":{"l":"3","m":"2","n":"4"},"finalizers":["a","b"],"ownerReferences":[{"uid":"u","name":"n","controller":true}]}})"},
      {"null deletes",
       R"({"metadata":{"labels":{"l":null,"z":null},"finalizers":null,"ownerReferences":null},"data":null})",
       R"({"metadata":{"labels":{"m":"2"}},"data":null})"},
      {"nulls in new objects", R"({"new":{"a":null,"b":[{"c":null},null]}})",
       R"({"new":{"b":[{},null]}})"},
      {"other lists are replaced", R"({"list":[3],"items":[{"b":null,"c":1}]})",
       R"({"list":[3],"items":[{"c":1}]})"},
      {"types change", R"({"list":{"a":1},"data":[1],"items":1})",
       R"({"list":{"a":1},"data":[1],"items":1})"},
      {"replace", R"({"data":{"$patch":"replace","z":"z","y":null}})", R"({"data":{"z":"z"}})"},
      {"delete", R"({"data":{"$patch":"delete","z":"z"}})", R"({"data":{}})"},
      {"replace what is not there", R"({"new":{"$patch":"replace","z":"z"}})", "{}"},
      {"in other lists such objects go", R"({"items":[{"$patch":"delete"},{"b":1}]})",
       R"({"items":[{"b":1}]})"},
      {"retainKeys", R"({"data":{"$retainKeys":["z","gone"],"z":"z","k":null}})",
       R"({"data":{"z":"z"}})"},
      {"retainKeys keeps", R"({"data":{"$retainKeys":["k"]}})", "{}"},
      {"directives in what is new",
       R"({"new":{"$retainKeys":[],"$setElementOrder/a":[],"$deleteFromPrimitiveList/b":[],"c":1}})",
       R"({"new":{"c":1}})"},
      {"a list that is no merged one loses elements too",
       R"({"$deleteFromPrimitiveList/list":[1,7]})", R"({"list":[2]})"},
      {"deletions of no list",
       R"({"$deleteFromPrimitiveList/data":[1],"$deleteFromPrimitiveList/x":[1]})", "{}"},
      {"an order of a list that is not there",
       R"({"metadata":{"finalizers":null,"$setElementOrder/finalizers":["a"]}})",
       R"({"metadata":{"labels":{"l":"1","m":"2"},"ownerReferences":[{"uid":"u","name":"n","controller":true}]}})"},
      {"owners merge",
       R"({"metadata":{"ownerReferences":[{"uid":"v","name":"new","x":null},{"uid":"u","name":"o","controller":null}]}})",
       R"({"metadata":{"labels":{"l":"1","m":"2"},"finalizers":["a","b"],"ownerReferences":[{"uid":"v","name":"new"},{"uid":"u","name":"o"}]}})"},
      {"the later of two owners wins",
       R"({"metadata":{"ownerReferences":[{"uid":"u","name":"o"},{"uid":"u","name":"p"}]}})",
       R"({"metadata":{"labels":{"l":"1","m":"2"},"finalizers":["a","b"],"ownerReferences":[{"uid":"u","name":"p","controller":true}]}})"},
      {"owners go",
       R"({"metadata":{"ownerReferences":[{"uid":"u","$patch":"delete"},{"uid":"zz","$patch":"delete"}]}})",
       R"({"metadata":{"labels":{"l":"1","m":"2"},"finalizers":["a","b"],"ownerReferences":[]}})"},
      {"owners are replaced",
       R"({"metadata":{"ownerReferences":[{"$patch":"replace"},{"uid":"u","name":"o"}]}})",
       R"({"metadata":{"labels":{"l":"1","m":"2"},"finalizers":["a","b"],"ownerReferences":[{"uid":"u","name":"o"}]}})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    boost::json::object expected = JsonObject(kObject);
    for (const auto& member : JsonObject(row.result)) {
      if (member.value().is_null()) {
        expected.stable_erase(member.key());
      } else {
        expected[member.key()] = member.value();
      }
    }
    EXPECT_EQ(Patched(ConfigMap(), kObject, row.patch), Serialize(expected));
  }
}

TEST(StrategicPatchTest, ListsOfSomeKindsMerge) {
  const kube::ResourceType account = MakeType("", "ServiceAccount", "serviceaccounts");
  constexpr char kAccount[] = R"({"secrets":[{"name":"a"}],"imagePullSecrets":[{"name":"a"}]})";
  constexpr char kAccountPatch[] =
      R"({"secrets":[{"name":"b"}],"imagePullSecrets":[{"name":"b"}]})";
  EXPECT_EQ(Patched(account, kAccount, kAccountPatch),
            R"({"secrets":[{"name":"b"},{"name":"a"}],"imagePullSecrets":[{"name":"b"}]})");
  EXPECT_EQ(Patched(ConfigMap(), kAccount, kAccountPatch), kAccountPatch);

  const kube::ResourceType service = MakeType("", "Service", "services");
  constexpr char kPorts[] = R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":81}]}})";
  constexpr char kPortsPatch[] =
      R"({"spec":{"$setElementOrder/ports":[{"port":82},{"port":80}],)"
      R"("ports":[{"port":82},{"port":80,"name":"b"},{"$patch":"delete","port":81}]}})";
  EXPECT_EQ(Patched(service, kPorts, kPortsPatch),
            R"({"spec":{"ports":[{"port":82},{"port":80,"name":"b"}]}})");

  constexpr char kNamespace[] = R"({"status":{"conditions":[{"type":"A","status":"x"}]}})";
  constexpr char kCondition[] = R"({"status":{"conditions":[{"type":"A","reason":"y"}]}})";
  EXPECT_EQ(Patched(Namespace(), kNamespace, kCondition),
            R"({"status":{"conditions":[{"type":"A","status":"x","reason":"y"}]}})");
  EXPECT_EQ(Patched(ConfigMap(), kNamespace, kCondition), kCondition);
}

// Lists as strings of one-letter elements.
std::string Strings(std::string_view letters) {
  std::string out;
  for (char c : letters) StrAppend(&out, out.empty() ? "" : ",", "\"", std::string(1, c), "\"");
  return "[" + out + "]";
}
std::string Owners(std::string_view letters) {
  std::string out;
  for (char c : letters)
    StrAppend(&out, out.empty() ? "" : ",", R"({"uid":")", std::string(1, c), "\"}");
  return "[" + out + "]";
}

TEST(StrategicPatchTest, OrdersMergedLists) {
  using Letters = std::optional<std::string_view>;
  struct Row {
    std::string_view live;
    Letters patch;
    Letters order;
    std::string_view result;
  };
  const Row rows[] = {
      {"abc", "d", {}, "dabc"},
      {"abc", "db", {}, "dabc"},
      {"abc", "cb", {}, "acb"},
      {"abc", "bdae", {}, "bdaec"},
      {"abcd", "ca", {}, "bcad"},
      {"abc", "", {}, "abc"},
      {"", "ab", {}, "ab"},
      {"abcd", "dd", {}, "abcd"},
      {"abcdef", "xfby", {}, "xacdefby"},
      {"abcd", {}, "dcba", "dcba"},
      {"abcd", {}, "db", "acdb"},
      {"abcd", "e", "be", "abecd"},
      {"abcd", "e", "eb", "eabcd"},
      {"abcd", "ec", "aecb", "aecbd"},
      {"abcd", "e", "eabd", "eabcd"},
      {"abcd", "e", "", "abcde"},
      {"abcd", "", "ba", "bacd"},
      {"abcd", {}, "zba", "bacd"},
      {"", "ba", "ba", "ba"},
      {"abcd", "xb", "xyb", "xabcd"},
      {"abcdef", "y", "fyb", "acdefyb"},
      {"abcdef", {}, "eca", "bdecaf"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(StrCat(row.live, " ", row.patch.value_or("-"), " ", row.order.value_or("-")));
    const auto metadata = [&row](std::string_view list, std::string (*write)(std::string_view)) {
      std::string members;
      if (row.patch) StrAppend(&members, "\"", list, "\":", write(*row.patch));
      if (row.order) {
        StrAppend(&members, members.empty() ? "" : ",", "\"$setElementOrder/", list,
                  "\":", write(*row.order));
      }
      return StrCat(R"({"metadata":{)", members, "}}");
    };
    EXPECT_EQ(Patched(ConfigMap(), StrCat(R"({"metadata":{"finalizers":)", Strings(row.live), "}}"),
                      metadata("finalizers", Strings)),
              StrCat(R"({"metadata":{"finalizers":)", Strings(row.result), "}}"));
    EXPECT_EQ(
        Patched(ConfigMap(), StrCat(R"({"metadata":{"ownerReferences":)", Owners(row.live), "}}"),
                metadata("ownerReferences", Owners)),
        StrCat(R"({"metadata":{"ownerReferences":)", Owners(row.result), "}}"));
  }
}

TEST(StrategicPatchTest, DeletesFromSets) {
  struct Row {
    const char* name;
    const char* patch;
    const char* result;
  };
  const Row rows[] = {
      {"alone", R"({"$deleteFromPrimitiveList/finalizers":["b","z"]})", R"(["a","c"])"},
      {"beside additions", R"({"finalizers":["d"],"$deleteFromPrimitiveList/finalizers":["b"]})",
       R"(["d","a","c"])"},
      {"of what is added", R"({"finalizers":["d"],"$deleteFromPrimitiveList/finalizers":["d"]})",
       R"(["a","b","c"])"},
      {"in order",
       R"({"$setElementOrder/finalizers":["d","a"],"finalizers":["d"],"$deleteFromPrimitiveList/finalizers":["b"]})",
       R"(["d","a","c"])"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Patched(ConfigMap(), R"({"metadata":{"finalizers":["a","b","c"]}})",
                      StrCat(R"({"metadata":)", row.patch, "}")),
              StrCat(R"({"metadata":{"finalizers":)", row.result, "}}"));
  }
}

TEST(StrategicPatchTest, Refuses) {
  struct Row {
    const char* name;
    const char* patch;
    const char* message;
  };
  constexpr char kRetain[] = "invalid patch format of retainKeys";
  constexpr char kOrder[] = "invalid patch format of setElementOrder list";
  constexpr char kDelete[] = "invalid patch format of primitive list";
  constexpr char kMixed[] = "list element types are not identical";
  const Row rows[] = {
      {"directive", R"({"$foo":1})", "unknown directive $foo"},
      {"directive below", R"({"data":{"$foo":"1"}})", "unknown directive $foo"},
      {"directive in what is new", R"({"new":{"a":[{"$foo":1}]}})", "unknown directive $foo"},
      {"directive in a replacement", R"({"data":{"$patch":"replace","$foo":1}})",
       "unknown directive $foo"},
      {"patch type", R"({"data":{"$patch":"foo"}})", R"(unknown patch type: "foo")"},
      {"patch type no string", R"({"$patch":3})", "unknown patch type: 3"},
      {"patch type of what is new", R"({"new":{"$patch":"foo"}})", R"(unknown patch type: "foo")"},
      {"patch type of an owner", R"({"metadata":{"ownerReferences":[{"uid":"u","$patch":"zip"}]}})",
       R"(unknown patch type: "zip")"},
      {"merge", R"({"metadata":{"ownerReferences":[{"$patch":"merge"}]}})",
       "merging lists cannot yet be specified in the patch"},
      {"retainKeys no list", R"({"data":{"$retainKeys":"y"}})", kRetain},
      {"retainKeys no names", R"({"data":{"$retainKeys":[1,{}]}})", kRetain},
      {"retainKeys lacks one", R"({"data":{"$retainKeys":["y"],"z":"z"}})", kRetain},
      {"deletion no list", R"({"metadata":{"$deleteFromPrimitiveList/finalizers":"x"}})", kDelete},
      {"deletion of nothing", R"({"metadata":{"$deleteFromPrimitiveList":["x"]}})", kDelete},
      {"deletion of nothing, with a slash", R"({"metadata":{"$deleteFromPrimitiveList/":["x"]}})",
       kDelete},
      {"deletion misspelt", R"({"metadata":{"$deleteFromPrimitiveListX/finalizers":["x"]}})",
       kDelete},
      {"deletion of owners", R"({"metadata":{"$deleteFromPrimitiveList/ownerReferences":["u"]}})",
       kMixed},
      {"deletion of objects", R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[{}]}})",
       kMixed},
      {"order no list", R"({"metadata":{"$setElementOrder/finalizers":"x"}})", kOrder},
      {"order no list, beside one",
       R"({"metadata":{"$setElementOrder/finalizers":null,"finalizers":["x"]}})", kOrder},
      {"order of nothing", R"({"metadata":{"$setElementOrder":["x"]}})", kOrder},
      {"order misspelt", R"({"metadata":{"$setElementOrderX/finalizers":["x"]}})", kOrder},
      {"order of a list that is replaced", R"({"$setElementOrder/list":[1],"list":[1]})", kOrder},
      {"order of no list", R"({"metadata":{"$setElementOrder/labels":["x"]}})", kOrder},
      {"order without keys", R"({"metadata":{"$setElementOrder/ownerReferences":[{"id":"u"}]}})",
       kOrder},
      {"order of scalars", R"({"metadata":{"$setElementOrder/ownerReferences":["u"]}})", kOrder},
      {"order disagrees",
       R"({"metadata":{"$setElementOrder/finalizers":["a"],"finalizers":["c"]}})",
       "The order in patch list:\n[\"c\"]\n doesn't match $setElementOrder list:\n[\"a\"]\n"},
      {"numbers among names", R"({"metadata":{"finalizers":[1]}})", kMixed},
      {"objects among names", R"({"metadata":{"finalizers":[{}]}})", kMixed},
      {"lists among names", R"({"metadata":{"finalizers":[["a"]]}})", kMixed},
      {"nulls among names", R"({"metadata":{"finalizers":[null]}})", kMixed},
      {"names among owners", R"({"metadata":{"ownerReferences":["x"]}})", kMixed},
      {"owner without uid", R"({"metadata":{"ownerReferences":[{"name":"n"}]}})",
       R"(map: {"name":"n"} does not contain declared merge key: uid)"},
      {"deleted owner without uid", R"({"metadata":{"ownerReferences":[{"$patch":"delete"}]}})",
       R"(map: {"$patch":"delete"} does not contain declared merge key: uid)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Patched(ConfigMap(), kObject, row.patch), StrCat("400 BadRequest ", row.message));
  }
}

}  // namespace
}  // namespace steward::storage
