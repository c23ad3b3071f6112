// A client that refuses each call. Thread-safe: immutable.
#ifndef KUBE_CLIENT_REFUSING_CLIENT_H_
#define KUBE_CLIENT_REFUSING_CLIENT_H_

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/provider_version.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// Each call ends with `error`. So does each call of the clients that As returns, even after this
// client is gone. Subclasses override the calls that they answer.
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
  Task<boost::json::value> Create(const GroupVersionResource&, const std::string&,
                                  const boost::json::value&, const WriteOptions&) override {
    return Refuse<boost::json::value>(error_);
  }
  Task<boost::json::value> Update(const GroupVersionResource&, const boost::json::value&,
                                  const WriteOptions&) override {
    return Refuse<boost::json::value>(error_);
  }
  Task<boost::json::value> Patch(const GroupVersionResource&, const NamespacedName&, PatchType,
                                 const boost::json::value&, const WriteOptions&) override {
    return Refuse<boost::json::value>(error_);
  }
  Task<boost::json::value> Delete(const GroupVersionResource&, const NamespacedName&,
                                  const DeleteOptions&) override {
    return Refuse<boost::json::value>(error_);
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
  std::unique_ptr<Client> As(const UserInfo&) override {
    return std::make_unique<RefusingClient>(error_);
  }

 private:
  template <typename T>
  static Task<T> Refuse(absl::Status error) {
    co_return error;
  }

  const absl::Status error_;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REFUSING_CLIENT_H_
