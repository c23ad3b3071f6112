#include <string>

#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kGarbage = "Garbage collection; kubernetes pkg/controller/garbagecollector";

json::value Reference(const json::value& owner, bool blocks = false) {
  json::value reference = {{"apiVersion", owner.at("apiVersion")},
                           {"kind", owner.at("kind")},
                           {"name", owner.at("metadata").at("name")},
                           {"uid", owner.at("metadata").at("uid")}};
  if (blocks) Set(reference, "blockOwnerDeletion", true);
  return reference;
}

// Owners are config maps: the garbage collector of a real server knows their kind from its start,
// while it finds new definitions only every half minute.
json::value Owner(Trial& t, const std::string& ns, std::string_view name) {
  json::value owner = t.Ok("owner", t.Create(kConfigMaps, ns, ConfigMap(name)));
  if (!owner.is_object()) owner = ConfigMap(name);
  if (At(owner, "metadata.uid").empty()) Set(owner, "metadata.uid", "none");
  return owner;
}

json::value Dependent(Trial& t, const std::string& ns, std::string_view name, json::array owners) {
  json::value map = ConfigMap(name);
  Set(map, "metadata.ownerReferences", std::move(owners));
  json::value made = t.Ok("dependent", t.Create(kConfigMaps, ns, map));
  if (made.is_object()) return made;
  Set(map, "metadata.uid", "none");
  return map;
}

bool IsGone(Trial& t, const std::string& ns, const std::string& name) {
  return absl::IsNotFound(t.Get(kConfigMaps, {ns, name}).status());
}

void Background(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value owner = Owner(t, ns, "owner");
  const json::value child = Dependent(t, ns, "child", {Reference(owner)});
  Dependent(t, ns, "grandchild", {Reference(child)});
  t.Ok("a bystander", t.Create(kConfigMaps, ns, ConfigMap("bystander")));
  DeleteOptions options;
  options.propagation = DeleteOptions::Propagation::kBackground;
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "owner"}, options));
  t.True("the owner goes at once", IsGone(t, ns, "owner"));
  t.Eventually("then its dependent", [&] { return IsGone(t, ns, "child"); });
  t.Eventually("and what depends on that", [&] { return IsGone(t, ns, "grandchild"); });
  t.True("others stay", !IsGone(t, ns, "bystander"));
}

void AnotherOwnerKeeps(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value one = Owner(t, ns, "one");
  const json::value two = Owner(t, ns, "two");
  Dependent(t, ns, "of-both", {Reference(one), Reference(two)});
  Dependent(t, ns, "of-one", {Reference(one)});
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "one"}));
  t.Eventually("the dependent of one goes", [&] { return IsGone(t, ns, "of-one"); });
  t.True("the other stays", !IsGone(t, ns, "of-both"));
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "two"}));
  t.Eventually("with its last owner it goes", [&] { return IsGone(t, ns, "of-both"); });
}

void ForegroundWaitsForDependents(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value owner = Owner(t, ns, "owner");
  json::value child = ConfigMap("child");
  Set(child, "metadata.ownerReferences", json::array{Reference(owner, true)});
  Set(child, "metadata.finalizers", json::array{"example.com/f"});
  t.Ok("dependent", t.Create(kConfigMaps, ns, child));
  DeleteOptions options;
  options.propagation = DeleteOptions::Propagation::kForeground;
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "owner"}, options));
  t.Eventually("the dependent is deleted", [&] {
    return !At(t.Ok("get", t.Get(kConfigMaps, {ns, "child"})), "metadata.deletionTimestamp")
                .empty();
  });
  const json::value waiting = t.Ok("the owner waits", t.Get(kConfigMaps, {ns, "owner"}));
  t.Eq("finalizers", At(waiting, "metadata.finalizers"), R"(["foregroundDeletion"])");
  t.Ok("let it go", t.Patch(kConfigMaps, {ns, "child"}, {{"metadata", {{"finalizers", nullptr}}}}));
  t.Eventually("the owner goes", [&] { return IsGone(t, ns, "owner"); });
  t.True("after its dependent", IsGone(t, ns, "child"));
}

void OrphanLeavesDependents(Trial& t) {
  const std::string ns = t.Namespace();
  const json::value owner = Owner(t, ns, "owner");
  const json::value child = Dependent(t, ns, "child", {Reference(owner)});
  DeleteOptions options;
  options.propagation = DeleteOptions::Propagation::kOrphan;
  t.Ok("delete", t.Delete(kConfigMaps, {ns, "owner"}, options));
  t.Eventually("the owner goes", [&] { return IsGone(t, ns, "owner"); });
  const json::value left = t.Ok("the dependent stays", t.Get(kConfigMaps, {ns, "child"}));
  t.Eq("the same", At(left, "metadata.uid"), At(child, "metadata.uid"));
  t.Eq("owners", At(left, "metadata.ownerReferences"), "");
}

// An owner reference is to an object, not to a name.
void OwnerThatNeverWas(Trial& t) {
  const std::string ns = t.Namespace();
  json::value owner = Owner(t, ns, "owner");
  Set(owner, "metadata.uid", "11111111-2222-3333-4444-555555555555");
  Dependent(t, ns, "child", {Reference(owner)});
  t.Eventually("the dependent goes", [&] { return IsGone(t, ns, "child"); });
  t.True("the object of that name stays", !IsGone(t, ns, "owner"));
}

}  // namespace

std::vector<Case> OwnerCases() {
  return {
      {"Owner.Background", kGarbage, Background, Needs::kControllers},
      {"Owner.AnotherOwnerKeeps", kGarbage, AnotherOwnerKeeps, Needs::kControllers},
      {"Owner.ForegroundWaitsForDependents", kGarbage, ForegroundWaitsForDependents,
       Needs::kControllers},
      {"Owner.OrphanLeavesDependents", kGarbage, OrphanLeavesDependents, Needs::kControllers},
      {"Owner.OwnerThatNeverWas", kGarbage, OwnerThatNeverWas, Needs::kControllers},
  };
}

}  // namespace steward::kube::conformance
