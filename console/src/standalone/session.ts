// How this page says to its server who the user is. The key or token is held by this page alone, in memory, and in
// the browser's session storage until the tab is closed; never by the server.

export type Authentication = 'token' | 'header' | 'kubeconfig';

export interface Configuration {
  authentication: Authentication;
  version: string;
}

const STORED = 'steward-token';

export async function readConfiguration(): Promise<Configuration> {
  const answer = await fetch('/console-config.json', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`the server of this page answers ${answer.status}`);
  return (await answer.json()) as Configuration;
}

export class Session {
  private token = '';
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = sessionStorage,
    place: Pick<Location, 'hash' | 'pathname' | 'search'> = location,
    replaceAddress: (address: string) => void = (address) => history.replaceState(null, '', address),
  ) {
    const key = new URLSearchParams(place.hash.slice(1)).get('key');
    if (key) {
      // The address with the key stays in no history.
      this.storage.setItem(STORED, key);
      replaceAddress(place.pathname + place.search);
    }
    this.token = this.storage.getItem(STORED) ?? '';
  }

  readonly current = (): string => this.token;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly enter = (token: string): void => {
    this.token = token.trim();
    this.storage.setItem(STORED, this.token);
    this.listeners.forEach((each) => each());
  };

  readonly leave = (): void => {
    this.token = '';
    this.storage.removeItem(STORED);
    this.listeners.forEach((each) => each());
  };
}
