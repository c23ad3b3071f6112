#include "plugin/tree/tree.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "bundle/owned_objects.h"
#include "kube/client/client.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cleanup/original.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/operands.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/related.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

// The number of objects of each kind that are shown; the others are counted.
constexpr size_t kShown = 20;
constexpr size_t kMaxDepth = 6;

struct Node {
  // "Widget", or "Namespace" for the parent of custom resources in one namespace
  std::string kind;
  kube::NamespacedName name;  // namespace "" = cluster-scoped
  std::string note;           // a phase, or a count
  std::string uid;
  std::vector<Node> children;
  size_t more = 0;  // children that are not shown
};

json::object Document(const Node& node) {
  json::array children;
  for (const Node& child : node.children) children.push_back(Document(child));
  json::object object{{"kind", node.kind}, {"name", node.name.name}};
  if (!node.name.ns.empty()) object["namespace"] = node.name.ns;
  if (!node.note.empty()) object["note"] = node.note;
  if (!children.empty()) object["children"] = std::move(children);
  if (node.more > 0) object["more"] = node.more;
  return object;
}

void Print(Terminal& terminal, const Node& node, size_t depth) {
  const std::string name = StrCat(node.name.ns, node.name.ns.empty() ? "" : "/", node.name.name);
  terminal.Line(Terminal::Row{{std::string(2 * depth, ' '), Style::kPlain},
                              {StrCat(node.kind, " "), Style::kFaint},
                              {name, depth == 0 ? Style::kStrong : Style::kPlain},
                              {node.note.empty() ? "" : StrCat("  ", node.note), Style::kFaint}});
  for (const Node& child : node.children) Print(terminal, child, depth + 1);
  if (node.more > 0) {
    terminal.Line(StrCat(std::string(2 * depth + 2, ' '), "and ", node.more, " more"));
  }
}

// Builds the tree.
class Growth {
 public:
  Growth(Session& session, Csv csv)
      : session_(session), csv_(std::move(csv)), reader_(session.client) {}

  StatusTask Run() {
    const kube::NamespacedName& key = csv_.facts.key;
    Node root{"ClusterServiceVersion", key, csv_.facts.phase, csv_.facts.uid, {}, 0};
    CO_RETURN_IF_ERROR(co_await reader_.Discover());
    CO_RETURN_IF_ERROR(co_await AddNaming(kSubscriptions, "Subscription", root));
    CO_RETURN_IF_ERROR(co_await AddNaming(kInstallPlans, "InstallPlan", root));
    CO_RETURN_IF_ERROR(co_await AddOwned(key.ns, root, 1));
    CO_RETURN_IF_ERROR(co_await AddDefinitions(root));
    Print(session_.terminal, root, 0);
    json::array unread;
    for (const std::string& each : unread_) {
      session_.terminal.Note(StrCat("Not read: ", each), Style::kWarning);
      unread.emplace_back(each);
    }
    session_.document["root"] = Document(root);
    session_.document["notRead"] = std::move(unread);
    co_return absl::OkStatus();
  }

 private:
  // Notes a part that cannot be read and is left out.
  absl::Status Note(std::string what, const absl::Status& status) {
    if (status.ok() || kube::IsNotServed(status)) return absl::OkStatus();
    if (!kube::IsAnswer(status)) return status;
    unread_.insert(StrCat(what, ": ", std::string(status.message())));
    return absl::OkStatus();
  }

  // Adds the Subscriptions and InstallPlans of the operator's namespace that name it.
  StatusTask AddNaming(kube::GroupVersionResource gvr, std::string kind, Node& parent) {
    const auto take = [&](const kube::RawObject& raw) -> absl::Status {
      ASSIGN_OR_RETURN(const json::value object, ParseObject(raw.json));
      const json::object& fields = object.get_object();
      const json::object* status = ObjectAt(fields, "status");
      const std::string& name = csv_.facts.key.name;
      if (kind == "Subscription" ? SubscriptionNames(fields, name) : PlanNames(fields, name)) {
        Add(parent, {kind,
                     kube::NameOf(object),
                     std::string(status == nullptr ? "" : StringAt(*status, "phase")),
                     "",
                     {},
                     0});
      }
      return absl::OkStatus();
    };
    const absl::Status read =
        co_await VisitAll(session_.client, gvr, csv_.facts.key.ns, /*metadata_only=*/false, take);
    co_return Note(gvr.resource, read);
  }

  static void Add(Node& parent, Node child) {
    if (parent.children.size() < kShown) {
      parent.children.push_back(std::move(child));
    } else {
      ++parent.more;
    }
  }

  // Adds the objects that a node owns in a namespace, and those that they own in turn.
  StatusTask AddOwned(std::string ns, Node& parent, size_t depth) {
    if (!owned_.contains(ns)) {
      CO_ASSIGN_OR_RETURN(owned_[ns], co_await reader_.Read(ns));
      for (const bundle::Unread& each : owned_[ns].unread) {
        CO_RETURN_IF_ERROR(Note(StrCat(each.where, " in ", ns), each.why));
      }
    }
    Hang(owned_[ns], parent, depth);
    co_return absl::OkStatus();
  }

  // Adds the owned objects below `parent`. No branch has an object twice, because two objects can
  // name each other as owners.
  void Hang(const bundle::OwnedObjects& objects, Node& parent, size_t depth) {
    if (depth >= kMaxDepth || parent.uid.empty()) return;
    std::vector<const bundle::OwnedObject*> owned;
    for (const auto& [uid, object] : objects.by_uid) {
      if (object.owners.contains(parent.uid) && uid != csv_.facts.uid) owned.push_back(&object);
    }
    std::sort(owned.begin(), owned.end(), [](const auto* a, const auto* b) {
      return std::tie(a->gvk.kind, a->name) < std::tie(b->gvk.kind, b->name);
    });
    for (const bundle::OwnedObject* each : owned) {
      Add(parent, {each->gvk.kind, each->name, "", each->uid, {}, 0});
    }
    for (Node& child : parent.children) Hang(objects, child, depth + 1);
  }

  StatusTask AddDefinitions(Node& root) {
    // A user who may not list everywhere can list in the operator's own namespaces.
    olm::TargetSet targets = olm::TargetSet::All();
    const absl::StatusOr<CleanupStatus> status =
        co_await ReadCleanupStatus(session_.client, csv_.facts.key);
    if (status.ok()) targets = status->targets;
    const absl::StatusOr<std::vector<olm::CrdPlan>> plans =
        co_await ReadPlans(session_.client, csv_.facts.owned_crds, targets);
    if (!plans.ok()) co_return Note("definitions", plans.status());
    for (const olm::CrdPlan& plan : *plans) {
      Node definition{
          plan.aggregated ? "API" : "CustomResourceDefinition", {"", plan.crd}, "", "", {}, 0};
      if (plan.HasObjects()) CO_RETURN_IF_ERROR(co_await AddOperands(plan, definition));
      root.children.push_back(std::move(definition));
    }
    co_return absl::OkStatus();
  }

  StatusTask AddOperands(const olm::CrdPlan& plan, Node& definition) {
    std::map<std::string, Node> places;
    size_t count = 0;
    const auto begin = [&] {
      places.clear();
      count = 0;
    };
    const auto visit = [&](const kube::RawObject& raw, const std::string&) -> absl::Status {
      ASSIGN_OR_RETURN(const json::value object, ParseObject(raw.json));
      const kube::NamespacedName name = kube::NameOf(object);
      Add(places[name.ns], {plan.kind, name, "", kube::MetadataText(object, "uid"), {}, 0});
      ++count;
      return absl::OkStatus();
    };
    OperandVisitor visitor;
    visitor.begin = begin;
    visitor.visit = visit;
    const absl::StatusOr<bool> everywhere =
        co_await VisitOperands(session_.client, plan, /*metadata_only=*/true, visitor);
    if (!everywhere.ok()) co_return Note(plan.crd, everywhere.status());
    if (!*everywhere) unread_.insert(StrCat(plan.crd, " in other namespaces"));
    definition.note = StrCat(count);
    for (auto& [ns, place] : places) {
      if (ns.empty()) {
        for (Node& each : place.children) definition.children.push_back(std::move(each));
        definition.more += place.more;
        continue;
      }
      place.kind = "Namespace";
      place.name.name = ns;
      place.note = StrCat(place.children.size() + place.more);
      // Namespaces that are only counted need not be read.
      const bool shown = definition.children.size() < kShown;
      for (Node& each : place.children) {
        if (shown) CO_RETURN_IF_ERROR(co_await AddOwned(ns, each, 3));
      }
      Add(definition, std::move(place));
    }
    co_return absl::OkStatus();
  }

  Session& session_;
  const Csv csv_;
  bundle::OwnedObjectReader reader_;
  std::map<std::string, bundle::OwnedObjects> owned_;  // by namespace
  std::set<std::string> unread_;
};

class TreeCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    AddCsvArgument(app, name_, "The ClusterServiceVersion of the operator")->required();
  }
  StatusTask Run(Session& session) override { return ShowTree(session, {session.ns, name_}); }

 private:
  std::string name_;
};

}  // namespace

StatusTask ShowTree(Session& session, kube::NamespacedName csv) {
  CO_ASSIGN_OR_RETURN(Csv original, co_await ReadOriginal(session.client, std::move(csv), "tree"));
  Growth growth(session, std::move(original));
  co_return co_await growth.Run();
}

KnownCommand KnownTree() {
  return {
      .name = "tree",
      .description = "Show what belongs to an operator, down to what its resources own",
      .report = "TreeReport",
      .examples = {{"Show an operator with all that it has", "tree widgets.v1.2.3 -n operators"}},
      .make = [] { return std::make_unique<TreeCommand>(); }};
}

}  // namespace steward::plugin
