// A sorted map whose versions share structure: changing one entry copies O(log n) nodes and leaves
// every older version unchanged. Const members are thread-safe.
#ifndef STORAGE_WORLD_ORDERED_MAP_H_
#define STORAGE_WORLD_ORDERED_MAP_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"

namespace steward::storage {

// A value: a copy costs one pointer copy. Set and Erase must not run at the same time as any other
// use of the same copy. An iterator is valid only as long as a map holds its version. An AVL tree
// with path copying; K needs operator<.
template <typename K, typename V>
class OrderedMap {
  struct Node;
  using Ptr = std::shared_ptr<const Node>;
  struct Node {
    K key;
    V value;
    Ptr left, right;
    size_t size;
    int height;
  };

 public:
  class Iterator {
   public:
    const K& key() const { return path_.back()->key; }
    const V& value() const { return path_.back()->value; }
    bool done() const { return path_.empty(); }
    void Next() {
      const Node* node = path_.back();
      path_.pop_back();
      Descend(node->right.get());
    }

   private:
    friend class OrderedMap;
    void Descend(const Node* node) {
      for (; node != nullptr; node = node->left.get()) path_.push_back(node);
    }
    std::vector<const Node*> path_;  // nodes whose left side is done, deepest last
  };

  size_t size() const { return Size(root_); }
  bool empty() const { return root_ == nullptr; }
  // True if both are the same version, so that their entries are equal. False proves nothing:
  // different versions may have equal entries.
  bool SharesWith(const OrderedMap& other) const { return root_ == other.root_; }

  // Null when absent. The pointer is valid as long as some version holds the entry.
  const V* Find(const K& key) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    const Node* node = root_.get();
    while (node != nullptr) {
      if (key < node->key) {
        node = node->left.get();
      } else if (node->key < key) {
        node = node->right.get();
      } else {
        return &node->value;
      }
    }
    return nullptr;
  }

  Iterator begin() const {
    Iterator it;
    it.Descend(root_.get());
    return it;
  }

  // The first entry with a key not less than `key`.
  Iterator LowerBound(const K& key) const {
    Iterator it;
    const Node* node = root_.get();
    while (node != nullptr) {
      if (node->key < key) {
        node = node->right.get();
      } else {
        it.path_.push_back(node);
        node = node->left.get();
      }
    }
    return it;
  }

  // The number of entries with a key not less than `key`.
  size_t CountFrom(const K& key) const {
    size_t count = 0;
    const Node* node = root_.get();
    while (node != nullptr) {
      if (node->key < key) {
        node = node->right.get();
      } else {
        count += 1 + Size(node->right);
        node = node->left.get();
      }
    }
    return count;
  }

  void Set(const K& key, V value) { root_ = Insert(root_, key, std::move(value)); }
  // Returns false when there was nothing to erase.
  bool Erase(const K& key) {
    if (Find(key) == nullptr) return false;
    root_ = Remove(root_, key);
    return true;
  }

 private:
  static size_t Size(const Ptr& node) { return node ? node->size : 0; }
  static int Height(const Ptr& node) { return node ? node->height : 0; }

  static Ptr Make(K key, V value, Ptr left, Ptr right) {
    const size_t size = Size(left) + Size(right) + 1;
    const int height = std::max(Height(left), Height(right)) + 1;
    return std::make_shared<const Node>(
        Node{std::move(key), std::move(value), std::move(left), std::move(right), size, height});
  }

  // Like Make, for sides whose heights differ by at most two.
  static Ptr Balance(K key, V value, Ptr left, Ptr right) {
    if (Height(left) > Height(right) + 1) {
      if (Height(left->left) >= Height(left->right)) {
        return Make(left->key, left->value, left->left,
                    Make(std::move(key), std::move(value), left->right, std::move(right)));
      }
      const Ptr& middle = left->right;
      return Make(middle->key, middle->value,
                  Make(left->key, left->value, left->left, middle->left),
                  Make(std::move(key), std::move(value), middle->right, std::move(right)));
    }
    if (Height(right) > Height(left) + 1) {
      if (Height(right->right) >= Height(right->left)) {
        return Make(right->key, right->value,
                    Make(std::move(key), std::move(value), std::move(left), right->left),
                    right->right);
      }
      const Ptr& middle = right->left;
      return Make(middle->key, middle->value,
                  Make(std::move(key), std::move(value), std::move(left), middle->left),
                  Make(right->key, right->value, middle->right, right->right));
    }
    return Make(std::move(key), std::move(value), std::move(left), std::move(right));
  }

  static Ptr Insert(const Ptr& node, const K& key, V value) {
    if (!node) return Make(key, std::move(value), nullptr, nullptr);
    if (key < node->key) {
      return Balance(node->key, node->value, Insert(node->left, key, std::move(value)),
                     node->right);
    }
    if (node->key < key) {
      return Balance(node->key, node->value, node->left,
                     Insert(node->right, key, std::move(value)));
    }
    return Make(key, std::move(value), node->left, node->right);
  }

  // REQUIRES: `key` is below `node`.
  static Ptr Remove(const Ptr& node, const K& key) {
    if (key < node->key) {
      return Balance(node->key, node->value, Remove(node->left, key), node->right);
    }
    if (node->key < key) {
      return Balance(node->key, node->value, node->left, Remove(node->right, key));
    }
    if (!node->left) return node->right;
    if (!node->right) return node->left;
    const Node* next = node->right.get();
    while (next->left) next = next->left.get();
    return Balance(next->key, next->value, node->left, Remove(node->right, next->key));
  }

  Ptr root_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_ORDERED_MAP_H_
