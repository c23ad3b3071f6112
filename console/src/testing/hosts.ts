// Both ways to a cluster, over one FakeApi.
import { vi } from 'vitest';
import { Cluster } from '../kube/cluster';
import { ConsoleTransport } from '../plugin/host';
import { DirectTransport } from '../standalone/transport';
import { FakeApi } from './fakeApi';

export interface FakeHost {
  name: string;
  cluster(api: FakeApi): Cluster;
}

// consoleFetch, as the console documents it: what is no success is thrown, with its code and JSON.
export const consoleFetch = vi.fn();

export const hosts: FakeHost[] = [
  {
    name: 'in the console',
    cluster(api) {
      const browser = api.fetch('/base/api/kubernetes');
      window.SERVER_FLAGS = { basePath: '/base/' };
      vi.stubGlobal('WebSocket', api.webSocketClass());
      consoleFetch.mockImplementation(async (url: string, options: RequestInit) => {
        const answer = await browser(url, options);
        if (answer.ok) return answer;
        const json: unknown = await answer.json().catch(() => undefined);
        throw Object.assign(new Error((json as { message?: string })?.message ?? 'HTTP'), { code: answer.status, json, response: answer });
      });
      return new Cluster(new ConsoleTransport());
    },
  },
  {
    name: 'alone',
    cluster(api) {
      vi.stubGlobal('fetch', api.fetch());
      vi.stubGlobal('WebSocket', api.webSocketClass());
      return new Cluster(new DirectTransport(() => 'tina-s.token_1'));
    },
  },
];
