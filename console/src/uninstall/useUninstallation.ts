// An uninstallation that runs while the page is open.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { CsvReference } from '../cleanup/write';
import { asApiError, type ApiError } from '../kube/errors';
import { useCluster } from '../kube/hooks';
import { Refusal } from './course';
import { Memory } from './memory';
import { TakeBackFailed, Uninstallation, type News, type Plan, type Stage } from './steps';

export interface Running {
  running: boolean;
  stage?: Stage;
  trouble?: string;
  unconfirmed?: boolean;
  deletedRelated: string[];
  refusal?: Refusal;
  error?: ApiError;
  takeBackError?: ApiError; // the opt-in is still there
}

const idle: Running = { running: false, deletedRelated: [] };

class Left extends Error {}

// Sleeps, and throws when `signal` is aborted.
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Left());
    const end = () => {
      clearTimeout(timer);
      reject(new Left());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
    return undefined;
  });
}

export function useUninstallation(reference: CsvReference) {
  const cluster = useCluster();
  const { namespace, name } = reference;
  const memory = useMemo(() => new Memory({ namespace, name }), [namespace, name]);
  const [state, setState] = useState<Running>(idle);
  const abort = useRef<AbortController>();
  useEffect(() => () => abort.current?.abort(), [namespace, name]);

  const start = useCallback(
    async (plan: Plan) => {
      abort.current?.abort();
      const controller = new AbortController();
      abort.current = controller;
      const { signal } = controller;
      const set = (part: Partial<Running>) => !signal.aborted && setState((before) => ({ ...before, ...part }));
      setState({ running: true, deletedRelated: [] });
      memory.write({ uid: plan.csv.metadata.uid ?? '', wish: plan.wish, optedIn: plan.ownOptIn, deletesOperands: plan.course.deletesOperands, agreed: plan.agreed });
      const tell = (news: News) => {
        // The next step is not taken when the user has left.
        if (signal.aborted) throw new Left();
        setState((before) => ({
          ...before,
          stage: news.stage,
          trouble: news.trouble,
          unconfirmed: news.unconfirmed,
          deletedRelated: news.related ? [...before.deletedRelated, `${news.related.model.kind} ${news.related.name}`] : before.deletedRelated,
        }));
      };
      const uninstallation = new Uninstallation({ cluster, tell, optedIn: (yes) => memory.setOptedIn(yes), pause: (ms) => pause(ms, signal) }, plan);
      try {
        await uninstallation.run();
      } catch (thrown) {
        if (thrown instanceof Left) return;
        if (thrown instanceof Refusal) set({ refusal: thrown });
        else if (thrown instanceof TakeBackFailed) set({ refusal: thrown.refusal, takeBackError: thrown.error });
        else set({ error: asApiError(thrown) });
      } finally {
        set({ running: false });
      }
    },
    [cluster, memory],
  );
  return { state, start, memory };
}
