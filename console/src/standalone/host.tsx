// The pages' place where there is no console.
import { useEffect } from 'react';
import type { Host } from '../host';

const encode = encodeURIComponent;

function Title({ children }: { children: string }) {
  useEffect(() => {
    document.title = `${children} · Steward`;
  }, [children]);
  return null;
}

export const standaloneHost: Host = {
  operators: (namespace) => (namespace === undefined ? '/operators' : `/ns/${encode(namespace)}/operators`),
  operator: (namespace, name, tab) => `/ns/${encode(namespace)}/operators/${encode(name)}${tab ? `?tab=${tab}` : ''}`,
  object: (group, version, _kind, plural, namespace, name) =>
    `/objects/${encode(group || 'core')}/${encode(version)}/${encode(plural)}/${encode(name)}${namespace === undefined ? '' : `?namespace=${encode(namespace)}`}`,
  create: (group, version, kind, plural, namespace, operator) =>
    `/ns/${encode(namespace)}/create/${encode(group)}/${encode(version)}/${encode(plural)}/${encode(kind)}?operator=${encode(operator)}`,
  namespace: (name) => `/ns/${encode(name)}/operators`,
  uninstall: (namespace, name) => `/ns/${encode(namespace)}/uninstall/${encode(name)}`,
  askPreview: (namespace, query) => `/ns/${encode(namespace)}/preview${query ? `?${query}` : ''}`,
  plan: (namespace, name) => `/ns/${encode(namespace)}/plans/${encode(name)}`,
  copies: () => '/copied-csvs',
  Title,
};
