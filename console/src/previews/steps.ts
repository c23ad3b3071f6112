// Steps of previews: their order, colours and groups. Pure functions.
import type { Condition } from '../kube/types';
import type { PreviewStatus, Step } from './types';

export type LabelColor = 'green' | 'red' | 'orange' | 'blue' | 'grey' | 'purple' | 'yellow';

const colors: Record<string, LabelColor> = {
  Create: 'green',
  Update: 'blue',
  Unchanged: 'grey',
  NotCreated: 'yellow',
  Delete: 'orange',
  Keep: 'grey',
  Blocked: 'red',
  Fail: 'red',
  Unknown: 'purple',
};

export function outcomeColor(outcome: string): LabelColor {
  return colors[outcome] ?? 'grey';
}

// What needs attention comes first.
const order = ['Fail', 'Blocked', 'Unknown', 'Delete', 'NotCreated', 'Create', 'Update', 'Keep', 'Unchanged'];

export function outcomeOrder(outcome: string): number {
  const place = order.indexOf(outcome);
  return place < 0 ? order.length : place;
}

export function stepKey(step: Step): string {
  return `${step.index}/${step.group ?? ''}/${step.kind ?? ''}/${step.namespace ?? ''}/${step.name ?? ''}`;
}

export function objectText(step: Pick<Step, 'kind' | 'namespace' | 'name'>): string {
  const place = step.namespace ? `${step.namespace}/` : '';
  return `${step.kind ?? ''} ${place}${step.name ?? ''}`.trim();
}

// The number of steps of each outcome that there is, in the order of `outcomeOrder`.
export function countOutcomes(steps: Step[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const step of steps) counts.set(step.outcome, (counts.get(step.outcome) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => outcomeOrder(a) - outcomeOrder(b) || (a < b ? -1 : 1));
}

export interface StepGroup {
  key: string;
  outcome: string;
  group: string;
  kind: string;
  namespace: string; // "": outside of namespaces
  steps: Step[];
}

// Steps that come to the same, of one kind in one namespace.
export function groupSteps(steps: Step[]): StepGroup[] {
  const groups = new Map<string, StepGroup>();
  for (const step of steps) {
    const { outcome, group = '', kind = '', namespace = '' } = step;
    const key = JSON.stringify([outcome, group, kind, namespace]);
    const known = groups.get(key);
    if (known) known.steps.push(step);
    else groups.set(key, { key, outcome, group, kind, namespace, steps: [step] });
  }
  const text = (each: StepGroup) => `${each.kind}\u0000${each.group}\u0000${each.namespace}`;
  return [...groups.values()].sort((a, b) => outcomeOrder(a.outcome) - outcomeOrder(b.outcome) || (text(a) < text(b) ? -1 : 1));
}

export function executable(status: PreviewStatus | undefined): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === 'Executable');
}

// Custom resources that an uninstallation would delete: neither operators nor definitions.
export function deletedOperands(steps: Step[]): Step[] {
  return steps.filter((step) => step.outcome === 'Delete' && step.kind !== 'ClusterServiceVersion' && step.kind !== 'CustomResourceDefinition');
}

const MOST_VALUE = 2_000;

// A value of a change, as text of a bounded length.
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}…` : text;
}
