// What the plugin adds to menus of the console, and the flag of those who administer the cluster.
import { useMemo } from 'react';
import { mayBeCopy } from '../cleanup/csv';
import type { ClusterServiceVersion } from '../cleanup/types';
import type { Decision } from '../kube/cluster';
import { useMayIn } from '../kube/hooks';
import { clusterServiceVersions } from '../kube/models';
import { accessesFor, ANY_NAMESPACE } from '../previews/asking';
import { useText } from '../shared/i18n';
import { consoleCluster, consoleHost, useConsoleCluster } from './host';

export type WhyNoUninstall = 'copy' | 'unknown' | 'forbidden';

// Why an operator cannot be uninstalled from its menu; undefined: it can. `may`: undefined while nobody knows.
export function whyNoUninstall(csv: ClusterServiceVersion, may: Decision | undefined): WhyNoUninstall | undefined {
  if (mayBeCopy(csv)) return 'copy';
  if (may === undefined) return 'unknown';
  return may.allowed ? undefined : 'forbidden';
}

interface Scope {
  resource?: ClusterServiceVersion;
}

export function useOperatorActions(scope: Scope) {
  const t = useText();
  // The menu's object may also be a Subscription, of an operator that is not there yet.
  const csv = scope?.resource?.kind === 'Subscription' ? undefined : scope?.resource;
  const { namespace = '', name = '' } = csv?.metadata ?? {};
  const copy = csv !== undefined && mayBeCopy(csv);
  // Menus are outside of our pages: nobody gives them a ClusterContext.
  const asks = !copy && namespace !== '' && name !== '';
  const may = useMayIn(useConsoleCluster(), asks ? { verb: 'delete', group: clusterServiceVersions.group, resource: clusterServiceVersions.plural, namespace, name } : null);
  const actions = useMemo(() => {
    if (csv === undefined || name === '') return [];
    const why = whyNoUninstall(csv, may);
    const texts: Record<WhyNoUninstall, string> = {
      copy: t('This is a copy: an operator is uninstalled where it is installed.'),
      unknown: t('Whether you may is not known yet.'),
      forbidden: t('You may not delete this ClusterServiceVersion.'),
    };
    return [
      {
        id: 'steward-uninstall',
        label: t('Uninstall with Steward…'),
        description: t('Preview it first, and choose what becomes of its custom resources'),
        cta: { href: consoleHost.uninstall(namespace, name) },
        disabled: why !== undefined,
        disabledTooltip: why === undefined ? undefined : texts[why],
      },
    ];
  }, [csv, namespace, name, may, t]);
  return [actions, true, undefined] as const;
}

// Sets the flag STEWARD_ADMIN for whoever may ask what a choice about copies would do.
export function findAdmin(setFlag: (flag: string, enabled: boolean) => void): void {
  const accesses = accessesFor('copiedCSVs', ANY_NAMESPACE);
  Promise.all(accesses.map((access) => consoleCluster.may(access))).then(
    (decisions) => setFlag('STEWARD_ADMIN', decisions.every((decision) => decision.allowed)),
    () => setFlag('STEWARD_ADMIN', false),
  );
}
