// A cluster at one moment, as its raw objects say, for the oracle.
#ifndef CONTROLLERS_CLEANUP_TESTING_MOMENT_H_
#define CONTROLLERS_CLEANUP_TESTING_MOMENT_H_

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// Namespaces. "" stands for what is cluster-scoped, which only `all` has.
struct Places {
  Places() {}  // clang wants it said within the struct
  bool all = false;
  std::set<std::string> names;
  bool Has(const std::string& ns) const { return all || names.contains(ns); }
  bool operator==(const Places&) const = default;
};

// The record, as far as it can be read.
struct SeenRecord {
  Places targets;
  std::string csv_uid;
  std::string group_uid;
  std::map<std::string, std::string> definitions;  // name to UID
};

struct SeenCsv {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  bool deleting = false;
  bool enabled = false;
  bool finalizer = false;  // the admin's opt-in
  std::string confirmed;   // the policy that it was confirmed under
  bool itself = false;     // phase, copies, propagation, annotation, spec: nothing of it forbids
  bool marked = false;     // as refused
  std::string let_go;      // what is said of the operator's rights; "" = they were not let go of
  bool noted = false;      // the annotation of the record is there, with whatever value
  std::optional<SeenRecord> record;
  std::set<std::string> owned;
  std::set<std::string> required;
  std::set<std::string> deployments;
  std::string replaces;
  std::optional<std::string> copied_from;  // the label
};

// The OperatorGroups of a namespace.
struct SeenGroup {
  int count = 0;
  bool deleting = false;
  std::string uid;
  Places spec;
  std::optional<Places> synced;
};

struct SeenDefinition {
  std::string uid;
  bool deleting = false;
};

struct Moment {
  absl::Duration since;  // monotonic
  std::map<kube::NamespacedName, SeenCsv> csvs;
  std::map<std::string, SeenGroup> groups;            // by namespace
  std::map<std::string, SeenDefinition> definitions;  // by name
  std::set<kube::NamespacedName> deployments;
  std::set<std::string> namespaces;  // that are there and not being deleted
  // ClusterRoles that are held, by name, and for whom.
  std::map<std::string, kube::NamespacedName> held;
  std::string opt_in_policy;  // the UID of what says who may opt in; "" = nothing does
  bool protects_deletion = false;
  bool has_csvs = false;  // the definition of CSVs is there and not being deleted

  // The CSV of this UID, or null.
  const SeenCsv* Find(const kube::NamespacedName& key, const std::string& uid) const;
  // Null when the namespace has none.
  const SeenGroup* GroupOf(const SeenCsv& csv) const;
  // Other CSVs own, require or replace something of this one.
  bool IsNeededByOthers(const SeenCsv& csv) const;
  // Each guard, by its name, and its value. What a record says is no part of it.
  std::vector<std::pair<std::string_view, bool>> GuardsOf(const SeenCsv& csv) const;
  bool Allows(const SeenCsv& csv) const;
  bool IsOperatorGone(const SeenCsv& csv) const;

 private:
  bool IsCopy(const SeenCsv& csv) const;
};

// The member of this name; an empty object when there is none.
const boost::json::object& In(const boost::json::object& parent, std::string_view key);

// Two CSVs that own a definition together.
bool Share(const SeenCsv& a, const SeenCsv& b);

boost::asio::awaitable<Moment> ReadMoment(TestCluster& cluster);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_MOMENT_H_
