// What the user was shown, and agrees to: nothing beyond it is deleted.
import type { Cluster } from '../kube/cluster';
import { ApiError, asApiError } from '../kube/errors';
import { customResourceDefinitions, operatorGroups } from '../kube/models';
import type { KubeObject } from '../kube/types';
import type { CleanupOutlook, ClusterServiceVersion } from '../cleanup/types';

type Definition = KubeObject & {
  spec?: { group?: string; scope?: string; names?: { plural?: string; kind?: string }; versions?: { name: string; served?: boolean; storage?: boolean }[] };
};
type OperatorGroup = KubeObject & { status?: { namespaces?: string[] } };

// A definition that the operator owns.
export interface OwnedDefinition {
  name: string;
  uid: string; // "": it is not there
  group: string;
  plural: string;
  kind: string;
  clusterScoped: boolean;
  versions: string[]; // served ones; the stored one first
  kept: '' | 'ReservedGroup' | 'NotInstalledByOLM'; // why all of its objects stay
}

export interface Agreement {
  definitions: OwnedDefinition[];
  apis: Record<string, { kind: string; versions: string[] }>;
  targets: string[]; // sorted, or "*" alone
}

// Groups of Kubernetes and OLM, of which nothing is ever deleted.
function isReserved(group: string): boolean {
  const reserved = ['k8s.io', 'kubernetes.io', 'operators.coreos.com', 'operatorframework.io'];
  return !group.includes('.') || reserved.some((each) => group === each || group.endsWith(`.${each}`));
}

export function ownedDefinitions(csv: ClusterServiceVersion): string[] {
  return [...new Set((csv.spec?.customresourcedefinitions?.owned ?? []).map((each) => each.name))].sort();
}

export function ownedApis(csv: ClusterServiceVersion): Agreement['apis'] {
  const apis: Agreement['apis'] = {};
  for (const { name, group, version, kind } of csv.spec?.apiservicedefinitions?.owned ?? []) {
    if (isReserved(group)) continue;
    const api = (apis[`${name}.${group}`] ??= { kind, versions: [] });
    if (!api.versions.includes(version)) api.versions.push(version);
  }
  return apis;
}

// What the operator owns beyond what was agreed to.
export function newlyOwned(agreed: Agreement, csv: ClusterServiceVersion): string[] {
  const known = new Set(agreed.definitions.map((each) => each.name));
  const added = ownedDefinitions(csv).filter((name) => !known.has(name));
  for (const [name, api] of Object.entries(ownedApis(csv))) {
    const before = agreed.apis[name];
    if (before === undefined || before.kind !== api.kind || api.versions.some((version) => !before.versions.includes(version))) added.push(name);
  }
  return added;
}

export function withinTargets(agreed: Agreement, now: string[]): boolean {
  return agreed.targets.includes('*') || now.every((each) => agreed.targets.includes(each));
}

// Before the opt-in, Steward need not name the namespaces where custom resources would be deleted. The status that OLM
// wrote into the only OperatorGroup always includes them.
export async function readTargets(cluster: Cluster, outlook: CleanupOutlook, namespace: string): Promise<string[]> {
  if (outlook.targetNamespaces?.length) return outlook.targetNamespaces;
  const groups = await cluster.listAll<OperatorGroup>(operatorGroups, namespace);
  const names = groups.length === 1 ? (groups[0]?.status?.namespaces ?? []) : [];
  return names.includes('') ? ['*'] : [...names].sort();
}

export function ownedDefinition(name: string, definition: Definition | undefined): OwnedDefinition {
  const { group = '', scope, names = {}, versions = [] } = definition?.spec ?? {};
  const { labels = {}, uid = '' } = definition?.metadata ?? {};
  const managed = labels['olm.managed'] !== undefined || labels['olm.owner'] !== undefined;
  const served = versions.filter((version) => version.served);
  return {
    name,
    uid,
    group,
    plural: names.plural ?? '',
    kind: names.kind ?? '',
    clusterScoped: scope === 'Cluster',
    versions: [...served.filter((version) => version.storage), ...served.filter((version) => !version.storage)].map((version) => version.name),
    kept: definition === undefined ? '' : isReserved(group) ? 'ReservedGroup' : managed ? '' : 'NotInstalledByOLM',
  };
}

export async function readDefinitions(cluster: Cluster, names: string[]): Promise<OwnedDefinition[]> {
  return Promise.all(
    names.map(async (name) => {
      try {
        return ownedDefinition(name, await cluster.get<Definition>(customResourceDefinitions, undefined, name));
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.missing) return ownedDefinition(name, undefined);
        throw new ApiError(error.code, error.reason, `reading the CustomResourceDefinition ${name}: ${error.message}`, error.retryAfterSeconds);
      }
    }),
  );
}

// Definitions that are others now than were agreed to.
export async function changedDefinitions(cluster: Cluster, agreed: Agreement): Promise<string[]> {
  const now = await readDefinitions(
    cluster,
    agreed.definitions.map((each) => each.name),
  );
  return now.filter((each, place) => each.uid !== '' && each.uid !== agreed.definitions[place]?.uid).map((each) => each.name);
}
