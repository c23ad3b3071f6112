// The APIs of the operators that work in a project, as entries of the console's catalog. Of those that the project has a
// ClusterServiceVersion of, its own or a copy, the console itself makes entries.
import type { CatalogItem, ExtensionHook } from '@openshift-console/dynamic-plugin-sdk';
import { useMemo } from 'react';
import { nameOf, useWatchIn, whole } from '../kube/hooks';
import { clusterServiceVersions, installedOperators } from '../kube/models';
import { providedModels } from '../operators/provided';
import type { InstalledOperator } from '../operators/types';
import { Description } from '../shared/Description';
import { useText, type Translate } from '../shared/i18n';
import { consoleHost, useConsoleCluster } from './host';

const TYPE = 'OperatorBackedService';
// Where the console looks for copies when it was told that there are no others.
const GLOBAL_COPIES = 'openshift';

export function itemsOf(operators: InstalledOperator[], shownByConsole: ReadonlySet<string>, namespace: string, t: Translate): CatalogItem[] {
  const items = new Map<string, CatalogItem>();
  for (const operator of operators) {
    const name = operator.metadata.name ?? '';
    if (shownByConsole.has(name)) continue;
    for (const { model, title, description } of providedModels(operator.spec)) {
      const key = `${model.kind}.${model.group}`;
      if (items.has(key)) continue;
      items.set(key, {
        uid: `${operator.metadata.uid}-${key}`,
        type: TYPE,
        name: title,
        description,
        provider: operator.spec?.provider?.name,
        tags: operator.spec?.keywords,
        creationTimestamp: operator.metadata.creationTimestamp,
        attributes: { operatorName: operator.spec?.displayName ?? name },
        icon: { url: iconOf(operator) },
        cta: { label: t('Create'), href: consoleHost.create(model.group, model.version, model.kind, model.plural, namespace, name) },
        details: {
          descriptions: [
            { value: t('This resource is provided by {{operator}}, which is installed in {{place}}.', { operator: operator.spec?.displayName ?? name, place: operator.scope?.installNamespace ?? '' }) },
            { value: <Description text={operator.spec?.description} /> },
          ],
        },
      });
    }
  }
  return [...items.values()];
}

function iconOf(operator: InstalledOperator): string | undefined {
  const icon = operator.spec?.icon?.[0];
  if (!icon?.base64data || !/^image\/[a-z0-9.+-]+$/.test(icon.mediatype ?? '')) return undefined;
  return `data:${icon.mediatype};base64,${icon.base64data}`;
}

export const useOperatorBacked: ExtensionHook<CatalogItem[], { namespace: string }> = ({ namespace }) => {
  const t = useText();
  const place = namespace || undefined;
  const cluster = useConsoleCluster();
  const operators = useWatchIn(cluster, place === undefined ? null : { model: installedOperators, namespace: place }, whole);
  const own = useWatchIn(cluster, place === undefined ? null : { model: clusterServiceVersions, namespace: place }, nameOf);
  const looksGlobally = window.SERVER_FLAGS?.copiedCSVsDisabled === true;
  const global = useWatchIn(cluster, place !== undefined && looksGlobally ? { model: clusterServiceVersions, namespace: GLOBAL_COPIES } : null, nameOf);
  const shown = useMemo(() => new Set([...own.items.values(), ...global.items.values()]), [own.items, global.items]);
  const items = useMemo(() => itemsOf([...operators.items.values()] as InstalledOperator[], shown, namespace, t), [operators.items, shown, namespace, t]);
  const settled = (watched: { loaded: boolean; error?: unknown }) => watched.loaded || watched.error !== undefined;
  const loaded = place === undefined || (settled(operators) && settled(own) && (!looksGlobally || settled(global)));
  return [items, loaded, undefined];
};
