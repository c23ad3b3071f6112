// What pages read of the cluster, as React hooks.
import { createContext, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Access, Cluster, Decision } from './cluster';
import { asApiError, type ApiError } from './errors';
import { Informer, type Form, type InformerSource, type Snapshot } from './informer';
import type { KubeObject, Model } from './types';

export const ClusterContext = createContext<Cluster | undefined>(undefined);

export function useCluster(): Cluster {
  const cluster = useContext(ClusterContext);
  if (cluster === undefined) throw new Error('there is no ClusterContext');
  return cluster;
}

export interface Watched<T> extends Snapshot<T> {
  retry: () => void; // reads again at once
}

const nothing: Snapshot<never> = { items: new Map<string, never>(), loaded: false, live: true };
const subscribeToNothing = () => () => {};

// Follows the objects of a source; null: none. `form` is a constant of its module.
export function useWatch<T>(source: InformerSource | null, form: Form<T>): Watched<T> {
  return useWatchIn(useCluster(), source, form);
}

// The same where no context is: in hooks that the console calls.
export function useWatchIn<T>(cluster: Cluster, source: InformerSource | null, form: Form<T>): Watched<T> {
  const key = JSON.stringify(source);
  const informer = useMemo(() => {
    const parsed = JSON.parse(key) as InformerSource | null;
    return parsed === null ? undefined : new Informer<T>(cluster, parsed, form);
  }, [cluster, key, form]);
  const snapshot = useSyncExternalStore<Snapshot<T>>(informer?.subscribe ?? subscribeToNothing, informer?.current ?? (() => nothing));
  const retry = useCallback(() => informer?.tryNow(), [informer]);
  return useMemo(() => ({ ...snapshot, retry }), [snapshot, retry]);
}

export const whole: Form<KubeObject> = { fromObject: (object) => object };

// Names alone, of lists that are read as Tables.
export const nameOf: Form<string> = {
  fromObject: (object) => object.metadata.name ?? '',
  fromRow: (_cell, object) => object.metadata.name ?? '',
};

export interface WatchedObject<T> {
  object?: T; // absent: not loaded, or not there
  loaded: boolean; // it is known whether it is there
  error?: ApiError;
  live: boolean;
  lostAt?: number;
  retry: () => void;
}

// Follows one object; "" as its name: none.
export function useObject<T extends KubeObject>(model: Model, namespace: string | undefined, name: string): WatchedObject<T> {
  const watched = useWatch<KubeObject>(name === '' ? null : { model, namespace, name }, whole);
  return useMemo(() => {
    const [object] = watched.items.values();
    return { object: object as T | undefined, loaded: watched.loaded, error: watched.error, live: watched.live, lostAt: watched.lostAt, retry: watched.retry };
  }, [watched]);
}

// Follows whole objects.
export function useObjects<T extends KubeObject>(source: InformerSource | null): Watched<T> {
  return useWatch<KubeObject>(source, whole) as Watched<T>;
}

// What the user may do. Absent: not known yet, or the question failed, which nobody takes for a yes.
export function useMay(access: Access | null): Decision | undefined {
  return useMayIn(useCluster(), access);
}

// The same where no context is.
export function useMayIn(cluster: Cluster, access: Access | null): Decision | undefined {
  const [decision, setDecision] = useState<{ key: string; decision: Decision }>();
  const key = JSON.stringify(access);
  useEffect(() => {
    let wanted = true;
    const asked = JSON.parse(key) as Access | null;
    if (asked !== null) {
      cluster.may(asked).then(
        (answer) => wanted && setDecision({ key, decision: answer }),
        (thrown: unknown) => wanted && setDecision({ key, decision: { allowed: false, reason: asApiError(thrown).message } }),
      );
    }
    return () => {
      wanted = false;
    };
  }, [cluster, key]);
  return decision?.key === key ? decision.decision : undefined;
}

export interface Answer<T> {
  value?: T;
  error?: ApiError;
  loading: boolean;
  again: () => void;
}

// The outcome of `ask`, which is asked again when one of `dependencies` changes; null: nothing is asked.
export function useAnswer<T>(ask: ((cluster: Cluster, signal: AbortSignal) => Promise<T>) | null, dependencies: unknown[]): Answer<T> {
  const cluster = useCluster();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ value?: T; error?: ApiError; loading: boolean }>({ loading: ask !== null });
  useEffect(() => {
    if (ask === null) {
      setState({ loading: false });
      return undefined;
    }
    const abort = new AbortController();
    setState((before) => ({ value: before.value, loading: true }));
    ask(cluster, abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, loading: false }),
      (thrown: unknown) => !abort.signal.aborted && setState({ error: asApiError(thrown), loading: false }),
    );
    return () => abort.abort();
    // The dependencies stand for `ask`, which is a new function at each rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [cluster, round, ...dependencies]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, again };
}
