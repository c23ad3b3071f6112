// The pages' place in the OpenShift console.
import { consoleFetch, DocumentTitle } from '@openshift-console/dynamic-plugin-sdk';
import type { ComponentType } from 'react';
import { useSelector } from 'react-redux';
import { HostContext, type Host } from '../host';
import { Cluster } from '../kube/cluster';
import { ApiError, errorOf } from '../kube/errors';
import { ClusterContext } from '../kube/hooks';
import { installedOperators, installPlans, planPreviews } from '../kube/models';
import type { Transport, TransportRequest } from '../kube/transport';
import '../shared/steward.css';

declare global {
  interface Window {
    SERVER_FLAGS?: { basePath?: string; copiedCSVsDisabled?: boolean };
  }
}

// Not limited by us: the cluster limits its own answers.
const TIMEOUT_MS = 60_000;

function root(): string {
  return `${window.SERVER_FLAGS?.basePath ?? '/'}api/kubernetes`;
}

// The console's own way to the cluster: its backend adds the user's token, and refuses what other pages send.
// Who impersonates somebody does so everywhere: consoleFetch says it by itself, `subprotocols` say it of WebSockets.
export class ConsoleTransport implements Transport {
  constructor(private readonly subprotocols: string[] = []) {}

  async fetch(path: string, request: TransportRequest = {}): Promise<Response> {
    const headers: Record<string, string> = { Accept: request.accept ?? 'application/json' };
    if (request.contentType) headers['Content-Type'] = request.contentType;
    try {
      return await consoleFetch(root() + path, { method: request.method ?? 'GET', headers, body: request.body, signal: request.signal }, TIMEOUT_MS);
    } catch (thrown) {
      throw consoleError(thrown);
    }
  }

  webSocket(path: string): WebSocket {
    const address = new URL(root() + path, window.location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(address, this.subprotocols);
  }
}

// What consoleFetch throws has a code, and the parsed answer, as far as there was one.
function consoleError(thrown: unknown): ApiError {
  const error = thrown as { code?: number; json?: unknown; message?: string; response?: Response };
  const code = typeof error.code === 'number' ? error.code : (error.response?.status ?? 0);
  if (code === 0) return new ApiError(0, '', error.message ?? String(thrown));
  return errorOf(code, error.json ?? error.message, error.response?.headers?.get('Retry-After'));
}

function reference(group: string, version: string, kind: string): string {
  return group === '' ? kind : `${group}~${version}~${kind}`;
}

function page(namespace: string | undefined, model: { group: string; version: string; kind: string }, name?: string): string {
  const place = namespace === undefined ? 'all-namespaces' : `ns/${namespace}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `/k8s/${place}/${reference(model.group, model.version, model.kind)}${object}`;
}

export const consoleHost: Host = {
  operators: (namespace) => page(namespace, installedOperators),
  operator: (namespace, name, tab) => page(namespace, installedOperators, name) + (tab ? `?tab=${tab}` : ''),
  object: (group, version, kind, _plural, namespace, name) =>
    namespace === undefined ? `/k8s/cluster/${reference(group, version, kind)}/${encodeURIComponent(name)}` : page(namespace, { group, version, kind }, name),
  // The console's form knows the descriptors of an operator that it finds as a ClusterServiceVersion; the plain one needs none.
  create: (group, version, kind, _plural, namespace) => `${page(namespace, { group, version, kind })}/~new`,
  namespace: (name) => `/k8s/cluster/namespaces/${encodeURIComponent(name)}`,
  uninstall: (namespace, name) => `/steward/uninstall/ns/${namespace}/${encodeURIComponent(name)}`,
  askPreview: (namespace, query) => `${page(namespace, planPreviews)}/~new${query ? `?${query}` : ''}`,
  plan: (namespace, name) => `${page(namespace, installPlans, name)}/steward-preview`,
  copies: () => '/steward/copied-csvs',
  Title: DocumentTitle as Host['Title'],
};

export const consoleCluster = new Cluster(new ConsoleTransport());

// What the console's store says of a user who impersonates another, or groups.
interface ConsoleState {
  sdkCore?: { impersonate?: { subprotocols: string[] } };
}

const clusters = new Map<string, Cluster>();

// The cluster as whom the user acts: what one may see or do says nothing of another.
export function useConsoleCluster(): Cluster {
  const subprotocols = useSelector((state: ConsoleState | undefined) => state?.sdkCore?.impersonate?.subprotocols);
  if (subprotocols === undefined) return consoleCluster;
  const key = JSON.stringify(subprotocols);
  const cluster = clusters.get(key) ?? new Cluster(new ConsoleTransport(subprotocols));
  clusters.set(key, cluster);
  return cluster;
}

// The component with all that the pages need around it.
export function inConsole<P extends object>(Page: ComponentType<P>): ComponentType<P> {
  const Placed = (props: P) => (
    <HostContext.Provider value={consoleHost}>
      <ClusterContext.Provider value={useConsoleCluster()}>
        <Page {...props} />
      </ClusterContext.Provider>
    </HostContext.Provider>
  );
  Placed.displayName = `inConsole(${Page.displayName ?? Page.name})`;
  return Placed;
}
