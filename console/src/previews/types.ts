// PlanPreviews as the pages read them. Values.
import type { Condition, KubeObject } from '../kube/types';

export interface StepChange {
  path?: string; // absent: the whole object
  before?: unknown;
  after?: unknown;
  cut?: boolean;
}

export interface Step {
  index: number;
  group?: string;
  version?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  outcome: string;
  reason?: string;
  message?: string;
  code?: number;
  basis?: string;
  optional?: boolean;
  declaredOptional?: boolean;
  resolving?: string;
  status?: string;
  changedFields?: string[];
  changes?: StepChange[];
  warnings?: string[];
}

export interface PreviewStatus {
  approved?: boolean;
  phase?: string;
  clusterServiceVersionNames?: string[];
  conditions?: Condition[];
  steps?: Step[];
  hidden?: number;
  remaining?: number;
}

// What is asked: exactly one of these.
export interface PreviewSpec {
  installPlan?: { name: string };
  bundle?: { manifests: unknown[] };
  uninstall?: { clusterServiceVersion: string; cleanup?: boolean };
  copiedCSVs?: { enabled: boolean };
}

export type PlanPreview = KubeObject & { spec?: PreviewSpec; status?: PreviewStatus };
