// The APIs that an operator provides. Pure functions.
import type { Model } from '../kube/types';
import type { ClusterServiceVersion, OperatorSpec } from './types';

export interface ProvidedModel {
  model: Model;
  title: string;
  description: string;
}

export function providedModels(spec: OperatorSpec | undefined): ProvidedModel[] {
  const found = new Map<string, ProvidedModel>();
  for (const api of spec?.customresourcedefinitions?.owned ?? []) {
    const [plural = '', ...group] = (api.name ?? '').split('.');
    add(plural, group.join('.'), api.version, api.kind, api.displayName, api.description);
  }
  for (const api of spec?.apiservicedefinitions?.owned ?? []) add(api.name ?? '', api.group ?? '', api.version, api.kind, api.displayName, api.description);
  return [...found.values()].sort((a, b) => (a.title < b.title ? -1 : 1));

  function add(plural: string, group: string, version: string, kind: string, title?: string, description?: string) {
    const key = `${plural}.${group}`;
    if (plural === '' || group === '' || !version || !kind || found.has(key)) return;
    // Whether it has namespaces is not said: a list in a namespace of a kind that has none is 404.
    found.set(key, { model: { group, version, kind, plural, namespaced: true }, title: title || kind, description: description ?? '' });
  }
}

// The author's example of this kind, as an object to begin with.
export function exampleOf(operator: ClusterServiceVersion, model: Pick<Model, 'group' | 'version' | 'kind'>): Record<string, unknown> | undefined {
  let examples: unknown;
  try {
    examples = JSON.parse(operator.metadata.annotations?.['alm-examples'] ?? '[]');
  } catch {
    return undefined;
  }
  if (!Array.isArray(examples)) return undefined;
  const ofKind = (examples as Record<string, unknown>[]).filter((each) => typeof each === 'object' && each !== null && each['kind'] === model.kind);
  const apiVersion = `${model.group}/${model.version}`;
  return ofKind.find((each) => each['apiVersion'] === apiVersion) ?? ofKind.find((each) => String(each['apiVersion']).startsWith(`${model.group}/`));
}
