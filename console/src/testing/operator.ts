// An operator that supports cleanup, and what belongs to it, in a FakeCluster. For tests.
import { CLEANUP_FINALIZER, HOLD_FINALIZER } from '../cleanup/csv';
import type { CleanupOutlook, ClusterServiceVersion } from '../cleanup/types';
import type { Condition } from '../kube/types';
import { FakeCluster } from './fakeCluster';

const OLM = '/apis/operators.coreos.com/v1alpha1/namespaces/ops';
const VIEWS = '/apis/views.operators.coreos.com/v1alpha1/namespaces/ops';
export const CSV = `${OLM}/clusterserviceversions/db.v1`;
export const CSVS = `${OLM}/clusterserviceversions`;
export const SUBSCRIPTION = `${OLM}/subscriptions/db`;
export const PLAN = `${OLM}/installplans/install-1`;
export const STATUS = `${VIEWS}/cleanupstatuses/db.v1`;
export const PREVIEWS = `${VIEWS}/planpreviews`;
export const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusters.db.example.com';
export const CLUSTERS = '/apis/db.example.com/v1/namespaces/shop/clusters';
export const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/db-role';
export const reference = { namespace: 'ops', name: 'db.v1' };

export interface Traits {
  supported?: boolean;
  finalizers?: string[];
  conditions?: Condition[];
  deleting?: boolean;
}

export function csvOf({ supported = true, finalizers, conditions = [], deleting }: Traits = {}): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { namespace: 'ops', name: 'db.v1', uid: 'uid-1', finalizers, deletionTimestamp: deleting ? '2026-11-29T12:00:00Z' : undefined },
    spec: {
      displayName: 'Database',
      version: '1.0.0',
      cleanup: { enabled: supported },
      customresourcedefinitions: { owned: [{ name: 'clusters.db.example.com', version: 'v1', kind: 'Cluster' }] },
    },
    status: { phase: 'Succeeded', conditions },
  };
}

export function statusOf(outlook: CleanupOutlook) {
  return {
    apiVersion: 'views.operators.coreos.com/v1alpha1',
    kind: 'CleanupStatus',
    metadata: { namespace: 'ops', name: 'db.v1', uid: 'status-1' },
    status: { enabled: true, optedIn: false, phase: 'NotOptedIn', targetNamespaces: ['shop'], pendingCount: 0, blockers: [{ reason: 'NotOptedIn', message: 'nobody did' }], ...outlook },
  };
}

export function operatorCluster(traits: Traits = {}): FakeCluster {
  const fake = new FakeCluster();
  fake.put(CSV, csvOf(traits));
  fake.put(STATUS, statusOf((traits.finalizers ?? []).includes(CLEANUP_FINALIZER) ? { optedIn: true, phase: 'Ready', blockers: [] } : {}));
  fake.put(SUBSCRIPTION, { metadata: { namespace: 'ops', name: 'db', uid: 'sub-1' }, status: { installedCSV: 'db.v1' } } as never);
  fake.put(PLAN, { metadata: { namespace: 'ops', name: 'install-1', uid: 'plan-1' }, spec: { clusterServiceVersionNames: ['db.v1', 'other.v1'] }, status: { phase: 'Installing' } } as never);
  fake.put(DEFINITION, {
    metadata: { name: 'clusters.db.example.com', uid: 'crd-1', labels: { 'olm.managed': 'true' } },
    spec: { group: 'db.example.com', scope: 'Namespaced', names: { plural: 'clusters', kind: 'Cluster' }, versions: [{ name: 'v1', served: true, storage: true }] },
  } as never);
  fake.put(`${CLUSTERS}/orders`, { metadata: { namespace: 'shop', name: 'orders', uid: 'cr-1', resourceVersion: '1' } });
  fake.put(ROLE, { metadata: { name: 'db-role', uid: 'role-1', finalizers: [HOLD_FINALIZER] } });
  return fake;
}

// Steward and its controllers, which answer the opt-in with what follows from it.
export function becomesReady(fake: FakeCluster, outlook: CleanupOutlook = {}): void {
  const csv = fake.objects.get(CSV) as ClusterServiceVersion | undefined;
  if (csv && !csv.status?.conditions?.some((each) => each.reason === 'RightsHeld')) {
    fake.put(CSV, { ...csv, status: { ...csv.status, conditions: [{ reason: 'RightsHeld' }] } });
  }
  fake.put(STATUS, statusOf({ optedIn: true, phase: 'Ready', blockers: [], ...outlook }));
}
