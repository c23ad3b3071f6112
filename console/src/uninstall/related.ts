// Subscriptions and InstallPlans by which OLM would install an operator again. Pure rules, and reads by them.
import type { Cluster } from '../kube/cluster';
import { asApiError } from '../kube/errors';
import { installPlans, subscriptions } from '../kube/models';
import type { KubeObject, Model } from '../kube/types';
import type { CsvReference } from '../cleanup/write';

export type Subscription = KubeObject & { spec?: { startingCSV?: string }; status?: { installedCSV?: string; currentCSV?: string } };
export type InstallPlan = KubeObject & { spec?: { clusterServiceVersionNames?: string[] }; status?: { phase?: string } };

export interface Related {
  model: Model;
  namespace: string;
  name: string;
  uid: string;
  alsoInstalls: string[]; // other operators of an InstallPlan, for which it is kept
}

export function subscriptionNames(subscription: Subscription, csv: string): boolean {
  const { installedCSV = '', currentCSV = '' } = subscription.status ?? {};
  if (installedCSV === csv || currentCSV === csv) return true;
  // startingCSV never changes, however far the operator has been upgraded since.
  return installedCSV === '' && currentCSV === '' && subscription.spec?.startingCSV === csv;
}

export function unfinishedPlanNames(plan: InstallPlan, csv: string): boolean {
  const phase = plan.status?.phase;
  return phase !== 'Complete' && phase !== 'Failed' && (plan.spec?.clusterServiceVersionNames ?? []).includes(csv);
}

export function othersInPlan(plan: InstallPlan, csv: string): string[] {
  return (plan.spec?.clusterServiceVersionNames ?? []).filter((name) => name !== csv);
}

async function find<T extends KubeObject>(
  cluster: Cluster,
  model: Model,
  { namespace, name }: CsvReference,
  names: (object: T, csv: string) => boolean,
  others: (object: T, csv: string) => string[],
): Promise<Related[]> {
  let objects: T[];
  try {
    objects = await cluster.listAll<T>(model, namespace);
  } catch (thrown) {
    if (asApiError(thrown).missing) return []; // not served
    throw thrown;
  }
  return objects
    .filter((object) => names(object, name))
    .map((object) => ({ model, namespace, name: object.metadata.name ?? '', uid: object.metadata.uid ?? '', alsoInstalls: others(object, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function findRelated(cluster: Cluster, csv: CsvReference): Promise<Related[]> {
  const found = await find<Subscription>(cluster, subscriptions, csv, subscriptionNames, () => []);
  return [...found, ...(await find<InstallPlan>(cluster, installPlans, csv, unfinishedPlanNames, othersInPlan))];
}

export function isKept(related: Related): boolean {
  return related.alsoInstalls.length > 0;
}

// What is gone, or is another object by now, is left alone.
export async function deleteRelated(cluster: Cluster, { model, namespace, name, uid }: Related, options: { dryRun?: boolean } = {}): Promise<void> {
  try {
    await cluster.delete(model, namespace, name, { uid, propagationPolicy: 'Background', dryRun: options.dryRun });
  } catch (thrown) {
    const error = asApiError(thrown);
    if (!error.missing && !error.conflict) throw thrown;
  }
}
