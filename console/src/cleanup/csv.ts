// Facts about ClusterServiceVersions that decide about cleanups, and the patches of the opt-in. Pure functions.
import type { JsonPatchOperation } from '../kube/cluster';
import type { ClusterServiceVersion } from './types';

// The administrator's half of the opt-in.
export const CLEANUP_FINALIZER = 'operatorframework.io/delete-custom-resources';
// The proof of the policy under which an authorized user opted in.
export const CONFIRMED_LABEL = 'steward.operatorframework.io/opt-in-confirmed';
// It holds an operator's cluster-wide rights and webhooks.
export const HOLD_FINALIZER = 'steward.operatorframework.io/hold-rights';

const COPIED_FROM = 'olm.copiedFrom';
const OPERATOR_NAMESPACE = 'olm.operatorNamespace';

export function isDeleting(csv: ClusterServiceVersion): boolean {
  return !!csv.metadata.deletionTimestamp;
}

export function hasOptIn(csv: ClusterServiceVersion): boolean {
  return (csv.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER);
}

// The author's half.
export function supportsCleanup(csv: ClusterServiceVersion): boolean {
  return csv.spec?.cleanup?.enabled === true;
}

export function cleansUp(csv: ClusterServiceVersion): boolean {
  return hasOptIn(csv) && supportsCleanup(csv);
}

// True for any mark of a copy that OLM knows.
export function mayBeCopy(csv: ClusterServiceVersion): boolean {
  const { labels = {}, annotations = {}, namespace } = csv.metadata;
  const operatorNamespace = annotations[OPERATOR_NAMESPACE];
  return csv.status?.reason === 'Copied' || labels[COPIED_FROM] !== undefined || (operatorNamespace !== undefined && operatorNamespace !== namespace);
}

// The namespace of a copy's original; "": nobody knows.
export function originalNamespace(csv: ClusterServiceVersion): string {
  const { labels = {}, annotations = {}, namespace } = csv.metadata;
  const named = labels[COPIED_FROM] || annotations[OPERATOR_NAMESPACE] || '';
  return named === namespace ? '' : named;
}

export function saidCondition(csv: ClusterServiceVersion, reason: string) {
  return csv.status?.conditions?.find((condition) => condition.reason === reason);
}

function sameObject(csv: ClusterServiceVersion): JsonPatchOperation[] {
  const { uid, resourceVersion } = csv.metadata;
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ];
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

// Adds the opt-in to the object as it is, and the proof that its user may; "": the controllers have to confirm it.
// Empty: it is as wanted.
export function optInPatch(csv: ClusterServiceVersion, proof: string): JsonPatchOperation[] {
  const { finalizers, labels } = csv.metadata;
  const operations: JsonPatchOperation[] = [];
  if (!hasOptIn(csv)) {
    operations.push(
      finalizers === undefined ? { op: 'add', path: '/metadata/finalizers', value: [CLEANUP_FINALIZER] } : { op: 'add', path: '/metadata/finalizers/-', value: CLEANUP_FINALIZER },
    );
  }
  if (proof !== '' && labels?.[CONFIRMED_LABEL] !== proof) {
    operations.push(
      labels === undefined
        ? { op: 'add', path: '/metadata/labels', value: { [CONFIRMED_LABEL]: proof } }
        : { op: 'add', path: `/metadata/labels/${escaped(CONFIRMED_LABEL)}`, value: proof },
    );
  }
  return operations.length === 0 ? [] : [...sameObject(csv), ...operations];
}

// Takes the opt-in off the object as it is. Empty: there is none.
export function optOutPatch(csv: ClusterServiceVersion): JsonPatchOperation[] {
  const place = (csv.metadata.finalizers ?? []).indexOf(CLEANUP_FINALIZER);
  if (place < 0) return [];
  const path = `/metadata/finalizers/${place}`;
  return [...sameObject(csv), { op: 'test', path, value: CLEANUP_FINALIZER }, { op: 'remove', path }];
}

// Has Steward stop an uninstallation that is under way. Undefined: it is stopped already.
export function disablePatch(csv: ClusterServiceVersion): unknown {
  if (!supportsCleanup(csv)) return undefined;
  const { uid, resourceVersion } = csv.metadata;
  return { metadata: { uid, resourceVersion }, spec: { cleanup: { enabled: false } } };
}
