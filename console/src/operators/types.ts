// InstalledOperators as the pages read them. Values.
import type { Condition, KubeObject } from '../kube/types';

export interface ProvidedApi {
  name: string; // plural.group
  version: string;
  kind: string;
  displayName?: string;
  description?: string;
}

export interface ProvidedService {
  name: string; // the plural
  group: string;
  version: string;
  kind: string;
  displayName?: string;
  description?: string;
}

export interface OperatorSpec {
  displayName?: string;
  description?: string;
  version?: string;
  replaces?: string;
  maturity?: string;
  provider?: { name?: string; url?: string };
  keywords?: string[];
  icon?: { base64data?: string; mediatype?: string }[];
  links?: { name?: string; url?: string }[];
  maintainers?: { name?: string; email?: string }[];
  minKubeVersion?: string;
  cleanup?: { enabled?: boolean };
  customresourcedefinitions?: { owned?: ProvidedApi[]; required?: ProvidedApi[] };
  apiservicedefinitions?: { owned?: ProvidedService[] };
}

export interface OperatorStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: Condition[];
  lastTransitionTime?: string;
}

export interface Scope {
  installNamespace?: string;
  installMode?: string;
  operatorGroup?: string;
  targeted?: boolean;
  cleanupOptedIn?: boolean;
  conflicts?: { name?: string; namespace?: string; installNamespace?: string }[];
}

export type ClusterServiceVersion = KubeObject & { spec?: OperatorSpec; status?: OperatorStatus };
export type InstalledOperator = ClusterServiceVersion & { scope?: Scope };

// What a list shows.
export interface OperatorRow {
  key: string;
  namespace: string;
  name: string;
  displayName: string;
  version: string;
  phase: string;
  installNamespace: string;
  mode: string;
  provides: string;
  hasIcon?: boolean; // absent: a Table does not say
  created: string;
}
