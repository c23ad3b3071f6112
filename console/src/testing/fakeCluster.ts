// A cluster in memory, which misbehaves on command. For tests.
import { Cluster, type JsonPatchOperation } from '../kube/cluster';
import { ApiError } from '../kube/errors';
import type { Transport, TransportRequest } from '../kube/transport';
import type { KubeObject } from '../kube/types';

export interface Seen {
  method: string;
  path: string; // without the query
  query: URLSearchParams;
  body?: unknown;
}

type Answer = unknown;
export type Rule = (seen: Seen) => Answer; // undefined: the next rule, at last the objects; an ApiError is thrown

// As much of a WebSocket as informers use.
class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  closed = false;
  constructor(readonly path: string) {
    queueMicrotask(() => this.onopen?.());
  }
  close(): void {
    this.closed = true;
    queueMicrotask(() => this.onclose?.());
  }
}

function pointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyJsonPatch(object: KubeObject, operations: JsonPatchOperation[]): KubeObject {
  const result = structuredClone(object) as unknown as Record<string, unknown>;
  for (const { op, path, value } of operations) {
    const parts = pointer(path);
    const last = parts.pop() as string;
    let at: unknown = result;
    for (const part of parts) at = (at as Record<string, unknown> | undefined)?.[part];
    if (at === undefined) throw new ApiError(422, 'Invalid', `the path ${path} is not there`);
    const parent = at as Record<string, unknown>;
    if (op === 'test') {
      if (JSON.stringify(parent[last]) !== JSON.stringify(value)) throw new ApiError(422, 'Invalid', `testing value ${path} failed`);
    } else if (Array.isArray(at)) {
      if (op === 'add') at.splice(last === '-' ? at.length : Number(last), 0, value);
      else if (op === 'remove') at.splice(Number(last), 1);
      else at[Number(last)] = value;
    } else if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return result as unknown as KubeObject;
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

export class FakeCluster implements Transport {
  readonly objects = new Map<string, KubeObject>(); // by the path of each
  readonly seen: Seen[] = [];
  readonly sockets: FakeSocket[] = [];
  readonly rules: Rule[] = [];
  refusedAccess = new Set<string>(); // "verb resource"
  private version = 100;

  readonly cluster = new Cluster(this);

  put<T extends KubeObject>(path: string, object: T): T {
    object.metadata.resourceVersion = String(++this.version);
    this.objects.set(path, object);
    this.tell(path, 'MODIFIED', object);
    return object;
  }

  remove(path: string): void {
    const object = this.objects.get(path);
    this.objects.delete(path);
    if (object) this.tell(path, 'DELETED', object);
  }

  rule(method: string, path: string | RegExp, answer: Answer | ((seen: Seen) => Answer)): void {
    this.rules.unshift((seen) => {
      if (seen.method !== method || !(typeof path === 'string' ? seen.path === path : path.test(seen.path))) return undefined;
      return typeof answer === 'function' ? (answer as (seen: Seen) => Answer)(seen) : answer;
    });
  }

  writes(): Seen[] {
    return this.seen.filter((each) => each.method !== 'GET' && !each.path.includes('accessreviews') && !each.query.has('dryRun') && !each.path.endsWith('/planpreviews') && !this.isDryDelete(each));
  }

  async fetch(path: string, request: TransportRequest = {}): Promise<Response> {
    const [bare = '', query = ''] = path.split('?');
    const seen: Seen = {
      method: request.method ?? 'GET',
      path: decodeURIComponent(bare),
      query: new URLSearchParams(query),
      body: request.body === undefined ? undefined : JSON.parse(request.body),
    };
    this.seen.push(seen);
    for (const rule of this.rules) {
      const answer = rule(seen);
      if (answer instanceof ApiError) throw answer;
      if (answer !== undefined) return Response.json(answer);
    }
    return Response.json(this.answer(seen, request.contentType));
  }

  webSocket(path: string): WebSocket {
    const socket = new FakeSocket(decodeURIComponent(path));
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  }

  private isDryDelete(seen: Seen): boolean {
    return seen.method === 'DELETE' && (seen.body as { dryRun?: unknown } | undefined)?.dryRun !== undefined;
  }

  private tell(path: string, type: string, object: KubeObject): void {
    const collection = path.slice(0, path.lastIndexOf('/'));
    for (const socket of this.sockets) {
      const watched = socket.path.split('?')[0];
      if (!socket.closed && watched === collection) socket.onmessage?.({ data: JSON.stringify({ type, object }) });
    }
  }

  private answer(seen: Seen, contentType = ''): unknown {
    const { method, path, body } = seen;
    if (path.endsWith('/selfsubjectaccessreviews')) return this.review(body as { spec: { resourceAttributes: Record<string, string> } });
    const object = this.objects.get(path);
    if (method === 'POST') return this.created(seen);
    if (object === undefined) {
      const items = [...this.objects].filter(([each]) => each.startsWith(`${path}/`) && !each.slice(path.length + 1).includes('/')).map(([, each]) => each);
      const name = /metadata\.name=([^,]+)/.exec(seen.query.get('fieldSelector') ?? '')?.[1];
      if (method === 'GET' && (items.length > 0 || this.isCollection(path))) {
        return { metadata: { resourceVersion: String(this.version) }, items: items.filter((each) => name === undefined || each.metadata.name === name) };
      }
      throw new ApiError(404, 'NotFound', `${path} not found`);
    }
    if (method === 'GET') return object;
    if (method === 'PATCH') {
      const changed = contentType.startsWith('application/json-patch')
        ? applyJsonPatch(object, body as JsonPatchOperation[])
        : this.mergedObject(object, body as { metadata?: { resourceVersion?: string; uid?: string } });
      return seen.query.has('dryRun') ? changed : this.put(path, changed);
    }
    if (method === 'DELETE') return this.deleted(seen, object);
    throw new ApiError(405, 'MethodNotAllowed', method);
  }

  private isCollection(path: string): boolean {
    const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
    return (parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts).length === 1;
  }

  private mergedObject(object: KubeObject, patch: { metadata?: { resourceVersion?: string; uid?: string } }): KubeObject {
    const { resourceVersion, uid } = patch.metadata ?? {};
    if ((resourceVersion ?? object.metadata.resourceVersion) !== object.metadata.resourceVersion || (uid ?? object.metadata.uid) !== object.metadata.uid) {
      throw new ApiError(409, 'Conflict', 'the object has been modified');
    }
    return merged(object, patch) as KubeObject;
  }

  private created(seen: Seen): unknown {
    const object = seen.body as KubeObject;
    const path = `${seen.path}/${object.metadata?.name ?? ''}`;
    if (this.objects.has(path)) throw new ApiError(409, 'AlreadyExists', `${path} is there`);
    return seen.query.has('dryRun') ? object : this.put(path, object);
  }

  private deleted(seen: Seen, object: KubeObject): unknown {
    const { preconditions, dryRun } = seen.body as { preconditions?: { uid?: string; resourceVersion?: string }; dryRun?: unknown };
    const { uid, resourceVersion } = preconditions ?? {};
    if ((uid ?? object.metadata.uid) !== object.metadata.uid || (resourceVersion ?? object.metadata.resourceVersion) !== object.metadata.resourceVersion) {
      throw new ApiError(409, 'Conflict', 'the precondition does not hold');
    }
    if (dryRun !== undefined) return object;
    if ((object.metadata.finalizers ?? []).length === 0) this.remove(seen.path);
    else this.put(seen.path, { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-11-29T12:00:00Z' } });
    return object;
  }

  private review(body: { spec: { resourceAttributes: Record<string, string> } }): unknown {
    const { verb, resource, subresource } = body.spec.resourceAttributes;
    const allowed = !this.refusedAccess.has(`${verb} ${resource}${subresource ? `/${subresource}` : ''}`);
    return { status: { allowed, reason: allowed ? '' : 'no rule lets you' } };
  }
}
