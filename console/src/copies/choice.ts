// The cluster-admin's choice whether operators for all namespaces are copied: what an OLMConfig says. Pure functions.
import type { Condition, KubeObject } from '../kube/types';

export type OlmConfig = KubeObject & {
  spec?: { features?: Record<string, unknown> };
  status?: { conditions?: Condition[] };
};

export type Copies = 'on' | 'off' | 'notUnderstood';

const CONDITION = 'DisabledCopiedCSVs';
// The end of what OLM says when all copies are there, and the beginning of what Steward says of copies that it does not explain.
const ALL_THERE = 'cluster';
const UNEXPLAINED = 'Copied CSVs are disabled and at least one copied CSV is left of which it is not known';

export function conditionOf(config: OlmConfig | undefined): Condition | undefined {
  return config?.status?.conditions?.find((condition) => condition.type === CONDITION);
}

// What the spec says; undefined: nothing.
export type Word = boolean | undefined | 'notUnderstood';

export function disablesCopies(config: OlmConfig | undefined): Word {
  for (const spelling of ['disableCopiedCSVs', 'disable-copied-csvs']) {
    const value = config?.spec?.features?.[spelling];
    if (value === undefined || value === null) continue;
    return typeof value === 'boolean' ? value : 'notUnderstood';
  }
  return undefined;
}

// By the OLMConfig, or by what its controllers say. Without one they are on, unless the controllers run with a flag,
// which nobody else knows.
export function copiesBy(config: OlmConfig | undefined): Copies {
  const word = disablesCopies(config);
  if (word === 'notUnderstood') return 'notUnderstood';
  if (word !== undefined) return word ? 'off' : 'on';
  const condition = conditionOf(config);
  return condition?.status === 'True' || condition?.reason === 'CopiedCSVsDisabled' ? 'off' : 'on';
}

// True when the controllers have done what they can.
export function isCarriedOut(config: OlmConfig | undefined, off: boolean): boolean {
  const { status, reason, message = '' } = conditionOf(config) ?? {};
  if (off) return reason === 'CopiedCSVsDisabled' && (status === 'True' || message.startsWith(UNEXPLAINED));
  return status === 'False' && reason === 'CopiedCSVsEnabled' && message.endsWith(ALL_THERE);
}
