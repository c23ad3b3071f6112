// The controllers' answers as previews. Pure functions.
#ifndef APISERVER_UPSTREAM_PREVIEW_ANSWERS_H_
#define APISERVER_UPSTREAM_PREVIEW_ANSWERS_H_

#include "apiserver/upstream/previews.h"
#include "kube/meta/names.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"
#include "proto/steward/plan/v1/plan.pb.h"

namespace steward::upstream {

Preview PreviewOf(plan::v1::PreviewResponse response);

// The steps: the ClusterServiceVersion `csv`, the operands, then each definition that cannot be
// read.
Preview PreviewOf(const kube::NamespacedName& csv, cleanup::v1::PreviewResponse response);

// Appends a page of changes to a preview.
void AddChanges(copiedcsv::v1::PreviewResponse page, Preview& preview);

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_PREVIEW_ANSWERS_H_
