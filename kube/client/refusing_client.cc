#include "kube/client/refusing_client.h"

#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/provider_version.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

// Owns the error that it returns: the client may be gone before its call ends.
template <typename T>
Task<T> Refuse(absl::Status error) {
  co_return error;
}

class RefusingClient : public Client, public ProviderVersions {
 public:
  explicit RefusingClient(absl::Status error) : error_(std::move(error)) {}

  Task<RawObject> Get(const GroupVersionResource&, const NamespacedName&) override {
    return Refuse<RawObject>(error_);
  }
  Task<ListPage> List(const GroupVersionResource&, const ListOptions&) override {
    return Refuse<ListPage>(error_);
  }
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource&,
                                          const WatchOptions&) override {
    return Refuse<std::unique_ptr<Watch>>(error_);
  }
  Task<json::value> Create(const GroupVersionResource&, const std::string&, const json::value&,
                           const WriteOptions&) override {
    return Refuse<json::value>(error_);
  }
  Task<json::value> Update(const GroupVersionResource&, const json::value&,
                           const WriteOptions&) override {
    return Refuse<json::value>(error_);
  }
  Task<json::value> Patch(const GroupVersionResource&, const NamespacedName&, PatchType,
                          const json::value&, const WriteOptions&) override {
    return Refuse<json::value>(error_);
  }
  Task<json::value> Delete(const GroupVersionResource&, const NamespacedName&,
                           const DeleteOptions&) override {
    return Refuse<json::value>(error_);
  }
  Task<std::vector<ApiResource>> Discover(const GroupVersion&) override {
    return Refuse<std::vector<ApiResource>>(error_);
  }
  Task<std::vector<GroupVersion>> DiscoverGroups() override {
    return Refuse<std::vector<GroupVersion>>(error_);
  }
  Task<std::string> ServerVersion() override { return Refuse<std::string>(error_); }
  Task<std::string> ProviderVersion(const GroupVersion&) override {
    return Refuse<std::string>(error_);
  }
  Task<absl::Time> ServerTime() override { return Refuse<absl::Time>(error_); }
  std::unique_ptr<Client> As(const UserInfo&) override { return MakeRefusingClient(error_); }

 private:
  const absl::Status error_;
};

}  // namespace

std::unique_ptr<Client> MakeRefusingClient(absl::Status error) {
  return std::make_unique<RefusingClient>(std::move(error));
}

}  // namespace steward::kube
