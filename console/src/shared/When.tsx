// Moments, as ages that go on.
import { useSyncExternalStore } from 'react';
import { ago } from '../kube/time';

// One clock for all ages of the page.
const TICK_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    listeners.forEach((each) => each());
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function When({ timestamp }: { timestamp?: string }) {
  const current = useSyncExternalStore(subscribe, () => now);
  if (!timestamp) return <>-</>;
  return (
    <time dateTime={timestamp} title={new Date(timestamp).toLocaleString()}>
      {ago(timestamp, current)}
    </time>
  );
}
