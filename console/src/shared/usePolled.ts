// Answers that are asked for again and again, as nothing tells of their changes.
import { useEffect } from 'react';
import type { Cluster } from '../kube/cluster';
import { useAnswer, type Answer } from '../kube/hooks';

// Asks again `everyMs` after each answer; null: asks nothing.
export function usePolled<T>(ask: ((cluster: Cluster, signal: AbortSignal) => Promise<T>) | null, dependencies: unknown[], everyMs: number): Answer<T> {
  const answer = useAnswer(ask, dependencies);
  const { loading, again, error } = answer;
  const asks = ask !== null;
  const wait = Math.max(everyMs, (error?.retryAfterSeconds ?? 0) * 1000);
  useEffect(() => {
    if (loading || !asks) return undefined;
    const timer = setTimeout(again, wait);
    return () => clearTimeout(timer);
  }, [loading, asks, again, wait]);
  return answer;
}
