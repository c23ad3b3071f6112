#include "storage/embedded/dump/dump_loader.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/async/in_flight.h"
#include "base/async/on_executor.h"
#include "base/async/own_thread.h"
#include "base/async/stop_signal.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/uuid.h"
#include "olm/copy.h"
#include "storage/embedded/dump/dump_objects.h"
#include "storage/embedded/store/object_body.h"
#include "storage/embedded/table/version_table.h"
#include "storage/embedded/types/builtin_types.h"
#include "storage/embedded/types/catalog.h"
#include "storage/embedded/types/crd.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

using Sort = DumpProblem::Sort;
using GroupKind = std::pair<std::string, std::string>;

constexpr size_t kMaxThreads = 4;
constexpr std::string_view kDefaultNamespace = "default";
// The group of the virtual resources.
constexpr std::string_view kViewsGroup = "views.operators.coreos.com";
constexpr std::string_view kOlmGroup = "operators.coreos.com";
constexpr std::string_view kCsvKind = "ClusterServiceVersion";
// Objects are stored under a resource with this prefix until all definitions are known.
constexpr std::string_view kWaiting = "waiting:";
// How much is read at once of the waiting objects.
constexpr int64_t kScan = 500;
constexpr size_t kScanBytes = 4 << 20;
// Only one file that is larger than this is in memory at a time.
constexpr size_t kLarge = 2 << 20;

// The resourceVersion of an object's version that has been taken so far.
struct Taken {
  std::optional<uint64_t> version;
};

// The objects of a kind whose resource is not known yet.
struct Waiting {
  kube::GroupVersionKind gvk;
  size_t count = 0;
  std::string where;  // of the first object
};

// An object on its way into the store.
struct Write {
  kube::ResourceType type;
  std::string key;
  DumpObject from;
};

std::string NameOf(const DumpObject& object) {
  return StrCat(object.gvk.kind, " ", object.name.ns, object.name.ns.empty() ? "" : "/",
                object.name.name);
}

// The UID for an object without one, because readers need a UID. Objects of the same kind,
// namespace and name always get the same UID.
std::string UidOf(const kube::GroupVersionKind& gvk, const kube::NamespacedName& name) {
  return kube::UuidV5("steward inspect",
                      StrCat(gvk.group, "/", gvk.kind, "/", name.ns, "/", name.name));
}

json::object& MetadataOf(json::object& object) { return object.at("metadata").get_object(); }

kube::ResourceType TypeOf(const kube::GroupVersionKind& gvk, std::string plural, bool namespaced) {
  kube::ResourceType type;
  type.gvk = gvk;
  type.plural = std::move(plural);
  type.singular = absl::AsciiStrToLower(gvk.kind);
  type.list_kind = gvk.kind + "List";
  type.namespaced = namespaced;
  return type;
}

class Loader {
 public:
  Loader(Store& store, std::unique_ptr<DumpFiles> files)
      : store_(store), files_(std::move(files)), threads_(Threads()) {
    for (const kube::ResourceType& type : BuiltinTypes()) {
      builtin_.emplace(GroupKind(type.gvk.group, type.gvk.kind), type);
    }
    before_->Set();
    may_read_->Set();
  }

  Task<DumpSummary> Load() {
    const size_t workers = working_ = threads_.size();
    co_await ForEachInFlight(workers + 1, workers + 1, [this, workers](size_t i) {
      return i < workers ? Work(threads_[i]) : StopReader();
    });
    CO_RETURN_IF_ERROR(trouble_);
    CO_RETURN_IF_ERROR(co_await Finish());
    co_return std::move(summary_);
  }

 private:
  // The state of reading and parsing some files.
  struct Batch {
    std::vector<DumpFile> files;
    absl::Status outcome;
    size_t file = 0;
    std::optional<DumpObjects> objects;  // of files[file]
    DumpPart part;
    bool done = false;
  };

  // One more than there are cores, since one of them waits for the disk.
  static size_t Threads() {
    return std::clamp<size_t>(std::thread::hardware_concurrency() + 1, 2, kMaxThreads);
  }

  static Task<bool> Read(DumpFiles& files, Batch& batch) {
    absl::StatusOr<std::vector<DumpFile>> next = files.Next();
    batch.outcome = next.status();
    if (next.ok()) batch.files = *std::move(next);
    co_return true;
  }

  // Parses the next objects of the batch into batch.part, or sets batch.done.
  static Task<bool> Parse(Batch& batch) {
    batch.part = DumpPart();
    while (batch.file < batch.files.size()) {
      DumpFile& file = batch.files[batch.file];
      if (!batch.objects.has_value()) batch.objects.emplace(file);
      if (batch.objects->Next(batch.part)) co_return true;
      batch.objects.reset();
      file.text = std::string();
      ++batch.file;
    }
    batch.done = true;
    co_return true;
  }

  // Stops a read that is under way if the load is cancelled.
  VoidTask StopReader() {
    const absl::Cleanup stop = [this] { files_->Stop(); };
    co_await ended_.Wait();
  }

  void Fail(absl::Status trouble) {
    if (!trouble_.ok()) return;
    trouble_ = std::move(trouble);
    files_->Stop();
  }

  static bool IsLarge(const Batch& batch) {
    return std::any_of(batch.files.begin(), batch.files.end(),
                       [](const DumpFile& file) { return file.text.size() > kLarge; });
  }

  // Reads, parses and takes files, in turns with the other workers, until there are no more.
  VoidTask Work(OwnThread& thread) {
    const absl::Cleanup end = [this] {
      if (--working_ == 0) ended_.Set();
    };
    while (trouble_.ok()) {
      Batch batch;
      // Workers take their parts in the order in which they read, which is the order in which they
      // run the next lines.
      const auto mine = std::make_shared<StopSignal>();
      const auto before = std::exchange(before_, mine);
      const absl::Cleanup next = [&] { mine->Set(); };
      const auto my_read = std::make_shared<StopSignal>();
      const auto may_read = std::exchange(may_read_, my_read);
      const absl::Cleanup next_read = [&] { my_read->Set(); };
      co_await may_read->Wait();
      (void)co_await OnExecutor(reader_.executor(), Read(*files_, batch));
      if (!IsLarge(batch)) my_read->Set();
      while (!batch.done) {
        (void)co_await OnExecutor(thread.executor(), Parse(batch));
        co_await before->Wait();
        if (!trouble_.ok()) co_return;
        absl::Status taken = co_await Take(batch.part);
        if (!taken.ok()) Fail(std::move(taken));
      }
      co_await before->Wait();
      summary_.files += batch.files.size();
      if (absl::IsDataLoss(batch.outcome)) {
        // The tar is cut off: the files before the cut count. Each worker gets this error, but it
        // is reported once.
        if (!std::exchange(cut_off_, true)) {
          summary_.Add({Sort::kCutOff, "", std::string(batch.outcome.message())});
        }
        co_return;
      }
      if (!batch.outcome.ok()) Fail(batch.outcome);
      if (batch.files.empty()) co_return;
    }
  }

  StatusTask Take(DumpPart& part) {
    found_ += part.objects.size() + part.ProblemCount();
    if (found_ > kMaxDumpObjects) {
      co_return absl::ResourceExhaustedError(
          StrCat("the dump has more than ", kMaxDumpObjects, " objects, or parts that are none"));
    }
    summary_.Add(part);
    std::vector<Write> writes;
    writes.reserve(part.objects.size());
    for (DumpObject& object : part.objects) TakeOne(object, writes);
    co_return co_await Put(writes);
  }

  StatusTask Put(std::vector<Write>& writes) {
    if (writes.empty()) co_return absl::OkStatus();
    std::vector<const Write*> refused;
    std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
      for (Write& each : writes) {
        const absl::Status put = transaction.Put(each.type, each.key, each.from.object).status();
        // The object is too large, or the store fails. If the store fails, the commit fails, too.
        if (!put.ok()) refused.push_back(&each);
        each.from.object.clear();
      }
      return absl::OkStatus();
    };
    CO_RETURN_IF_ERROR(co_await store_.Write(std::move(write)));
    for (const Write* each : refused) {
      summary_.Add({Sort::kUnreadable, each->from.where,
                    StrCat(NameOf(each->from), " is larger than the store's limit")});
    }
    co_return absl::OkStatus();
  }

  void TakeOne(DumpObject& object, std::vector<Write>& writes) {
    if (object.gvk.group == kViewsGroup) {
      ++summary_.computed;
      return;
    }
    std::optional<kube::ResourceType> type = TypeFor(object);
    if (!type.has_value()) return;
    if (type->namespaced && object.name.ns.empty()) {
      object.name.ns = object.place.has_value() ? object.place->ns : kDefaultNamespace;
      // The path may say, wrongly, that the object is cluster-scoped.
      if (object.name.ns.empty()) object.name.ns = kDefaultNamespace;
    }
    json::object& metadata = MetadataOf(object.object);
    if (type->namespaced && !object.name.ns.empty()) {
      metadata["namespace"] = object.name.ns;
    } else {
      object.name.ns.clear();
      metadata.erase("namespace");
    }
    if (!IsNewest(object, metadata)) return;
    if (StringAt(metadata, "uid").empty()) metadata["uid"] = UidOf(object.gvk, object.name);
    Note(object);
    const std::string key = KeyOf(object.name.ns, object.name.name);
    writes.push_back({*std::move(type), key, std::move(object)});
  }

  // The type under which an object is stored, until a definition of the dump gives it another type.
  // nullopt if there is none; then a problem is reported.
  std::optional<kube::ResourceType> TypeFor(const DumpObject& object) {
    const GroupKind kind(object.gvk.group, object.gvk.kind);
    const auto builtin = builtin_.find(kind);
    const bool is_definition = builtin != builtin_.end() &&
                               builtin->second.gvr().GroupResource() == kCustomResourceDefinitions;
    if (builtin != builtin_.end() && !is_definition) return builtin->second;
    if (!is_definition && object.place.has_value() && object.place->group == object.gvk.group) {
      const kube::ResourceType type =
          TypeOf(object.gvk, object.place->resource, !object.place->ns.empty());
      const kube::ResourceType& known =
          described_.try_emplace(type.gvr().GroupResource(), type).first->second;
      if (known.gvk.kind == object.gvk.kind) return known;
      summary_.Add({Sort::kUnreadable, object.where,
                    StrCat(NameOf(object), " is among objects of the kind ", known.gvk.kind)});
      return std::nullopt;
    }
    // Definitions wait, too, and are stored together at the end, because each commit of definitions
    // reads all of them.
    ++waiting_.try_emplace(kind, Waiting{object.gvk, 0, object.where}).first->second.count;
    if (is_definition) definitions_.try_emplace(object.name.name, object.where);
    return TypeOf(object.gvk, StrCat(kWaiting, object.gvk.kind),
                  !is_definition && HasNamespace(object));
  }

  static bool HasNamespace(const DumpObject& object) {
    return !object.name.ns.empty() || (object.place.has_value() && !object.place->ns.empty());
  }

  bool IsNewest(const DumpObject& object, const json::object& metadata) {
    Taken now;
    uint64_t number = 0;
    if (absl::SimpleAtoi(ToAbsl(StringAt(metadata, "resourceVersion")), &number)) {
      now.version = number;
    }
    const std::string name =
        StrCat(object.gvk.group, "/", object.gvk.kind, "/", object.name.ns, "/", object.name.name);
    const auto [before, is_new] = taken_.try_emplace(name, now);
    if (is_new) return true;
    // A must-gather has each Namespace in two places, which is no problem.
    if (now.version.has_value() && now.version == before->second.version) return false;
    const bool newer = now.version.has_value() && before->second.version.has_value() &&
                       *now.version > *before->second.version;
    summary_.Add({Sort::kDuplicate, object.where,
                  StrCat(NameOf(object), newer ? " is newer than the one before it, and counts"
                                               : " was there before, which counts")});
    if (newer) before->second = now;
    return newer;
  }

  // Remembers what Finish needs to know about the objects.
  void Note(const DumpObject& object) {
    if (object.gvk.group.empty() && object.gvk.kind == "Namespace") {
      namespaces_.insert(object.name.name);
    } else if (!object.name.ns.empty()) {
      used_.try_emplace(object.name.ns, object.where);
    }
    if (object.gvk.group != kOlmGroup) return;
    has_groups_ |= object.gvk.kind == "OperatorGroup";
    if (object.gvk.kind == kCsvKind) NoteCsv(object);
  }

  void NoteCsv(const DumpObject& object) {
    const json::object& metadata = object.object.at("metadata").get_object();
    const json::object* labels = ObjectAt(metadata, "labels");
    const json::object* annotations = ObjectAt(metadata, "annotations");
    const json::object* status = ObjectAt(object.object, "status");
    olm::CopyMarks marks;
    marks.ns = object.name.ns;
    if (status != nullptr) marks.reason = StringAt(*status, "reason");
    marks.has_copied_from_label = labels != nullptr && labels->contains(olm::kCopiedFromLabel);
    if (annotations != nullptr && annotations->contains(olm::kOperatorNamespaceAnnotation)) {
      marks.operator_namespace_annotation =
          StringAt(*annotations, olm::kOperatorNamespaceAnnotation);
    }
    if (!olm::IsCopied(marks)) {
      originals_.insert(object.name);
      return;
    }
    copies_.insert(object.name);
    std::string from;
    if (labels != nullptr) from = StringAt(*labels, olm::kCopiedFromLabel);
    if (from.empty()) from = marks.operator_namespace_annotation.value_or("");
    if (from.empty()) return;
    auto& of_it = wanted_.try_emplace({from, object.name.name}, 0, object.where).first->second;
    ++of_it.first;
  }

  StatusTask Finish() {
    const GroupKind definitions("apiextensions.k8s.io", "CustomResourceDefinition");
    if (const auto waits = waiting_.find(definitions); waits != waiting_.end()) {
      CO_RETURN_IF_ERROR(co_await Settle(WaitingType(waits->second.gvk), builtin_.at(definitions)));
      waiting_.erase(waits);
    }
    std::vector<kube::ResourceType> described;
    for (const auto& [name, type] : described_) described.push_back(type);
    CO_RETURN_IF_ERROR(co_await store_.ShowTypes(std::move(described)));
    const CatalogPtr catalog = store_.catalog();
    for (const auto& [name, type] : described_) {
      // A definition of the dump may give the kind another resource name than the path does.
      if (catalog->FindStored(name) != nullptr) continue;
      const kube::ResourceType* defined = catalog->FindKind(type.gvk);
      if (defined != nullptr) CO_RETURN_IF_ERROR(co_await Settle(type, *defined));
    }
    for (const auto& [kind, waits] : waiting_) {
      const auto& types = catalog->types();
      const auto type = std::find_if(types.begin(), types.end(), [&kind = kind](const auto& each) {
        return each.gvk.group == kind.first && each.gvk.kind == kind.second;
      });
      std::optional<kube::ResourceType> target;
      if (type != types.end()) target = *type;
      CO_RETURN_IF_ERROR(co_await Settle(WaitingType(waits.gvk), target));
      if (target.has_value()) continue;
      summary_.Add({Sort::kUnknown, waits.where,
                    StrCat(waits.gvk.kind, " of ", waits.gvk.ApiVersion(), ", ", waits.count,
                           waits.count == 1 ? " object" : " objects")});
    }
    CO_RETURN_IF_ERROR(co_await AssumeNamespaces());
    AddMissing();
    CO_RETURN_IF_ERROR(co_await Count());
    // Drops older states and the deletions of moved objects: they are not in the dump.
    co_return co_await store_.Compact(store_.revision());
  }

  static kube::ResourceType WaitingType(const kube::GroupVersionKind& gvk) {
    return TypeOf(gvk, StrCat(kWaiting, gvk.kind), true);
  }

  // Moves the objects stored as `from` to `target`; without a target, removes them. One commit.
  StatusTask Settle(kube::ResourceType from, std::optional<kube::ResourceType> target) {
    std::vector<DumpProblem> problems;
    std::function<absl::Status(Transaction&)> write = [&](Transaction& transaction) {
      return Move(transaction, from, target, problems);
    };
    CO_RETURN_IF_ERROR(co_await store_.Write(std::move(write)));
    for (DumpProblem& problem : problems) summary_.Add(std::move(problem));
    co_return absl::OkStatus();
  }

  absl::Status Move(Transaction& transaction, const kube::ResourceType& from,
                    const std::optional<kube::ResourceType>& target,
                    std::vector<DumpProblem>& problems) const {
    KeyRange range;
    while (true) {
      ASSIGN_OR_RETURN(const std::vector<Version> versions,
                       transaction.table().List(from.gvr().GroupResource(), range, INT64_MAX, kScan,
                                                kScanBytes));
      if (versions.empty()) return absl::OkStatus();
      for (const Version& version : versions) {
        range.after = version.key;
        RETURN_IF_ERROR(transaction.Remove(from, version.key).status());
        if (!target.has_value()) continue;
        ASSIGN_OR_RETURN(json::object object, ParseBody(from.gvk, version.revision, version.body));
        if (target->gvr().GroupResource() == kCustomResourceDefinitions) {
          const absl::Status usable = CheckDefinition(object);
          if (!usable.ok()) {
            problems.push_back({Sort::kUnreadable, definitions_.at(version.key),
                                StrCat(version.key, ": ", ToStd(usable.message()))});
            continue;
          }
        }
        kube::NamespacedName name = storage::NameOf(version.key);
        json::object& metadata = MetadataOf(object);
        if (!target->namespaced) {
          name.ns.clear();
          metadata.erase("namespace");
        } else {
          if (name.ns.empty()) name.ns = kDefaultNamespace;
          metadata["namespace"] = name.ns;
        }
        RETURN_IF_ERROR(transaction.Put(*target, KeyOf(name.ns, name.name), object).status());
      }
    }
  }

  static absl::Status CheckDefinition(const json::object& crd) {
    RETURN_IF_ERROR(CheckCrd(crd));
    if (StringAt(crd.at("spec").get_object(), "group") != kViewsGroup) return absl::OkStatus();
    return absl::InvalidArgumentError("its resources are computed here");
  }

  StatusTask AssumeNamespaces() {
    std::vector<Write> writes;
    const kube::ResourceType& type = builtin_.at(GroupKind("", "Namespace"));
    for (const auto& [ns, where] : used_) {
      if (namespaces_.count(ns) > 0) continue;
      summary_.Add({Sort::kAssumed, where, ns});
      Write write{type, ns, {}};
      write.from.object = {{"metadata",
                            {{"name", ns},
                             {"uid", UidOf(type.gvk, {"", ns})},
                             {"labels", {{"kubernetes.io/metadata.name", ns}}},
                             {"annotations", {{kAssumedAnnotation, "true"}}}}}};
      writes.push_back(std::move(write));
    }
    co_return co_await Put(writes);
  }

  void AddMissing() {
    for (const auto& [name, of_it] : wanted_) {
      if (originals_.count(name) > 0) continue;
      summary_.Add({Sort::kMissing, of_it.second,
                    StrCat(kCsvKind, " ", name.ns, "/", name.name, ", of which ", of_it.first,
                           of_it.first == 1 ? " copy is here" : " copies are here")});
    }
    if (!originals_.empty() && !has_groups_) {
      summary_.Add({Sort::kMissing, "",
                    "OperatorGroups, without which no operator is known to work anywhere"});
    }
  }

  StatusTask Count() {
    const CatalogPtr catalog = store_.catalog();
    const int64_t revision = store_.revision();
    std::function<absl::StatusOr<bool>(VersionTable&)> read =
        [&](VersionTable& table) -> absl::StatusOr<bool> {
      for (const kube::ResourceType* type : catalog->StoredTypes()) {
        const std::string resource = type->gvr().GroupResource();
        ASSIGN_OR_RETURN(const int64_t count, table.Count(resource, KeyRange{}, revision));
        if (count > 0) summary_.objects[resource] = static_cast<size_t>(count);
      }
      return true;
    };
    summary_.copies = copies_.size();
    co_return (co_await store_.Read(std::move(read))).status();
  }

  Store& store_;
  const std::unique_ptr<DumpFiles> files_;
  std::map<GroupKind, kube::ResourceType> builtin_;  // their storage versions
  // Kinds that are not built in, as paths describe them; by resource.
  std::map<std::string, kube::ResourceType> described_;
  std::map<GroupKind, Waiting> waiting_;
  std::map<std::string, std::string> definitions_;  // where each is
  absl::flat_hash_map<std::string, Taken> taken_;
  std::set<std::string> namespaces_;
  std::map<std::string, std::string> used_;  // namespaces, and where the first object of each is
  std::set<kube::NamespacedName> originals_, copies_;
  // By original: the number of its copies, and where the first copy is.
  std::map<kube::NamespacedName, std::pair<size_t, std::string>> wanted_;
  bool has_groups_ = false;
  bool cut_off_ = false;
  DumpSummary summary_;
  size_t found_ = 0;  // objects, and problems in files
  absl::Status trouble_;
  std::shared_ptr<StopSignal> before_ = std::make_shared<StopSignal>();
  // Set when the next batch may be read: when the batch before it has been read or, if it is large,
  // taken.
  std::shared_ptr<StopSignal> may_read_ = std::make_shared<StopSignal>();
  size_t working_ = 0;
  StopSignal ended_;  // no worker is working
  // The threads are the last members, so that they end first.
  OwnThread reader_;
  std::deque<OwnThread> threads_;
};

}  // namespace

Task<DumpSummary> LoadDump(Store& store, std::unique_ptr<DumpFiles> files) {
  Loader loader(store, std::move(files));
  co_return co_await loader.Load();
}

}  // namespace steward::storage
