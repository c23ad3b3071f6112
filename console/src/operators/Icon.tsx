// Operators' icons. One answer of the cluster is kept for all rows of an operator.
import { useEffect, useState } from 'react';
import type { Cluster } from '../kube/cluster';
import { asApiError } from '../kube/errors';
import { useCluster } from '../kube/hooks';
import { installedOperators } from '../kube/models';
import { dataUrl } from './dataUrl';

const MAX_KEPT = 500;
// What else a page asks for has its place beside them.
const MAX_ASKED = 4;

interface Icon {
  namespace: string;
  name: string;
  installNamespace: string;
  version: string;
}

// Icons are pictures that a bundle's author chose: they are shown as images, in which a browser runs no scripts, by
// addresses that it does not open as pages.
class IconCache {
  private readonly kept = new Map<string, Promise<string>>();
  private readonly waiting: (() => void)[] = [];
  private asked = 0;

  // The icon's address; "": it has none.
  get(cluster: Cluster, icon: Icon): Promise<string> {
    const key = JSON.stringify([icon.installNamespace, icon.name, icon.version]);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const address = this.ask(cluster, icon);
    this.kept.set(key, address);
    // What failed may be asked again by the next who shows it.
    address.catch(() => this.kept.delete(key));
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return address;
  }

  private async ask(cluster: Cluster, { namespace, name }: Icon): Promise<string> {
    if (this.asked >= MAX_ASKED) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.asked += 1;
    try {
      return await dataUrl(await cluster.blob(installedOperators, namespace, name, 'icon'));
    } catch (thrown) {
      if (asApiError(thrown).missing) return '';
      throw thrown;
    } finally {
      // The next one takes this one's place.
      const next = this.waiting.shift();
      if (next) next();
      else this.asked -= 1;
    }
  }
}

const cache = new WeakMap<Cluster, IconCache>();

interface OperatorIconProps extends Icon {
  displayName: string;
  none?: boolean; // it is known to have none
}

export function OperatorIcon({ namespace, name, installNamespace, version, displayName, none = false }: OperatorIconProps) {
  const cluster = useCluster();
  const [address, setAddress] = useState('');
  useEffect(() => {
    let wanted = true;
    const icons = cache.get(cluster) ?? new IconCache();
    cache.set(cluster, icons);
    setAddress('');
    if (!none) {
      icons.get(cluster, { namespace, name, installNamespace, version }).then(
        (found) => wanted && setAddress(found),
        () => {},
      );
    }
    return () => {
      wanted = false;
    };
  }, [cluster, namespace, name, installNamespace, version, none]);
  if (address !== '') return <img alt="" className="steward-icon" src={address} onError={() => setAddress('')} />;
  return (
    <span aria-hidden className="steward-icon steward-icon--letter">
      {displayName.slice(0, 1).toUpperCase()}
    </span>
  );
}
