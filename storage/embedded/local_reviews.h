// Authentication and authorization where there is no kube-apiserver to ask. Thread-safe: stateless.
#ifndef STORAGE_EMBEDDED_LOCAL_REVIEWS_H_
#define STORAGE_EMBEDDED_LOCAL_REVIEWS_H_

#include <memory>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/meta/user_info.h"

namespace steward::storage {

// Answers reviews: no token belongs to a user (TokenReview), and no action is allowed
// (SubjectAccessReview). An API server that asks it serves only the group system:masters, which
// needs no review. Every other request gets 404.
class LocalReviews : public kube::Client {
 public:
  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override;
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override;
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override;
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Patch(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, kube::PatchType type,
                                 const boost::json::value& patch,
                                 const kube::WriteOptions& options) override;
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override;
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override;
  Task<std::vector<kube::GroupVersion>> DiscoverGroups() override;
  // The answers are the same for everyone who asks.
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LOCAL_REVIEWS_H_
