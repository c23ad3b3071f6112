// The custom resources that an uninstallation would delete, read as the user.
import type { Access, Cluster } from '../kube/cluster';
import { ApiError, asApiError } from '../kube/errors';
import type { KubeObject, Model } from '../kube/types';
import type { Agreement, OwnedDefinition } from './agreement';

// More are for `kubectl steward`, which writes each into a file of its own.
export const MOST_OPERANDS = 5_000;

// The namespaces in which its objects would be deleted; undefined: everywhere, or outside of namespaces.
export function placesOf(definition: OwnedDefinition, targets: string[]): (string | undefined)[] {
  if (definition.uid === '' || definition.kept !== '' || definition.versions.length === 0) return [];
  if (targets.includes('*')) return [undefined];
  return definition.clusterScoped ? [] : targets;
}

// The rights to read them that the user lacks.
export async function missingReads(cluster: Cluster, agreed: Agreement): Promise<Access[]> {
  const missing: Access[] = [];
  for (const definition of agreed.definitions) {
    const places = placesOf(definition, agreed.targets);
    if (places.length === 0) continue;
    const access: Access = { verb: 'list', group: definition.group, resource: definition.plural };
    if ((await cluster.may(access)).allowed) continue;
    for (const namespace of places) {
      const here = { ...access, namespace };
      if (namespace === undefined || !(await cluster.may(here)).allowed) missing.push(here);
    }
  }
  return missing;
}

async function listOne(cluster: Cluster, definition: OwnedDefinition, place: string | undefined): Promise<KubeObject[]> {
  let failure: ApiError | undefined;
  for (const version of definition.versions) {
    const model: Model = { group: definition.group, version, kind: definition.kind, plural: definition.plural, namespaced: !definition.clusterScoped };
    try {
      const items = await cluster.listAll(model, place, {}, MOST_OPERANDS);
      return items.map((item) => ({ ...item, apiVersion: `${definition.group}/${version}`, kind: definition.kind }));
    } catch (thrown) {
      failure ??= asApiError(thrown);
      // Another version may have a conversion that still works, but no other permissions.
      if (failure.forbidden) break;
    }
  }
  throw failure ?? new ApiError(0, '', `no version of ${definition.name} is served`);
}

// All of them, or an error.
export async function listOperands(cluster: Cluster, agreed: Agreement): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const definition of agreed.definitions) {
    for (const place of placesOf(definition, agreed.targets)) {
      objects.push(...(await listOne(cluster, definition, place)));
      if (objects.length >= MOST_OPERANDS) throw new ApiError(413, 'TooMany', `more than ${MOST_OPERANDS} custom resources: use kubectl steward uninstall, which saves them`);
    }
  }
  return objects;
}

const serverSet = ['uid', 'resourceVersion', 'generation', 'selfLink', 'creationTimestamp', 'deletionTimestamp', 'managedFields', 'deletionGracePeriodSeconds'];

// Without what servers set, as documents of one file.
export async function yamlOf(objects: KubeObject[]): Promise<string> {
  const { dump } = await import('js-yaml');
  return objects
    .map((object) => {
      const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !serverSet.includes(key)));
      const { apiVersion, kind, ...rest } = object;
      return dump({ apiVersion, kind, ...rest, metadata }, { noRefs: true, lineWidth: -1 });
    })
    .join('---\n');
}
