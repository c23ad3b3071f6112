// CleanupStatuses, and ClusterServiceVersions as cleanups read them. Values.
import type { Condition, KubeObject } from '../kube/types';
import type { ClusterServiceVersion } from '../operators/types';

export interface Blocker {
  reason: string;
  message?: string;
  objects?: string[];
  objectsElsewhere?: number;
}

export interface OwnedResource {
  group: string;
  plural: string;
  kind?: string;
}

export interface CleanupOutlook {
  phase?: string;
  enabled?: boolean;
  optedIn?: boolean;
  blockers?: Blocker[];
  conditions?: Condition[];
  pendingCount?: number;
  pendingElsewhere?: number;
  resources?: OwnedResource[];
  stalledSince?: string;
  startedAt?: string;
  targetNamespaces?: string[];
}

export type CleanupStatus = KubeObject & { status?: CleanupOutlook };

// A custom resource that is waited for, as GET cleanupstatuses/NAME/pending names it.
export interface PendingOperand {
  group: string;
  kind: string;
  plural: string;
  namespace?: string;
  name: string;
  uid?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
}

export interface PendingOperandList {
  metadata?: { continue?: string; remainingItemCount?: number };
  items?: PendingOperand[];
  hidden?: number;
}

export type { ClusterServiceVersion };
