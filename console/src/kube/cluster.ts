// A client of the Kubernetes API over a transport. It keeps nothing but answers about access and about what is served.
import { ApiError } from './errors';
import type { KubeObject, Model, ObjectList, Table } from './types';
import type { Transport, TransportRequest } from './transport';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json';

export interface ListOptions {
  limit?: number;
  continueToken?: string;
  labelSelector?: string;
  fieldSelector?: string;
  signal?: AbortSignal;
}

export interface DeleteOptions {
  uid: string; // what is deleted is this very object
  resourceVersion?: string;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun?: boolean;
}

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test';
  path: string;
  value?: unknown;
}

// What SelfSubjectAccessReview asks about.
export interface Access {
  verb: string;
  group: string;
  resource: string; // with a subresource behind a slash
  namespace?: string; // absent: in the whole cluster
  name?: string;
}

export interface Decision {
  allowed: boolean;
  reason: string;
}

const DECISION_MAX_AGE_MS = 60_000;

const encode = encodeURIComponent;

// The path of a collection, or, without a namespace, of all namespaces.
export function collectionPath(model: Model, namespace?: string): string {
  const root = model.group === '' ? `/api/${model.version}` : `/apis/${model.group}/${model.version}`;
  const place = model.namespaced && namespace ? `/namespaces/${encode(namespace)}` : '';
  return `${root}${place}/${model.plural}`;
}

export function objectPath(model: Model, namespace: string | undefined, name: string, subresource?: string): string {
  if (name === '') throw new ApiError(404, 'NotFound', 'an object without a name');
  return `${collectionPath(model, namespace)}/${encode(name)}${subresource ? `/${subresource}` : ''}`;
}

function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${key}=${encode(String(value))}`).join('&')}`;
}

export class Cluster {
  private readonly resources = new Map<string, Promise<{ name: string; kind: string; namespaced: boolean }[]>>();
  private readonly decisions = new Map<string, { at: number; decision: Promise<Decision> }>();

  constructor(
    readonly transport: Transport,
    private readonly now: () => number = () => Date.now(),
  ) {}

  async get<T extends KubeObject>(
    model: Model,
    namespace: string | undefined,
    name: string,
    options: { subresource?: string; signal?: AbortSignal } = {},
  ): Promise<T> {
    return this.json<T>(objectPath(model, namespace, name, options.subresource), { signal: options.signal });
  }

  // One page.
  async list<T extends KubeObject>(model: Model, namespace: string | undefined, options: ListOptions = {}): Promise<ObjectList<T>> {
    return this.json<ObjectList<T>>(this.listPath(model, namespace, options), { signal: options.signal });
  }

  // All pages, up to `bound` objects.
  async listAll<T extends KubeObject>(model: Model, namespace: string | undefined, options: ListOptions = {}, bound = 10_000): Promise<T[]> {
    const items: T[] = [];
    let continueToken: string | undefined;
    do {
      const page: ObjectList<T> = await this.list<T>(model, namespace, { limit: 500, ...options, continueToken });
      items.push(...page.items);
      continueToken = page.metadata?.continue || undefined;
    } while (continueToken && items.length < bound);
    return items;
  }

  // One page, as the rows that kubectl prints.
  async table(model: Model, namespace: string | undefined, options: ListOptions = {}): Promise<Table> {
    return this.json<Table>(this.listPath(model, namespace, options), { accept: TABLE, signal: options.signal });
  }

  // The kind as the cluster serves it, or undefined where it does not; asked once for each group and version that serves it.
  async served(model: Model): Promise<Model | undefined> {
    const root = model.group === '' ? `/api/${model.version}` : `/apis/${model.group}/${model.version}`;
    let resources = this.resources.get(root);
    if (resources === undefined) {
      resources = this.json<{ resources?: { name: string; kind: string; namespaced: boolean }[] }>(root).then((list) => list.resources ?? []);
      this.resources.set(root, resources);
      // What is not served now may be later.
      resources.catch(() => this.resources.delete(root));
    }
    try {
      const found = (await resources).find((each) => each.name === model.plural);
      if (found === undefined) this.resources.delete(root);
      return found === undefined ? undefined : { ...model, kind: found.kind, namespaced: found.namespaced };
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.missing) return undefined;
      throw thrown;
    }
  }

  watch(model: Model, namespace: string | undefined, resourceVersion: string, options: ListOptions = {}): WebSocket {
    return this.transport.webSocket(
      collectionPath(model, namespace) +
        query({
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion,
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
        }),
    );
  }

  async create<T extends KubeObject>(model: Model, namespace: string | undefined, object: T, options: { dryRun?: boolean; signal?: AbortSignal } = {}): Promise<T> {
    return this.json<T>(collectionPath(model, namespace) + query({ dryRun: options.dryRun ? 'All' : undefined }), {
      method: 'POST',
      contentType: 'application/json',
      body: JSON.stringify(object),
      signal: options.signal,
    });
  }

  async patch<T extends KubeObject>(model: Model, namespace: string | undefined, name: string, operations: JsonPatchOperation[], options: { dryRun?: boolean } = {}): Promise<T> {
    return this.json<T>(objectPath(model, namespace, name) + query({ dryRun: options.dryRun ? 'All' : undefined }), {
      method: 'PATCH',
      contentType: 'application/json-patch+json',
      body: JSON.stringify(operations),
    });
  }

  async merge<T extends KubeObject>(model: Model, namespace: string | undefined, name: string, patch: unknown, options: { dryRun?: boolean } = {}): Promise<T> {
    return this.json<T>(objectPath(model, namespace, name) + query({ dryRun: options.dryRun ? 'All' : undefined }), {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: JSON.stringify(patch),
    });
  }

  async delete(model: Model, namespace: string | undefined, name: string, options: DeleteOptions): Promise<void> {
    // Said twice, since a dry run whose body somebody on the way drops would be none.
    await this.json(objectPath(model, namespace, name) + query({ dryRun: options.dryRun ? 'All' : undefined }), {
      method: 'DELETE',
      contentType: 'application/json',
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: options.uid, resourceVersion: options.resourceVersion },
        propagationPolicy: options.propagationPolicy,
        dryRun: options.dryRun ? ['All'] : undefined,
      }),
    });
  }

  // Bytes of a subresource that is no object, as an icon.
  async blob(model: Model, namespace: string, name: string, subresource: string): Promise<Blob> {
    const answer = await this.transport.fetch(objectPath(model, namespace, name, subresource), { accept: '*/*' });
    return answer.blob();
  }

  // What the user may do, as the cluster says; asked once a minute.
  async may(access: Access): Promise<Decision> {
    const key = JSON.stringify(access);
    const known = this.decisions.get(key);
    if (known !== undefined && this.now() - known.at < DECISION_MAX_AGE_MS) return known.decision;
    const decision = this.review(access);
    this.decisions.set(key, { at: this.now(), decision });
    decision.catch(() => this.decisions.delete(key));
    return decision;
  }

  async json<T>(path: string, request: TransportRequest = {}): Promise<T> {
    const answer = await this.transport.fetch(path, request);
    try {
      return (await answer.json()) as T;
    } catch (thrown) {
      if (request.signal?.aborted) throw thrown;
      throw new ApiError(0, '', `the answer to ${path} is no JSON`);
    }
  }

  private async review(access: Access): Promise<Decision> {
    const [resource, subresource] = access.resource.split('/');
    const answer = await this.json<{ status?: { allowed?: boolean; reason?: string } }>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      method: 'POST',
      contentType: 'application/json',
      body: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { verb: access.verb, group: access.group, resource, subresource, namespace: access.namespace, name: access.name },
        },
      }),
    });
    return { allowed: answer.status?.allowed === true, reason: answer.status?.reason ?? '' };
  }

  private listPath(model: Model, namespace: string | undefined, options: ListOptions): string {
    return (
      collectionPath(model, namespace) +
      query({
        limit: options.limit,
        continue: options.continueToken,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
      })
    );
  }
}
