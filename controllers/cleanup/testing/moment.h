// The state of a cluster at one moment, read from its raw objects, for the oracle. Values.
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

// A set of namespaces. "" stands for cluster-scoped objects, which only `all` includes.
struct Places {
  Places() {}  // clang needs this within the struct
  bool all = false;
  std::set<std::string> names;
  bool Has(const std::string& ns) const { return all || names.contains(ns); }
  bool operator==(const Places&) const = default;
};

// The readable part of a record.
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
  bool finalizer = false;  // the administrator's opt-in
  std::string confirmed;   // the proof of the policy under which it was confirmed
  bool itself = false;     // nothing of the CSV itself forbids deletion: phase, copy marks,
                           // propagation, annotation, owners, spec
  bool marked = false;     // as refused
  std::string let_go;      // the annotation about the operator's rights; "" = not released
  bool noted = false;      // the record's annotation exists, with any value
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
  std::set<std::string> namespaces;  // that exist and are not being deleted
  // Held ClusterRoles, by name, with their operators.
  std::map<std::string, kube::NamespacedName> held;
  std::string opt_in_proof;  // of the policy for opting in and its binding; "" = not in force
  bool protects_deletion = false;
  bool has_csvs = false;  // the definition of CSVs exists and is not being deleted

  // The CSV of this UID, or null.
  const SeenCsv* Find(const kube::NamespacedName& key, const std::string& uid) const;
  // Null when the namespace has no OperatorGroup.
  const SeenGroup* GroupOf(const SeenCsv& csv) const;
  // True if other CSVs own, require or replace something of this one.
  bool IsNeededByOthers(const SeenCsv& csv) const;
  // By the name of each guard: its value. The record's contents are not included.
  std::vector<std::pair<std::string_view, bool>> GuardsOf(const SeenCsv& csv) const;
  bool Allows(const SeenCsv& csv) const;
  bool IsOperatorGone(const SeenCsv& csv) const;

 private:
  bool IsCopy(const SeenCsv& csv) const;
};

// The member of this name; an empty object when there is none.
const boost::json::object& In(const boost::json::object& parent, std::string_view key);

// True if there is a definition that both CSVs own.
bool Share(const SeenCsv& a, const SeenCsv& b);

boost::asio::awaitable<Moment> ReadMoment(TestCluster& cluster);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_MOMENT_H_
