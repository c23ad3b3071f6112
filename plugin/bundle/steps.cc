#include "plugin/bundle/steps.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/plan/bundle.h"
#include "olm/plan/step_kind.h"
#include "plugin/bundle/lint.h"
#include "plugin/terminal/printer.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

// The namespace for a bundle that is examined without being installed.
constexpr char kSomeNamespace[] = "default";

class StepsCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", folder_, "Folder of the bundle, with manifests/ and metadata/")
        ->required();
  }

  StatusTask Run(Session& session) override {
    CO_ASSIGN_OR_RETURN(const BundleFolder bundle, ReadBundleFolder(folder_));
    CO_ASSIGN_OR_RETURN(const std::vector<olm::PlanStep> steps,
                        StepsOfFolder(bundle, kSomeNamespace));
    Table table({"STEP", "KIND", "NAME", "OPTIONAL"});
    json::array list;
    for (size_t i = 0; i < steps.size(); ++i) {
      const olm::PlanStep& step = steps[i];
      const bool effective = step.optional && olm::CanBeOptional(step.gvk);
      const char* text = effective ? "yes" : step.optional ? "declared, without effect" : "";
      const kube::GroupVersionKind kind = olm::ObjectKind(step.gvk);
      table.Add({{StrCat(i + 1)}, {kind.kind}, {step.name}, {text}});
      list.push_back(json::object{{"group", kind.group},
                                  {"version", kind.version},
                                  {"kind", kind.kind},
                                  {"name", step.name},
                                  {"declaredOptional", step.optional},
                                  {"optional", effective}});
    }
    table.Print(session.terminal);
    session.document["steps"] = std::move(list);
    co_return absl::OkStatus();
  }

 private:
  std::string folder_;
};

}  // namespace

absl::StatusOr<std::vector<olm::PlanStep>> StepsOfFolder(const BundleFolder& bundle,
                                                         const std::string& ns) {
  RETURN_IF_ERROR(WhyNotInstalled(bundle));
  return olm::StepsOf(bundle.Objects(), bundle.declared, ns);
}

KnownCommand KnownBundleSteps() {
  return {.name = "steps",
          .description = "Show the steps of the InstallPlan that a bundle makes",
          .report = "BundleSteps",
          .examples = {{"Show what OLM would create of a bundle", "bundle steps ./bundle"}},
          .needs_cluster = false,
          .make = [] { return std::make_unique<StepsCommand>(); }};
}

}  // namespace steward::plugin
