#include "controllers/runtime/metadata/metadata_watch.h"

#include <algorithm>
#include <utility>

namespace steward::controllers {

MetadataWatch::~MetadataWatch() {
  for (const Part& part : parts_) part.informer->RemoveUser(part.user);
}

bool MetadataWatch::Selects(const kube::NamespacedName& name) const {
  return !namespaces_.has_value() || namespaces_->contains(name.ns);
}

bool MetadataWatch::synced() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.informer->synced(part.user); });
}

absl::Status MetadataWatch::health() const {
  for (const Part& part : parts_) {
    if (!part.informer->health().ok()) return part.informer->health();
  }
  return absl::OkStatus();
}

bool MetadataWatch::truncated() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.informer->truncated(); });
}

size_t MetadataWatch::size() const {
  size_t size = 0;
  ForEach([&size](const kube::ObjectMeta&) { ++size; });
  return size;
}

void MetadataWatch::ForEach(const std::function<void(const kube::ObjectMeta&)>& visit) const {
  for (const Part& part : parts_) {
    for (const auto& [name, object] : part.informer->objects()) {
      if (Selects(name)) visit(object);
    }
  }
}

const kube::ObjectMeta* MetadataWatch::Find(const kube::NamespacedName& name) const {
  if (!Selects(name)) return nullptr;
  for (const Part& part : parts_) {
    const auto it = part.informer->objects().find(name);
    if (it != part.informer->objects().end()) return &it->second;
  }
  return nullptr;
}

MetadataWatches::MetadataWatches(kube::Client& client, Clock& clock, Random& random,
                                 boost::asio::any_io_executor executor,
                                 MetadataWatchesOptions options)
    : client_(client),
      clock_(clock),
      random_(random),
      options_(options),
      tasks_(std::move(executor)) {}

MetadataWatches::~MetadataWatches() = default;

std::shared_ptr<MetadataInformer> MetadataWatches::InformerOf(const MetadataScope& scope) {
  std::erase_if(informers_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<MetadataInformer>& known = informers_[scope];
  std::shared_ptr<MetadataInformer> informer = known.lock();
  if (informer == nullptr) {
    informer = std::make_shared<MetadataInformer>(client_, clock_, random_, tasks_, scope,
                                                  options_.max_objects);
    known = informer;
  }
  return informer;
}

std::unique_ptr<MetadataWatch> MetadataWatches::Open(MetadataSelection selection,
                                                     MetadataCallbacks callbacks) {
  std::unique_ptr<MetadataWatch> watch(new MetadataWatch(selection.namespaces));
  const auto add = [&](const std::string& ns, MetadataInformer::Namespaces wanted) {
    std::shared_ptr<MetadataInformer> informer = InformerOf(
        {selection.gvr, selection.label_selector, selection.field_selector, ns, selection.hold});
    const MetadataInformer::UserId user = informer->AddUser(std::move(wanted), callbacks);
    watch->parts_.push_back({std::move(informer), user});
  };
  if (IsSeparate(selection)) {
    for (const std::string& ns : *selection.namespaces) add(ns, std::set<std::string>{ns});
  } else {
    add("", selection.namespaces);
  }
  return watch;
}

bool MetadataWatches::IsSeparate(const MetadataSelection& selection) const {
  return selection.namespaces.has_value() &&
         selection.namespaces->size() <= options_.max_separate_namespaces;
}

size_t MetadataWatches::StreamsOf(const MetadataSelection& selection) const {
  return IsSeparate(selection) ? selection.namespaces->size() : 1;
}

VoidTask MetadataWatches::Stop() { co_await tasks_.Stop(); }

size_t MetadataWatches::running() const {
  return static_cast<size_t>(
      std::count_if(informers_.begin(), informers_.end(), [](const auto& entry) {
        const auto informer = entry.second.lock();
        return informer != nullptr && informer->running();
      }));
}

}  // namespace steward::controllers
