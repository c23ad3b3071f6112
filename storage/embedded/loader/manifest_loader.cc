#include "storage/embedded/loader/manifest_loader.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/async/in_flight.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/manifest/manifest_reader.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "storage/embedded/loader/manifest_plan.h"
#include "storage/embedded/loader/manifest_writer.h"
#include "storage/embedded/types/builtin_types.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// The number of writes under way: those that wait at the same time share one commit.
constexpr size_t kInFlight = 64;
constexpr size_t kNamesInLog = 10;

std::string Sentence(const kube::ManifestProblem& problem) {
  return StrCat(problem.where, ": ", problem.what);
}

// True for failures of the cluster itself, which would also stop the next object.
bool IsTrouble(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kFailedPrecondition) return false;
  return kube::FromStatus(status).code >= 500;
}

void LogNotes(const ManifestPlan& plan, const LoadResult& result) {
  const std::vector<std::string>& made = result.made_namespaces;
  if (!made.empty()) {
    const auto shown = static_cast<ptrdiff_t>(std::min(made.size(), kNamesInLog));
    log::Info("Made namespaces that objects live in and no manifest makes",
              {{"count", made.size()},
               {"names", absl::StrJoin(made.begin(), made.begin() + shown, " ")}});
  }
  if (plan.without_owners > 0) {
    log::Info("Left out owner references: they name objects of another cluster by UID",
              {{"objects", plan.without_owners}});
  }
  if (result.skipped > LoadResult::kMaxProblems) {
    log::Warning("Skipped more than is listed here", {{"skipped", result.skipped}});
  }
}

class Loader {
 public:
  explicit Loader(kube::Client& client) : client_(client) {}

  StatusTask Write(const std::vector<PlannedObject>& objects) {
    co_await ForEachInFlight(objects.size(), kInFlight,
                             [this, &objects](size_t i) { return WriteOne(objects[i]); });
    co_return trouble_;
  }

  // Adds the names of the Namespaces that it created to `made`.
  StatusTask MakeNamespaces(const std::vector<std::string>& names, std::vector<std::string>& made) {
    co_await ForEachInFlight(names.size(), kInFlight,
                             [this, &names, &made](size_t i) { return MakeOne(names[i], made); });
    std::sort(made.begin(), made.end());
    co_return trouble_;
  }

  void Report(const kube::ManifestProblem& problem) {
    if (++result_.skipped > LoadResult::kMaxProblems) return;
    result_.problems.push_back(problem);
    log::Warning("Skipped", {{"at", problem.where}, {"why", problem.what}});
  }

  LoadResult& result() { return result_; }

 private:
  VoidTask WriteOne(const PlannedObject& planned) {
    if (!trouble_.ok()) co_return;
    const absl::StatusOr<Written> written = co_await WritePlanned(client_, planned);
    if (!written.ok()) {
      Fail(planned, written.status());
    } else if (*written == Written::kCreated) {
      ++result_.created;
    } else if (*written == Written::kUpdated) {
      ++result_.updated;
    } else {
      ++result_.unchanged;
    }
  }

  void Fail(const PlannedObject& planned, const absl::Status& status) {
    if (!IsTrouble(status)) {
      Report({planned.where, StrCat(planned.Name(), ": ", ToStd(status.message()))});
    } else if (trouble_.ok()) {
      trouble_ = status;
    }
  }

  VoidTask MakeOne(const std::string& name, std::vector<std::string>& made) {
    if (!trouble_.ok()) co_return;
    const json::value object = {
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
    const kube::GroupVersionResource gvr = {"", "v1", std::string(kNamespaces)};
    const kube::WriteOptions options;
    const absl::Status status = (co_await client_.Create(gvr, "", object, options)).status();
    if (status.ok()) {
      made.push_back(name);
    } else if (!kube::IsAlreadyExists(status) && trouble_.ok() && IsTrouble(status)) {
      trouble_ = status;
    }
    // The objects in the Namespace meet any other refusal again, and report it.
  }

  kube::Client& client_;
  LoadResult result_;
  absl::Status trouble_;  // the first failure of the cluster
};

}  // namespace

Task<LoadResult> LoadManifests(kube::Client& client, CatalogPtr catalog, LoadOptions options) {
  CO_ASSIGN_OR_RETURN(kube::Manifests manifests,
                      co_await kube::ReadManifests(std::move(options.paths)));
  const ManifestPlan plan = PlanManifests(std::move(manifests), *catalog);
  Loader loader(client);
  for (const kube::ManifestProblem& problem : plan.problems) loader.Report(problem);
  if (options.strict && !plan.problems.empty()) {
    const size_t more = plan.problems.size() - 1;
    co_return absl::InvalidArgumentError(
        StrCat(Sentence(plan.problems.front()),
               more == 0 ? "" : StrCat(" (and ", more, " more problems)"), "; nothing was loaded"));
  }
  LoadResult& result = loader.result();
  std::vector<std::string> asked_for;
  CO_RETURN_IF_ERROR(co_await loader.Write(plan.definitions));
  CO_RETURN_IF_ERROR(co_await loader.Write(plan.namespaces));
  CO_RETURN_IF_ERROR(co_await loader.MakeNamespaces(options.namespaces, asked_for));
  CO_RETURN_IF_ERROR(
      co_await loader.MakeNamespaces(plan.missing_namespaces, result.made_namespaces));
  CO_RETURN_IF_ERROR(co_await loader.Write(plan.others));
  LogNotes(plan, result);
  result.without_owners = plan.without_owners;
  co_return std::move(result);
}

}  // namespace steward::storage
