// Questions to the cluster: PlanPreviews that are created, answered live and stored nowhere.
import type { Access, Cluster } from '../kube/cluster';
import { planPreviews } from '../kube/models';
import type { PlanPreview, PreviewSpec } from './types';

const VIEWS = 'views.operators.coreos.com';
const OLM = 'operators.coreos.com';

// The namespace of a question that concerns the whole cluster.
export const ANY_NAMESPACE = 'default';

export async function askPreview(cluster: Cluster, namespace: string, spec: PreviewSpec, signal?: AbortSignal): Promise<PlanPreview> {
  const question: PlanPreview = { apiVersion: `${VIEWS}/v1alpha1`, kind: 'PlanPreview', metadata: { namespace }, spec };
  return cluster.create<PlanPreview>(planPreviews, namespace, question, { signal });
}

export type Subject = keyof PreviewSpec;

// The rights that a question takes.
export function accessesFor(subject: Subject, namespace: string, name?: string): Access[] {
  const accesses: Access[] = [{ verb: 'create', group: VIEWS, resource: 'planpreviews', namespace }];
  if (subject === 'installPlan') accesses.push({ verb: 'get', group: OLM, resource: 'installplans', namespace, name });
  if (subject === 'uninstall') accesses.push({ verb: 'get', group: VIEWS, resource: 'cleanupstatuses/preview', namespace, name });
  if (subject === 'copiedCSVs') accesses.push({ verb: 'get', group: OLM, resource: 'olmconfigs/preview', name: 'cluster' });
  return accesses;
}

// "create planpreviews.views.operators.coreos.com in blue": a right, as the texts name it.
export function accessText({ verb, group, resource, namespace }: Access): string {
  const [plural, subresource] = resource.split('/');
  const what = `${plural}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
  return namespace ? `${verb} ${what} (${namespace})` : `${verb} ${what}`;
}
