// A kube-apiserver for tests, as far as a browser sees it: answers by path, WebSockets that the test drives, and failures on
// command.

export interface FakeAnswer {
  status?: number;
  body?: unknown; // JSON
  headers?: Record<string, string>;
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

type Handler = (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer>;

export class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  closed = false;

  constructor(
    readonly url: URL,
    readonly protocols: string[],
  ) {}

  open(): void {
    this.onopen?.();
  }
  send(type: string, object: unknown): void {
    this.onmessage?.({ data: JSON.stringify({ type, object }) });
  }
  sendText(text: string): void {
    this.onmessage?.({ data: text });
  }
  // As the browser tells the end of a connection, whoever ended it.
  end(): void {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }
  close(): void {
    this.end();
  }
}

export class FakeApi {
  readonly requests: SeenRequest[] = [];
  readonly sockets: FakeSocket[] = [];
  down = false; // nobody answers
  private readonly handlers: { pattern: RegExp; handler: Handler }[] = [];

  // The newest handler whose pattern matches METHOD PATH answers.
  on(pattern: RegExp, handler: Handler | FakeAnswer): this {
    this.handlers.unshift({ pattern, handler: typeof handler === 'function' ? handler : () => handler });
    return this;
  }

  get socket(): FakeSocket {
    const last = this.sockets[this.sockets.length - 1];
    if (last === undefined) throw new Error('no WebSocket was opened');
    return last;
  }

  seen(pattern: RegExp): SeenRequest[] {
    return this.requests.filter((request) => pattern.test(`${request.method} ${request.path}`));
  }

  // A fetch of the browser. `prefix` is what stands before the API's own paths.
  fetch(prefix = ''): typeof globalThis.fetch {
    return async (input, init = {}) => {
      const address = new URL(String(input), 'http://page.example');
      const path = decodeURIComponent((address.pathname + address.search).slice(prefix.length));
      const headers = Object.fromEntries(Object.entries((init.headers ?? {}) as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]));
      const method = init.method ?? 'GET';
      const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      const request = { method, path, headers, body };
      this.requests.push(request);
      if (this.down) throw new TypeError('Failed to fetch');
      const found = this.handlers.find(({ pattern }) => pattern.test(`${method} ${path}`));
      const answer = found === undefined ? { status: 404, body: { kind: 'Status', code: 404, reason: 'NotFound', message: `no ${path}` } } : await found.handler(request);
      if (init.signal?.aborted) throw new DOMException('aborted', 'AbortError');
      return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
        status: answer.status ?? 200,
        headers: { 'Content-Type': 'application/json', ...answer.headers },
      });
    };
  }

  // A WebSocket class of the browser.
  webSocketClass(): typeof globalThis.WebSocket {
    const { sockets } = this;
    class Socket extends FakeSocket {
      constructor(url: string | URL, protocols: string | string[] = []) {
        super(new URL(String(url)), [protocols].flat());
        sockets.push(this);
      }
    }
    return Socket as unknown as typeof globalThis.WebSocket;
  }
}

export function statusOf(code: number, reason: string, message: string): FakeAnswer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } };
}

export function listOf(items: unknown[], resourceVersion = '1', more?: string): FakeAnswer {
  return { body: { kind: 'List', metadata: { resourceVersion, continue: more }, items } };
}
