#include "apiserver/rest/testing/fake_mutations.h"

#include <boost/json/object.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string_view>

#include "apiserver/rest/testing/fake_resource.h"

namespace steward::rest {
namespace {

class OneWidget : public Cursor {
 public:
  explicit OneWidget(FakeObject object) : object_(std::move(object)) {}
  const Object* Next() override { return std::exchange(done_, true) ? nullptr : &object_; }

 private:
  const FakeObject object_;
  bool done_ = false;
};

std::string NameIn(const boost::json::value& object) {
  boost::system::error_code error;
  const boost::json::value* name = object.find_pointer("/metadata/name", error);
  return name != nullptr && name->is_string() ? std::string(name->get_string()) : "";
}

}  // namespace

void FakeMutations::AddTo(Resource& resource) {
  resource.create = this;
  resource.update = this;
  resource.patch = this;
  resource.del = this;
  resource.patch_types = {"application/json-patch+json", "application/merge-patch+json",
                          "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
  Subresource& status = resource.subresources.emplace_back();
  status.name = "status";
  status.get_object = resource.get;
  status.update = this;
  status.patch = this;
}

absl::StatusOr<WriteResult> FakeMutations::Answer(Call call) {
  const kube::NamespacedName name = call.name;
  const std::string verb = call.verb;
  calls_.push_back(std::move(call));
  if (!failure_.ok()) return failure_;
  WriteResult result;
  result.warnings = warnings_;
  result.status_json = status_json_;
  if (status_json_.empty()) {
    result.reading.resource_version = "78";
    result.reading.cursor =
        std::make_unique<OneWidget>(FakeObject(name.ns, name.name, kube::LabelMap(), verb));
  }
  return result;
}

Task<WriteResult> FakeMutations::Create(const std::string& ns, boost::json::value object,
                                        const kube::WriteOptions& options) {
  Call call;
  call.verb = "create";
  call.name = {ns, NameIn(object)};
  call.body = std::move(object);
  call.options = options;
  co_return Answer(std::move(call));
}

Task<WriteResult> FakeMutations::Update(const kube::NamespacedName& name, boost::json::value object,
                                        const kube::WriteOptions& options) {
  Call call;
  call.verb = "update";
  call.name = name;
  call.body = std::move(object);
  call.options = options;
  co_return Answer(std::move(call));
}

Task<WriteResult> FakeMutations::Patch(const kube::NamespacedName& name, kube::PatchType type,
                                       boost::json::value patch,
                                       const kube::WriteOptions& options) {
  Call call;
  call.verb = "patch";
  call.name = name;
  call.body = std::move(patch);
  call.options = options;
  call.patch_type = type;
  co_return Answer(std::move(call));
}

Task<WriteResult> FakeMutations::Delete(const kube::NamespacedName& name,
                                        const kube::DeleteOptions& options) {
  Call call;
  call.verb = "delete";
  call.name = name;
  call.delete_options = options;
  co_return Answer(std::move(call));
}

}  // namespace steward::rest
