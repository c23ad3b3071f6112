// The way to the cluster through the server of this page, with the user's own token.
import { ApiError, errorOf } from '../kube/errors';
import type { Transport, TransportRequest } from '../kube/transport';

// How kube-apiserver, too, takes a token of browsers, which cannot set headers of a WebSocket.
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
// A server has to choose a protocol, and never chooses the one with the token.
const WATCH_PROTOCOL = 'watch.steward.operatorframework.io';

const TIMEOUT_MS = 60_000;

function base64url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// `token` is asked at each request; "": a proxy before the server says who the user is.
export class DirectTransport implements Transport {
  constructor(
    private readonly token: () => string,
    private readonly onUnauthenticated: () => void = () => {},
  ) {}

  async fetch(path: string, request: TransportRequest = {}): Promise<Response> {
    const headers: Record<string, string> = { Accept: request.accept ?? 'application/json' };
    if (request.contentType) headers['Content-Type'] = request.contentType;
    if (this.token() !== '') headers['Authorization'] = `Bearer ${this.token()}`;
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    let answer: Response;
    try {
      answer = await fetch(path, { method: request.method ?? 'GET', headers, body: request.body, signal, credentials: 'same-origin', cache: 'no-store' });
    } catch (thrown) {
      throw new ApiError(0, '', limit.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : thrown instanceof Error ? thrown.message : String(thrown));
    }
    if (answer.ok) return answer;
    if (answer.status === 401) this.onUnauthenticated();
    throw errorOf(answer.status, await bodyOf(answer), answer.headers.get('Retry-After'));
  }

  webSocket(path: string): WebSocket {
    const address = new URL(path, window.location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const token = this.token();
    return new WebSocket(address, token === '' ? [WATCH_PROTOCOL] : [TOKEN_PROTOCOL + base64url(token), WATCH_PROTOCOL]);
  }
}

async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text().catch(() => '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
