// The kinds that the pages know. Values.
import type { Model } from './types';

const views = (kind: string, plural: string): Model => ({
  group: 'views.operators.coreos.com',
  version: 'v1alpha1',
  kind,
  plural,
  namespaced: true,
});

export const installedOperators = views('InstalledOperator', 'installedoperators');
export const cleanupStatuses = views('CleanupStatus', 'cleanupstatuses');
export const planPreviews = views('PlanPreview', 'planpreviews');

const olm = (kind: string, plural: string): Model => ({
  group: 'operators.coreos.com',
  version: 'v1alpha1',
  kind,
  plural,
  namespaced: true,
});

export const clusterServiceVersions = olm('ClusterServiceVersion', 'clusterserviceversions');
export const subscriptions = olm('Subscription', 'subscriptions');
export const installPlans = olm('InstallPlan', 'installplans');
export const olmConfigs: Model = { group: 'operators.coreos.com', version: 'v1', kind: 'OLMConfig', plural: 'olmconfigs', namespaced: false };
export const operatorGroups: Model = { group: 'operators.coreos.com', version: 'v1', kind: 'OperatorGroup', plural: 'operatorgroups', namespaced: true };

export const namespaces: Model = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const events: Model = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
export const customResourceDefinitions: Model = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
