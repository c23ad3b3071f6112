#include "controllers/cleanup/reporting/csv_writer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "base/status/macros.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/step.h"

namespace steward::controllers {
namespace json = boost::json;

StatusTask CsvWriter::Patch(const kube::NamespacedName& csv, const json::value& patch,
                            std::string subresource) {
  CO_RETURN_IF_ERROR(leadership_.Check());
  kube::WriteOptions options;
  options.subresource = std::move(subresource);
  options.field_manager = kFieldManager;
  co_return (co_await client_.Patch(kCsvs, csv, kube::PatchType::kJsonMerge, patch, options))
      .status();
}

Task<bool> CsvWriter::RemoveFinalizers(const olm::CsvFacts& csv,
                                       std::vector<std::string_view> gone) {
  const std::vector<std::string> left = olm::FinalizersWithout(csv.finalizers, gone);
  json::object metadata{{"resourceVersion", csv.resource_version}};
  if (left.empty()) {
    metadata["finalizers"] = nullptr;
  } else {
    metadata["finalizers"] = json::array(left.begin(), left.end());
  }
  const json::value patch = json::object{{"metadata", std::move(metadata)}};
  const absl::Status status = co_await Patch(csv.key, patch, "");
  if (kube::IsConflict(status)) co_return false;
  if (!kube::IsNotFound(status, csv.key.name)) CO_RETURN_IF_ERROR(status);
  co_return true;
}

Task<bool> CsvWriter::Annotate(const olm::CsvFacts& csv, std::string_view key, std::string value) {
  co_return co_await Mark(csv, "annotations", key, std::move(value));
}

Task<bool> CsvWriter::Label(const olm::CsvFacts& csv, std::string_view key, std::string value) {
  co_return co_await Mark(csv, "labels", key, std::move(value));
}

Task<bool> CsvWriter::Mark(const olm::CsvFacts& csv, std::string_view field, std::string_view key,
                           std::string value) {
  json::object metadata{{"resourceVersion", csv.resource_version}};
  metadata[field].emplace_object()[key] = value;
  const json::value patch = json::object{{"metadata", std::move(metadata)}};
  const absl::Status status = co_await Patch(csv.key, patch, "");
  if (kube::IsConflict(status) || kube::IsNotFound(status, csv.key.name)) co_return false;
  CO_RETURN_IF_ERROR(status);
  co_return true;
}

Task<bool> CsvWriter::WriteStatus(const kube::NamespacedName& csv, const json::value& patch) {
  const absl::Status status = co_await Patch(csv, patch, "status");
  if (kube::IsConflict(status) || kube::IsNotFound(status, csv.name)) co_return false;
  CO_RETURN_IF_ERROR(status);
  co_return true;
}

}  // namespace steward::controllers
