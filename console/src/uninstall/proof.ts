// The proof that an opt-in was allowed by the admission policy that is in force now.
import type { Cluster } from '../kube/cluster';
import { asApiError } from '../kube/errors';
import type { KubeObject, Model } from '../kube/types';

const OPT_IN_POLICY = 'steward-cleanup-opt-in';

const admission = (kind: string, plural: string): Model => ({ group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false });
export const policies = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
export const policyBindings = admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');

interface Rule {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources?: string[];
  resourceNames?: string[];
  scope?: string;
}

interface Match {
  resourceRules?: Rule[];
  namespaceSelector?: object;
  objectSelector?: object;
  excludeResourceRules?: unknown[];
}

export type Policy = KubeObject & { spec?: { failurePolicy?: string; validations?: unknown[]; matchConstraints?: Match } };
export type Binding = KubeObject & { spec?: { policyName?: string; validationActions?: string[]; paramRef?: object; matchResources?: object } };

const isEmpty = (value: object | undefined | null) => !value || Object.keys(value).length === 0;
const lists = (list: string[] | undefined, word: string) => (list ?? []).some((each) => each === word || each === '*');

function covers(match: Match): boolean {
  if (!isEmpty(match.namespaceSelector) || !isEmpty(match.objectSelector) || !isEmpty(match.excludeResourceRules)) return false;
  return (match.resourceRules ?? []).some(
    (rule) =>
      isEmpty(rule.resourceNames) &&
      lists(rule.operations, 'CREATE') &&
      lists(rule.operations, 'UPDATE') &&
      lists(rule.apiGroups, 'operators.coreos.com') &&
      lists(rule.apiVersions, 'v1alpha1') &&
      (rule.resources ?? []).some((each) => each === 'clusterserviceversions' || each === '*' || each === '*/*') &&
      rule.scope !== 'Cluster',
  );
}

// True when the policy denies, everywhere, what it is there for.
export function protects(policy: Policy, binding: Binding): boolean {
  const { failurePolicy = '', validations = [], matchConstraints = {} } = policy.spec ?? {};
  const strong = !policy.metadata.deletionTimestamp && (failurePolicy === '' || failurePolicy === 'Fail') && validations.length > 0;
  const { policyName, validationActions = [], paramRef, matchResources } = binding.spec ?? {};
  const bound =
    policyName === OPT_IN_POLICY && validationActions.includes('Deny') && isEmpty(paramRef) && isEmpty(matchResources) && !binding.metadata.deletionTimestamp;
  return strong && bound && covers(matchConstraints);
}

// A UUID of version 5 (RFC 9562). "": this browser does not compute it, as of pages without TLS.
async function uuidV5(space: string, name: string): Promise<string> {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return '';
  const hex = space.replaceAll('-', '');
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(space);
  const prefix = isUuid ? Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)) : new TextEncoder().encode(space);
  const text = new TextEncoder().encode(name);
  const input = new Uint8Array(prefix.length + text.length);
  input.set(prefix);
  input.set(text, prefix.length);
  const bytes = new Uint8Array(await subtle.digest('SHA-1', input)).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export async function proofOf(policy: Policy, binding: Binding): Promise<string> {
  const { uid = '' } = policy.metadata;
  const { uid: bound = '', resourceVersion = '' } = binding.metadata;
  if (!protects(policy, binding) || uid === '' || bound === '' || resourceVersion === '') return '';
  return uuidV5(uid, `${bound}/${resourceVersion}`);
}

// "": there is no policy, or the user may not read it: the controllers have to confirm the opt-in then.
export async function readOptInProof(cluster: Cluster): Promise<string> {
  try {
    const policy = await cluster.get<Policy>(policies, undefined, OPT_IN_POLICY);
    const binding = await cluster.get<Binding>(policyBindings, undefined, OPT_IN_POLICY);
    return await proofOf(policy, binding);
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.missing || error.forbidden) return '';
    throw thrown;
  }
}
