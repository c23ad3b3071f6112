// What a CleanupStatus says. Pure functions.
import type { LabelColor } from '../previews/steps';
import type { CleanupOutlook, PendingOperand } from './types';

// The operator is being deleted.
export function isRunning(outlook: CleanupOutlook | undefined): boolean {
  return !!outlook?.startedAt || ['Deleting', 'Draining', 'Stalled'].includes(outlook?.phase ?? '');
}

// Something is waited for.
export function isPending(outlook: CleanupOutlook | undefined): boolean {
  return ['Deleting', 'Draining', 'Stalled'].includes(outlook?.phase ?? '');
}

const colors: Record<string, LabelColor> = {
  Disabled: 'grey',
  NotOptedIn: 'grey',
  Ready: 'green',
  Refused: 'red',
  Unknown: 'orange',
  Deleting: 'blue',
  Draining: 'orange',
  Stalled: 'red',
};

export function cleanupColor(phase: string): LabelColor {
  return colors[phase] ?? 'grey';
}

export type WhyNoAbort = 'notOptedIn' | 'calledOff' | 'forbidden' | 'unknown';

// Why a cleanup cannot be called off; undefined: it can. `mayPatch`: undefined while nobody knows.
export function whyNoAbort(outlook: CleanupOutlook | undefined, mayPatch: boolean | undefined): WhyNoAbort | undefined {
  if (!outlook?.optedIn) return 'notOptedIn';
  if (isRunning(outlook) && !outlook.enabled) return 'calledOff';
  if (mayPatch === undefined) return 'unknown';
  return mayPatch ? undefined : 'forbidden';
}

export interface Holder {
  finalizer: string; // "": nothing holds it any more, or it is not deleted yet
  operands: PendingOperand[]; // those that have waited longest first
}

// Pending operands by the finalizers that hold them: those that hold most first.
export function byFinalizer(operands: PendingOperand[]): Holder[] {
  const holders = new Map<string, PendingOperand[]>();
  for (const operand of operands) {
    const finalizers = operand.finalizers?.length ? operand.finalizers : [''];
    for (const finalizer of finalizers) holders.set(finalizer, [...(holders.get(finalizer) ?? []), operand]);
  }
  return [...holders]
    .map(([finalizer, held]) => ({ finalizer, operands: held.sort((a, b) => ((a.deletionTimestamp ?? '~') < (b.deletionTimestamp ?? '~') ? -1 : 1)) }))
    .sort((a, b) => b.operands.length - a.operands.length || (a.finalizer < b.finalizer ? -1 : 1));
}
