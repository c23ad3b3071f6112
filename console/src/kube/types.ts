// Objects of the Kubernetes API as far as the pages read them. Plain values.

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}

export interface ObjectMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generateName?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

// A kind and where it is served.
export interface Model {
  group: string; // "" is the core group
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

export interface Condition {
  type?: string;
  status?: string;
  phase?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
}

// meta.k8s.io/v1 Table, with the metadata of each row's object.
export interface Table {
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: { name: string; type: string; priority?: number }[];
  rows: { cells: unknown[]; object?: KubeObject }[];
}

export interface ObjectList<T extends KubeObject> {
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  items: T[];
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

// metav1.Status.
export interface Status {
  kind?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: { retryAfterSeconds?: number; causes?: StatusCause[] };
}
