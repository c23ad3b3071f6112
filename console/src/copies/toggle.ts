// The choice about copies, written with the user's rights.
import type { Cluster } from '../kube/cluster';
import { ApiError, asApiError } from '../kube/errors';
import { olmConfigs } from '../kube/models';
import { disablesCopies, type OlmConfig, type Word } from './choice';

export const OLM_CONFIG = 'cluster';
const TRIES = 10;

async function read(cluster: Cluster): Promise<OlmConfig | undefined> {
  try {
    return await cluster.get<OlmConfig>(olmConfigs, undefined, OLM_CONFIG);
  } catch (thrown) {
    if (asApiError(thrown).missing) return undefined;
    throw thrown;
  }
}

async function write(cluster: Cluster, config: OlmConfig | undefined, off: boolean): Promise<void> {
  if (config === undefined) {
    const object: OlmConfig = {
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OLMConfig',
      metadata: { name: OLM_CONFIG },
      spec: { features: { disableCopiedCSVs: off } },
    };
    await cluster.create(olmConfigs, undefined, object);
    return;
  }
  const { uid, resourceVersion } = config.metadata;
  // The other spelling would say something else to those who read it first.
  const features = { disableCopiedCSVs: off, 'disable-copied-csvs': null };
  await cluster.merge(olmConfigs, undefined, OLM_CONFIG, { metadata: { uid, resourceVersion }, spec: { features } });
}

// Writes the choice, if the OLMConfig does not say so already. `before`: what the user was shown; another choice that
// was made meanwhile stays.
export async function toggleCopies(cluster: Cluster, off: boolean, before: Word): Promise<'written' | 'there'> {
  let failure: ApiError | undefined;
  for (let attempt = 0; attempt < TRIES; ++attempt) {
    const config = await read(cluster);
    const word = disablesCopies(config);
    if (word === off) return 'there';
    if (word !== before) throw new ApiError(409, 'Conflict', 'somebody else has changed the OLMConfig cluster meanwhile');
    try {
      await write(cluster, config, off);
      return 'written';
    } catch (thrown) {
      // The controllers write its status at this moment.
      if (!(thrown instanceof ApiError) || !thrown.conflict) throw thrown;
      failure = thrown;
    }
  }
  throw failure ?? new ApiError(409, 'Conflict', 'the OLMConfig cluster changes all the time');
}
