#include "plugin/saving/restore.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/saving/save_folder.h"
#include "plugin/saving/save_index.h"
#include "plugin/saving/saved_object.h"
#include "plugin/saving/saved_path.h"
#include "plugin/terminal/printer.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

// The number of objects named for each kind of failure.
constexpr size_t kMostTold = 20;

struct Item {
  const SavedResource* resource;
  kube::NamespacedName name;
};

std::string Describe(const Item& item) {
  return StrCat(item.resource->crd, " ", item.name.ns.empty() ? "" : StrCat(item.name.ns, "/"),
                item.name.name);
}

// Cluster-scoped objects come first, as others may refer to them.
std::vector<Item> InOrder(const SaveIndex& index) {
  std::vector<Item> items;
  for (const SavedResource& resource : index.resources) {
    for (const kube::NamespacedName& name : resource.objects) items.push_back({&resource, name});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.name.ns < b.name.ns; });
  return items;
}

absl::StatusOr<json::value> Load(const SaveFolder& folder, const Item& item) {
  const std::string path = SavedPath(item.resource->crd, item.name);
  absl::StatusOr<std::string> yaml = folder.Read(path);
  if (!yaml.ok()) return WithContext(StrCat(folder.path(), "/", path), yaml.status());
  absl::StatusOr<json::value> object = ObjectToRestore(*yaml, *item.resource, item.name);
  if (!object.ok()) return WithContext(StrCat(folder.path(), "/", path), object.status());
  return object;
}

// Checks one file at a time, so that memory is that of one object.
absl::Status CheckAll(const SaveFolder& folder, const std::vector<Item>& items) {
  for (const Item& item : items) RETURN_IF_ERROR(Load(folder, item).status());
  return absl::OkStatus();
}

// The error, with words that say what to do.
std::string Explain(const Item& item, const absl::Status& status) {
  if (kube::IsNotServed(status)) {
    return StrCat("the definition ", item.resource->crd, " is not installed, or does not serve ",
                  item.resource->gvk.version, "; install the operator first");
  }
  if (kube::IsNotFound(status, item.name.ns)) {
    return StrCat("there is no namespace ", item.name.ns, "; create it first");
  }
  return std::string(ToStd(status.message()));
}

class Restoration {
 public:
  Restoration(Session& session, RestoreOptions options)
      : session_(session), options_(std::move(options)), folder_(options_.folder) {}

  StatusTask Run();

 private:
  StatusTask CreateAll();
  // Creates one object and counts the result. An error ends the whole restoration.
  StatusTask CreateOne(const Item& item);
  void Fail(const Item& item, const absl::Status& status);
  absl::Status Conclude();

  Session& session_;
  const RestoreOptions options_;
  SaveFolder folder_;
  std::vector<Item> items_;
  int64_t created_ = 0;
  std::vector<std::string> existing_;
  std::map<std::string, std::vector<std::string>> failed_;  // the objects' names, by error
  int64_t failures_ = 0;
};

void Restoration::Fail(const Item& item, const absl::Status& status) {
  ++failures_;
  failed_[Explain(item, status)].push_back(Describe(item));
}

StatusTask Restoration::CreateOne(const Item& item) {
  CO_ASSIGN_OR_RETURN(const json::value object, Load(folder_, item));
  kube::WriteOptions options;
  options.dry_run = options_.dry_run;
  options.field_manager = kFieldManager;
  const absl::StatusOr<json::value> answer =
      co_await session_.client.Create(item.resource->gvr(), item.name.ns, object, options);
  if (answer.ok()) {
    ++created_;
  } else if (kube::IsAlreadyExists(answer.status())) {
    existing_.push_back(Describe(item));
  } else if (kube::IsTransient(answer.status())) {
    // The object may have been created. The same command, run again, finds out and continues.
    co_return WithContext(StrCat("creating ", Describe(item)), answer.status());
  } else {
    Fail(item, answer.status());
  }
  co_return absl::OkStatus();
}

StatusTask Restoration::CreateAll() {
  for (size_t i = 0; i < items_.size(); ++i) {
    CO_RETURN_IF_ERROR(co_await CreateOne(items_[i]));
    session_.terminal.Draw(StrCat("Restoring: ", i + 1, " of ", items_.size()), "");
  }
  session_.terminal.Clear();
  co_return absl::OkStatus();
}

absl::Status Restoration::Conclude() {
  json::array failed;
  for (const auto& [why, objects] : failed_) {
    session_.terminal.Line(StrCat("Not restored: ", why), Style::kBad);
    PrintSome(session_.terminal, objects, kMostTold);
    for (const std::string& object : objects) {
      failed.push_back({{"object", object}, {"message", why}});
    }
  }
  for (size_t i = 0; i < std::min(kMostTold, existing_.size()); ++i) {
    session_.terminal.Line(StrCat("Left as it is: ", existing_[i], " exists"));
  }
  if (existing_.size() > kMostTold) {
    session_.terminal.Line(
        StrCat("Left as they are: ", existing_.size() - kMostTold, " more that exist"));
  }
  session_.document["created"] = created_;
  session_.document["existing"] = json::array(existing_.begin(), existing_.end());
  session_.document["failed"] = std::move(failed);
  session_.terminal.Line(StrCat(options_.dry_run ? "Would restore " : "Restored ",
                                CountText(created_, "custom resource"), ", ", existing_.size(),
                                " left as they are, ", failures_, " failed"),
                         failures_ == 0 ? Style::kGood : Style::kWarning);
  if (failures_ == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat(CountText(failures_, "custom resource"), " could not be restored"));
}

StatusTask Restoration::Run() {
  absl::StatusOr<SaveIndex> index = folder_.ReadIndex();
  if (!index.ok()) co_return Misused(ToStd(index.status().message()));
  if (!index->complete) {
    co_return Misused(
        StrCat(options_.folder, " was not saved to the end; before it was, nothing was deleted"));
  }
  items_ = InOrder(*index);
  CO_RETURN_IF_ERROR(CheckAll(folder_, items_));
  session_.document["folder"] = options_.folder;
  session_.terminal.Line(StrCat("Saved of ClusterServiceVersion ", index->csv.ns, "/",
                                index->csv.name, " at ", index->saved_at, ":"),
                         Style::kStrong);
  for (const SavedResource& resource : index->resources) {
    session_.terminal.Line(StrCat("  ", resource.crd, "  ", resource.objects.size()));
  }
  if (!options_.dry_run && !items_.empty()) {
    const auto count = static_cast<int64_t>(items_.size());
    const std::string question = StrCat("Create ", CountText(count, "custom resource"), "?");
    CO_RETURN_IF_ERROR(Confirm(session_, question));
  }
  const absl::Status status = co_await CreateAll();
  const absl::Status concluded = Conclude();
  CO_RETURN_IF_ERROR(status);
  co_return concluded;
}

class RestoreCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", options_.folder, "The folder that was saved to")
        ->required()
        ->type_name("");
    AddDryRunFlag(app, options_.dry_run, "Have the server check everything and keep nothing");
  }
  absl::Status Check(const CommonFlags& common) const override {
    if (common.ns.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--namespace does not go with restore: everything is created where it was");
  }
  StatusTask Run(Session& session) override { return Restore(session, options_); }

 private:
  RestoreOptions options_;
};

}  // namespace

StatusTask Restore(Session& session, RestoreOptions options) {
  Restoration restoration(session, std::move(options));
  co_return co_await restoration.Run();
}

KnownCommand KnownRestore() {
  return {.name = "restore",
          .description = "Create again what an uninstallation saved",
          .report = "RestoreReport",
          .examples = {{"Create again what an uninstallation saved",
                        "restore steward-saved/operators/widgets.v1.2.3-5da50b33"}},
          .asks = true,
          .make = [] { return std::make_unique<RestoreCommand>(); }};
}

}  // namespace steward::plugin
