// Informers: the objects of a collection, kept as they change.
import { ApiError, asApiError } from './errors';
import type { Cluster } from './cluster';
import type { KubeObject, Model, ObjectList, Status, Table } from './types';

// How an object is shown. Lists are read as Tables where `fromRow` is given: they have no specs, which
// for 10,000 operators are many megabytes. What changes later comes as a whole object.
export interface Form<T> {
  fromObject(object: KubeObject): T;
  fromRow?(cell: (column: string) => unknown, object: KubeObject): T;
}

export interface InformerSource {
  model: Model;
  namespace?: string; // absent: all namespaces, or an object outside of them
  name?: string; // of the only object
  labelSelector?: string;
  fieldSelector?: string;
}

export interface Snapshot<T> {
  items: ReadonlyMap<string, T>; // by UID; replaced when something changes
  loaded: boolean; // the first list is complete
  error?: ApiError; // why there is no list, or no newer one
  live: boolean; // changes are seen; false before the first list, and when the connection is lost
  lostAt?: number; // since when it is lost, in milliseconds; what is shown is of then
}

const PAGE = 500;
const BATCH_MS = 50;
// Shorter breaks are told to nobody.
const LOST_AFTER_MS = 2_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
// A connection that nothing came over for this long may be dead: it is opened again.
const SILENCE_MS = 150_000;
const LASTED_MS = 10_000;

interface WatchEvent {
  type: string;
  object: KubeObject & Status;
}

// Runs while somebody is subscribed. Belongs to the page's one thread.
export class Informer<T> {
  private items = new Map<string, T>();
  private snapshot: Snapshot<T> = { items: new Map(), loaded: false, live: false };
  private readonly listeners = new Set<() => void>();
  private resourceVersion = '';
  private loaded = false;
  private error?: ApiError;
  private live = false;
  private lostAt?: number;
  private delay = FIRST_DELAY_MS;
  private forgotten = false; // the server forgot a list that it had just given
  private socket?: WebSocket;
  private abort?: AbortController;
  private retry?: ReturnType<typeof setTimeout>;
  private silence?: ReturnType<typeof setTimeout>;
  private publishing?: ReturnType<typeof setTimeout>;
  private readonly wake = () => this.tryNow();

  constructor(
    private readonly cluster: Cluster,
    private readonly source: InformerSource,
    private readonly form: Form<T>,
  ) {}

  // For useSyncExternalStore.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  };

  readonly current = (): Snapshot<T> => this.snapshot;

  // Reads everything again, as after something that the user asked for.
  readonly tryNow = (): void => {
    if (this.listeners.size === 0 || this.live) return;
    this.delay = FIRST_DELAY_MS;
    clearTimeout(this.retry);
    void this.list();
  };

  private start(): void {
    globalThis.addEventListener?.('online', this.wake);
    void this.list();
  }

  private stop(): void {
    globalThis.removeEventListener?.('online', this.wake);
    this.abort?.abort();
    this.abort = undefined;
    this.closeSocket();
    clearTimeout(this.retry);
    clearTimeout(this.publishing);
    this.publishing = undefined;
    this.live = false;
    this.lostAt = undefined;
  }

  private selection() {
    const byName = this.source.name === undefined ? undefined : `metadata.name=${this.source.name}`;
    return {
      labelSelector: this.source.labelSelector,
      fieldSelector: [this.source.fieldSelector, byName].filter(Boolean).join(',') || undefined,
    };
  }

  private async list(): Promise<void> {
    this.abort?.abort();
    this.closeSocket();
    const abort = new AbortController();
    this.abort = abort;
    // The first list shows each page as it comes; a later one replaces all at its end.
    const items = this.loaded ? new Map<string, T>() : this.items;
    if (!this.loaded) items.clear();
    try {
      let continueToken: string | undefined;
      do {
        const page = await this.page(items, continueToken, abort.signal);
        if (abort.signal.aborted) return;
        continueToken = page.continue || undefined;
        this.resourceVersion = page.resourceVersion ?? '';
        if (!this.loaded) this.publishSoon();
      } while (continueToken);
    } catch (thrown) {
      if (!abort.signal.aborted) this.failed(asApiError(thrown));
      return;
    }
    this.items = items;
    this.loaded = true;
    this.error = undefined;
    this.open();
    this.publish();
  }

  private async page(items: Map<string, T>, continueToken: string | undefined, signal: AbortSignal) {
    const { model, namespace } = this.source;
    const options = { ...this.selection(), limit: PAGE, continueToken, signal };
    const fromRow = this.form.fromRow?.bind(this.form);
    const page: Partial<Table & ObjectList<KubeObject>> =
      fromRow === undefined ? await this.cluster.list(model, namespace, options) : await this.cluster.table(model, namespace, options);
    // Servers that make no Tables answer with the objects, too.
    for (const object of page.items ?? []) this.put(items, object, this.form.fromObject(object));
    const places = new Map((page.columnDefinitions ?? []).map((column, place) => [column.name, place]));
    for (const row of (fromRow && page.rows) ?? []) {
      const object = row.object ?? { metadata: {} };
      const cell = (column: string) => {
        const place = places.get(column);
        return place === undefined ? undefined : row.cells[place];
      };
      if (fromRow) this.put(items, object, fromRow(cell, object));
    }
    return { continue: page.metadata?.continue, resourceVersion: page.metadata?.resourceVersion };
  }

  private put(items: Map<string, T>, object: KubeObject, item: T): void {
    items.set(object.metadata.uid ?? `${object.metadata.namespace}/${object.metadata.name}`, item);
  }

  private open(): void {
    const { model, namespace } = this.source;
    let socket: WebSocket;
    try {
      socket = this.cluster.watch(model, namespace, this.resourceVersion, this.selection());
    } catch (thrown) {
      this.failed(asApiError(thrown));
      return;
    }
    this.socket = socket;
    let opened: number | undefined;
    socket.onopen = () => {
      opened = Date.now();
      this.live = true;
      this.lostAt = undefined;
      this.listenOn(socket);
      this.publishSoon();
    };
    socket.onmessage = (message: MessageEvent) => {
      this.delay = FIRST_DELAY_MS;
      this.listenOn(socket);
      this.receive(socket, message.data);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.closeSocket();
      // One that lasted did not fail, also where there was nothing to tell.
      if (opened !== undefined && Date.now() - opened >= LASTED_MS) this.delay = FIRST_DELAY_MS;
      // A watch that was never open says nothing of why: a list does.
      if (opened !== undefined) this.again(() => this.open());
      else this.again(() => void this.list());
    };
  }

  private listenOn(socket: WebSocket): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => socket.close(), SILENCE_MS);
  }

  private receive(socket: WebSocket, data: unknown): void {
    let event: WatchEvent;
    try {
      event = JSON.parse(String(data)) as WatchEvent;
    } catch {
      socket.close();
      return;
    }
    if (event.type === 'ERROR') {
      this.closeSocket();
      // What the server has forgotten is read anew at once, but not again and again.
      const first = event.object.code === 410 && !this.forgotten;
      this.forgotten = event.object.code === 410;
      if (first) void this.list();
      else this.again(() => void this.list());
      return;
    }
    this.forgotten = false;
    this.resourceVersion = event.object.metadata.resourceVersion ?? this.resourceVersion;
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') this.items.delete(event.object.metadata.uid ?? '');
    else this.put(this.items, event.object, this.form.fromObject(event.object));
    this.publishSoon();
  }

  private failed(error: ApiError): void {
    this.error = error;
    if (error.expired) this.resourceVersion = '';
    this.again(() => void this.list(), error.retryAfterSeconds * 1000);
    this.publish();
  }

  // Tries again after a while that doubles with each failure, with a part of it drawn by lot: all pages of a
  // server that restarts come back, but not in one moment.
  private again(attempt: () => void, atLeast = 0): void {
    this.live = false;
    this.lostAt ??= Date.now();
    const wait = Math.max(atLeast, this.delay * (0.5 + Math.random() / 2));
    this.delay = Math.min(this.delay * 2, MAX_DELAY_MS);
    clearTimeout(this.retry);
    this.retry = setTimeout(attempt, wait);
    setTimeout(() => {
      if (!this.live && this.listeners.size > 0) this.publish();
    }, LOST_AFTER_MS);
  }

  private closeSocket(): void {
    clearTimeout(this.silence);
    const socket = this.socket;
    this.socket = undefined;
    if (socket === undefined) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  private publishSoon(): void {
    this.publishing ??= setTimeout(() => this.publish(), BATCH_MS);
  }

  private publish(): void {
    clearTimeout(this.publishing);
    this.publishing = undefined;
    const lost = this.lostAt !== undefined && Date.now() - this.lostAt >= LOST_AFTER_MS;
    this.snapshot = {
      items: new Map(this.items),
      loaded: this.loaded,
      error: this.error,
      live: this.live || !lost,
      lostAt: lost ? this.lostAt : undefined,
    };
    for (const listener of [...this.listeners]) listener();
  }
}
