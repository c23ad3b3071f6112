#include "plugin/copied_csvs/olm_config.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>

#include "base/json/json_access.h"
#include "base/status/with_context.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/config/olm_config.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {

namespace json = boost::json;

Copies CopiesBy(const json::object& olm_config) {
  const absl::StatusOr<std::optional<bool>> word = olm::DisablesCopies(olm_config);
  if (!word.ok()) return Copies::kNotUnderstood;
  if (word->has_value()) return **word ? Copies::kOff : Copies::kOn;
  const json::object* status = ObjectAt(olm_config, "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (conditions == nullptr) return Copies::kOn;
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition != nullptr && StringAt(*condition, "type") == olm::kDisabledCopiedCsvs &&
        (StringAt(*condition, "status") == "True" ||
         StringAt(*condition, "reason") == olm::kCopiedCsvsDisabled)) {
      return Copies::kOff;
    }
  }
  return Copies::kOn;
}

Task<Copies> ReadCopies(kube::Client& client) {
  const kube::NamespacedName name{"", olm::kOlmConfigName};
  const absl::StatusOr<json::value> config = co_await ReadObject(client, kOlmConfigs, name);
  if (config.ok()) co_return CopiesBy(config->get_object());
  const absl::Status& status = config.status();
  if (kube::IsNotFound(status, olm::kOlmConfigName) || kube::IsNotServed(status))
    co_return Copies::kOn;
  if (kube::IsForbidden(status)) co_return Copies::kUnknown;
  co_return WithContext("reading olmconfigs.operators.coreos.com cluster", status);
}

}  // namespace steward::plugin
