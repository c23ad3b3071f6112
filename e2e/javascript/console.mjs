// How the OpenShift console keeps a list and a single object fresh (its dynamic-plugin-sdk, as observed): pages of 250,
// one WebSocket without a subprotocol, a rule of its own for what is newer, the same URL again after every end.

import https from 'node:https';
import WebSocket from 'ws';

/** Plain requests, and WebSockets as the console's backend opens them. */
export class Api {
  static async of(kubeConfig) {
    const options = {};
    await kubeConfig.applyToHTTPSOptions(options);
    return new Api(kubeConfig.getCurrentCluster().server, options);
  }

  constructor(server, options) {
    this.server = server;
    this.options = options;
  }

  request(method, path, body, type = 'application/json') {
    return new Promise((resolve, reject) => {
      const headers = { Accept: 'application/json', ...(body && { 'Content-Type': type }) };
      const request = https.request(this.server + path, { ...this.options, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => (text += piece));
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode < 300) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        });
      });
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }

  get(path) {
    return this.request('GET', path);
  }

  merge(path, patch) {
    return this.request('PATCH', path, patch, 'application/merge-patch+json');
  }

  socket(path) {
    const url = this.server.replace(/^http/, 'ws') + path;
    return new WebSocket(url, { ...this.options, origin: 'http://localhost', perMessageDeflate: false });
  }

  /** All pages of a list. */
  async list(path, limit = 250) {
    const items = [];
    const versions = new Set();
    let pages = 0;
    for (let token = ''; pages === 0 || token; pages += 1) {
      const page = await this.get(`${path}?limit=${limit}${token && `&continue=${encodeURIComponent(token)}`}`);
      items.push(...page.items);
      versions.add(page.metadata.resourceVersion);
      token = page.metadata.continue;
    }
    return { items, pages, versions: [...versions] };
  }
}

const keyOf = ({ metadata }) => `(${metadata.namespace})-${metadata.name}`;

/** The objects of a list, by the console's rule for what replaces what. */
export class Store {
  objects = new Map();
  refused = 0;

  offer(object) {
    const held = this.objects.get(keyOf(object));
    if (held && !Store.#isNewer(object.metadata, held.metadata)) {
      this.refused += 1;
      return false;
    }
    this.objects.set(keyOf(object), object);
    return true;
  }

  static #isNewer(now, before) {
    if (now.uid === before.uid) {
      return parseInt(now.resourceVersion, 10) > parseInt(before.resourceVersion, 10);
    }
    return new Date(now.creationTimestamp) > new Date(before.creationTimestamp);
  }

  remove(object) {
    this.objects.delete(keyOf(object));
  }

  get(namespace, name) {
    return this.objects.get(`(${namespace})-${name}`);
  }

  /** What is held, but for the numbers: an object that a list shows carries the list's. */
  contents() {
    const without = (object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: '' } });
    return new Map([...this.objects].sort().map(([key, object]) => [key, without(object)]));
  }
}

/** A WebSocket that is opened again, with the same URL, whenever it ends. */
export class Socket {
  opened = 0;
  closes = [];
  #stopped = false;
  #delay;

  constructor(api, path, onEvent, firstDelay = 100) {
    this.path = path;
    this.#delay = firstDelay;
    this.#open(api, onEvent);
  }

  #open(api, onEvent) {
    this.socket = api.socket(this.path);
    this.socket.on('open', () => (this.opened += 1));
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('a binary message');
      onEvent(JSON.parse(data.toString()));
    });
    this.socket.on('error', () => {}); // its close follows
    this.socket.on('close', (code) => {
      this.closes.push(code);
      if (this.#stopped) return;
      setTimeout(() => this.#stopped || this.#open(api, onEvent), this.#delay);
      this.#delay = Math.min(this.#delay * 1.5, 60_000);
    });
  }

  /** As if the network had failed. */
  lose() {
    this.socket.terminate();
  }

  stop() {
    this.#stopped = true;
    this.socket.close();
  }
}

/** A list page. */
export class ListView {
  store = new Store();
  others = []; // events that the console only logs

  constructor(api, path) {
    this.api = api;
    this.path = path;
  }

  async start() {
    const { items, versions } = await this.api.list(this.path);
    items.forEach((item) => this.store.offer(item));
    const path = `${this.path}?watch=true&resourceVersion=${versions[0]}`;
    this.socket = new Socket(this.api, path, (event) => this.#take(event));
  }

  #take({ type, object }) {
    if (type === 'ADDED' || type === 'MODIFIED') this.store.offer(object);
    else if (type === 'DELETED') this.store.remove(object);
    else this.others.push(type);
  }
}

/** A details page: whatever comes replaces what is shown. */
export class DetailsView {
  types = [];

  constructor(api, path, name) {
    this.api = api;
    this.path = path;
    this.name = name;
  }

  async start() {
    this.shown = await this.api.get(`${this.path}/${this.name}`);
    const selector = encodeURIComponent(`metadata.name=${this.name}`);
    this.socket = new Socket(this.api, `${this.path}?watch=true&fieldSelector=${selector}`, ({ type, object }) => {
      this.types.push(type);
      this.shown = object;
    });
  }
}

/** Waits until a condition holds. */
export async function until(what, condition, milliseconds = 60_000) {
  for (const end = Date.now() + milliseconds; !condition(); ) {
    if (Date.now() > end) throw new Error(`not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
