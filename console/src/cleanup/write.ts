// Writes to a ClusterServiceVersion that others write, too: each looks at it first, and again when it has changed.
import type { Cluster, JsonPatchOperation } from '../kube/cluster';
import { ApiError, asApiError } from '../kube/errors';
import { clusterServiceVersions } from '../kube/models';
import { cleansUp, disablePatch, hasOptIn, isDeleting, optOutPatch } from './csv';
import type { ClusterServiceVersion } from './types';

// Conflicts come from other writers; this many in a row are not expected.
export const TRIES = 10;

export interface CsvReference {
  namespace: string;
  name: string;
}

// Another object has the name now.
export class Replaced extends Error {
  constructor() {
    super('the ClusterServiceVersion is another one now than it was');
    this.name = 'Replaced';
  }
}

export async function readCsv(cluster: Cluster, { namespace, name }: CsvReference, signal?: AbortSignal): Promise<ClusterServiceVersion> {
  return cluster.get<ClusterServiceVersion>(clusterServiceVersions, namespace, name, { signal });
}

// True when the object may only have changed between the look and the write: a test of a JSON patch that fails is
// answered with 422.
function mayHaveChanged(error: ApiError): boolean {
  return error.conflict || error.code === 422;
}

// Writes what `patch` makes of the object as it is; empty: nothing. Throws Replaced if it is not of this UID any more.
export async function changeCsv(
  cluster: Cluster,
  reference: CsvReference,
  uid: string,
  patch: (csv: ClusterServiceVersion) => JsonPatchOperation[],
  options: { dryRun?: boolean } = {},
): Promise<void> {
  const write = async (csv: ClusterServiceVersion) => {
    const operations = patch(csv);
    if (operations.length > 0) await cluster.patch(clusterServiceVersions, reference.namespace, reference.name, operations, options);
  };
  await retried(cluster, reference, uid, write);
}

async function retried(cluster: Cluster, reference: CsvReference, uid: string, write: (csv: ClusterServiceVersion) => Promise<void>): Promise<void> {
  let failure: ApiError | undefined;
  let seen: string | undefined;
  for (let attempt = 0; attempt < TRIES; ++attempt) {
    const csv = await readCsv(cluster, reference);
    if (csv.metadata.uid !== uid) throw new Replaced();
    // What is refused of an object that did not change is refused for good.
    if (failure?.code === 422 && csv.metadata.resourceVersion === seen) throw failure;
    seen = csv.metadata.resourceVersion;
    try {
      return await write(csv);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (!(thrown instanceof ApiError) || !mayHaveChanged(error)) throw thrown;
      failure = error;
    }
  }
  throw failure ?? new ApiError(409, 'Conflict', 'the object changes all the time');
}

export async function optOut(cluster: Cluster, reference: CsvReference, uid: string, options: { dryRun?: boolean } = {}): Promise<void> {
  await changeCsv(cluster, reference, uid, optOutPatch, options);
}

export type Abortion = 'nothing' | 'calledOff' | 'optedOut' | 'gone';

// Calls a cleanup off. Of an operator that is being uninstalled Steward lets go at once: what is deleted stays
// deleted, the operator goes, and all else stays. Of another one the opt-in is removed.
export async function abortCleanup(cluster: Cluster, reference: CsvReference): Promise<Abortion> {
  const csv = await readCsv(cluster, reference);
  const uid = csv.metadata.uid ?? '';
  if (!hasOptIn(csv)) return 'nothing';
  if (!isDeleting(csv)) {
    await optOut(cluster, reference, uid);
    return 'optedOut';
  }
  if (!cleansUp(csv)) return 'calledOff';
  try {
    await retried(cluster, reference, uid, async (now) => {
      const patch = disablePatch(now);
      if (patch !== undefined) await cluster.merge(clusterServiceVersions, reference.namespace, reference.name, patch);
    });
  } catch (thrown) {
    if (thrown instanceof Replaced || asApiError(thrown).missing) return 'gone';
    throw thrown;
  }
  return 'calledOff';
}
