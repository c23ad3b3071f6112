// What this tab has begun to uninstall, so that a page that is loaded anew shows where it is. Kept until the tab is closed.
import type { CsvReference } from '../cleanup/write';
import type { Agreement } from './agreement';
import type { Wish } from './course';

export interface Begun {
  uid: string;
  wish: Wish;
  optedIn: boolean; // by this uninstallation
  deletesOperands: boolean;
  agreed: Agreement;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export class Memory {
  private readonly key: string;

  constructor(
    { namespace, name }: CsvReference,
    private readonly store: Store = sessionStorage,
  ) {
    this.key = `steward-uninstall/${namespace}/${name}`;
  }

  // A store that is full or forbidden remembers nothing, and everything works without.
  read(): Begun | undefined {
    try {
      const text = this.store.getItem(this.key);
      return text === null ? undefined : (JSON.parse(text) as Begun);
    } catch {
      return undefined;
    }
  }

  write(begun: Begun): void {
    try {
      this.store.setItem(this.key, JSON.stringify(begun));
    } catch {
      this.forget();
    }
  }

  setOptedIn(optedIn: boolean): void {
    const begun = this.read();
    if (begun !== undefined) this.write({ ...begun, optedIn });
  }

  forget(): void {
    try {
      this.store.removeItem(this.key);
    } catch {
      // Nothing was kept.
    }
  }
}
