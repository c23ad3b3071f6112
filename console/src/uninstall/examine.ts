// What can be said of an uninstallation before it is begun.
import type { CsvReference } from '../cleanup/write';
import type { Access, Cluster } from '../kube/cluster';
import { accessesOf, Refusal, type Wish } from './course';
import { makePlan, tryWrites, type Plan } from './steps';

export interface Examined {
  plan?: Plan; // absent: refused before there was one
  missing: Access[]; // rights that the user lacks
  refusal?: Refusal;
}

export async function examine(cluster: Cluster, reference: CsvReference, wish: Wish, ownOptIn: boolean): Promise<Examined> {
  let plan: Plan | undefined;
  try {
    plan = await makePlan(cluster, reference, wish, ownOptIn);
    const accesses = accessesOf(plan.course, plan.csv, plan.related);
    const decisions = await Promise.all(accesses.map((access) => cluster.may(access)));
    const missing = accesses.filter((_, place) => !decisions[place]?.allowed);
    if (missing.length === 0) await tryWrites(cluster, plan);
    return { plan, missing };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { plan, missing: [], refusal: thrown };
    throw thrown;
  }
}

// True where it can be begun.
export function isPossible(examined: Examined | undefined): boolean {
  return examined?.plan !== undefined && examined.refusal === undefined && examined.missing.length === 0;
}
