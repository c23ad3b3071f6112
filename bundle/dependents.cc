#include "bundle/dependents.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "bundle/finalized_objects.h"
#include "bundle/owned_objects.h"
#include "kube/meta/errors.h"
#include "kube/meta/label_syntax.h"
#include "olm/copy.h"
#include "olm/object_facts.h"
#include "olm/resources.h"

namespace steward::bundle {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kOperators = {"operators.coreos.com", "v1", "operators"};
// The prefix of the label of an Operator's components; the Operator's name follows it.
constexpr std::string_view kComponentLabel = "operators.coreos.com/";

class Search {
 public:
  Search(kube::Client& client, kube::NamespacedName csv) : client_(client), csv_(std::move(csv)) {}

  Task<Dependents> Run(size_t most) {
    CO_RETURN_IF_ERROR(co_await ReadCsv());
    CO_RETURN_IF_ERROR(co_await reader_.Discover());
    CO_ASSIGN_OR_RETURN(owned_, co_await reader_.Read(csv_.ns));
    unread_ = reader_.unread();
    unread_.insert(unread_.end(), owned_.unread.begin(), owned_.unread.end());
    FollowOwners();
    for (const kube::GroupVersionResource& gvr : FinalizedResources()) {
      co_await FindFinalized(gvr);
    }
    co_await FindCopies();
    co_await FindOperators();
    co_return Sorted(most);
  }

 private:
  StatusTask ReadCsv() {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client_.Get(olm::kCsvs, csv_));
    CO_ASSIGN_OR_RETURN(const json::object object, ParseJsonObject(raw.json));
    const json::object* metadata = ObjectAt(object, "metadata");
    if (metadata == nullptr) co_return absl::DataLossError("the object has no metadata");
    uid_ = StringAt(*metadata, "uid");
    if (const json::array* finalizers = ArrayAt(*metadata, "finalizers")) {
      for (const json::value& each : *finalizers) {
        finalized_ = finalized_ || (each.is_string() && View(each.get_string()) == kCsvFinalizer);
      }
    }
    if (const json::object* labels = ObjectAt(*metadata, "labels")) {
      for (const auto& label : *labels) {
        const std::string_view key = View(label.key());
        if (key.starts_with(kComponentLabel)) {
          operators_.emplace_back(key.substr(kComponentLabel.size()));
        }
      }
    }
    co_return absl::OkStatus();
  }

  // An object is deleted once each of its owners is deleted or missing.
  void FollowOwners() {
    std::set<std::string> going = {uid_};
    std::set<std::string> touched;
    bool more = true;
    while (more) {
      more = false;
      for (const auto& [uid, owned] : owned_.by_uid) {
        if (going.contains(uid)) continue;
        const bool owned_by_what_goes =
            std::any_of(owned.owners.begin(), owned.owners.end(),
                        [&going](const std::string& owner) { return going.contains(owner); });
        if (!owned_by_what_goes) continue;
        touched.insert(uid);
        const bool all =
            std::all_of(owned.owners.begin(), owned.owners.end(), [&](const std::string& owner) {
              return going.contains(owner) || (unread_.empty() && !owned_.present.contains(owner));
            });
        if (all) more = going.insert(uid).second || more;
      }
    }
    for (const std::string& uid : touched) {
      const OwnedObject& owned = owned_.by_uid.at(uid);
      const bool other_is_there =
          std::any_of(owned.owners.begin(), owned.owners.end(), [&](const std::string& owner) {
            return !going.contains(owner) && owned_.present.contains(owner);
          });
      if (going.contains(uid)) {
        Add(owned.gvk, owned.name, Dependent::Fate::kGoes, kOwned);
      } else if (other_is_there) {
        Add(owned.gvk, owned.name, Dependent::Fate::kStays, kOwnedByOthers);
      } else {
        Add(owned.gvk, owned.name, Dependent::Fate::kUnknown, kOwnerUnknown);
      }
    }
  }

  VoidTask FindFinalized(const kube::GroupVersionResource& gvr) {
    absl::StatusOr<std::vector<FinalizedObject>> objects = co_await finalized_objects_.Find(gvr);
    if (!objects.ok()) {
      unread_.push_back({StrCat(gvr.resource, ".", gvr.group), objects.status()});
      co_return;
    }
    const std::string& kind = reader_.KindOf(gvr);
    for (FinalizedObject& each : *objects) {
      const kube::GroupVersionKind gvk = {gvr.group, gvr.version, kind};
      if (each.stays || !finalized_) {
        Add(gvk, std::move(each.facts.key), Dependent::Fate::kStays,
            each.stays ? kUsedByOthers : kNoFinalizer);
      } else {
        Add(gvk, std::move(each.facts.key), Dependent::Fate::kGoes, kByFinalizer);
      }
    }
  }

  VoidTask FindCopies() {
    // Copies name their origin in a label. A namespace name that is no label value has none.
    if (!kube::LabelValueProblem(csv_.ns).empty()) co_return;
    const kube::GroupVersionKind gvk = {olm::kCsvs.group, olm::kCsvs.version,
                                        "ClusterServiceVersion"};
    const auto take = [this, &gvk](const json::object& metadata) {
      kube::NamespacedName name = NameIn(metadata);
      if (name.name != csv_.name || name.ns == csv_.ns) return;
      Add(gvk, std::move(name), Dependent::Fate::kGoes, kCopy);
    };
    const absl::Status listed = co_await VisitMetadata(
        client_, olm::kCsvs, "", StrCat(olm::kCopiedFromLabel, "=", csv_.ns), take);
    if (!listed.ok()) unread_.push_back({"copies of it in other namespaces", listed});
  }

  VoidTask FindOperators() {
    for (const std::string& name : operators_) {
      const absl::Status read = (co_await client_.Get(kOperators, {"", name})).status();
      if (read.ok()) {
        Add({kOperators.group, kOperators.version, "Operator"}, {"", name}, Dependent::Fate::kStays,
            kGroupsOperators);
      } else if (!kube::IsNotFound(read, name) && !kube::IsNotServed(read)) {
        unread_.push_back({StrCat("the Operator ", name), read});
      }
    }
  }

  void Add(kube::GroupVersionKind gvk, kube::NamespacedName name, Dependent::Fate fate,
           std::string_view reason) {
    found_.push_back({std::move(gvk), std::move(name), fate, reason});
  }

  Dependents Sorted(size_t most) {
    const auto key = [](const Dependent& each) {
      return std::tie(each.reason, each.gvk.group, each.gvk.kind, each.name);
    };
    std::sort(found_.begin(), found_.end(),
              [&key](const Dependent& a, const Dependent& b) { return key(a) < key(b); });
    Dependents all;
    all.more = found_.size() > most ? found_.size() - most : 0;
    found_.resize(std::min(found_.size(), most));
    all.objects = std::move(found_);
    std::sort(unread_.begin(), unread_.end(),
              [](const Unread& a, const Unread& b) { return a.where < b.where; });
    all.unread = std::move(unread_);
    return all;
  }

  kube::Client& client_;
  const kube::NamespacedName csv_;
  FinalizedObjects finalized_objects_{client_, csv_};
  std::string uid_;
  bool finalized_ = false;
  std::vector<std::string> operators_;
  OwnedObjectReader reader_{client_};
  OwnedObjects owned_;  // of the namespace
  std::vector<Dependent> found_;
  std::vector<Unread> unread_;
};

}  // namespace

Task<Dependents> FindDependents(kube::Client& client, kube::NamespacedName csv, size_t most) {
  Search search(client, std::move(csv));
  co_return co_await search.Run(most);
}

}  // namespace steward::bundle
