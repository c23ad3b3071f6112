// Operators' icons. One answer of the cluster is kept for all rows of an operator.
import { useEffect, useState } from 'react';
import type { Cluster } from '../kube/cluster';
import { useCluster } from '../kube/hooks';
import { installedOperators } from '../kube/models';

const MAX_KEPT = 500;

// Icons are pictures that a bundle's author chose: they are shown as images, in which a browser runs no scripts.
class IconCache {
  private readonly kept = new Map<string, Promise<string>>();

  get(cluster: Cluster, namespace: string, name: string, version: string): Promise<string> {
    const key = `${name}@${version}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const address = cluster.blob(installedOperators, namespace, name, 'icon').then((blob) => (blob.size === 0 ? '' : URL.createObjectURL(blob)));
    this.kept.set(key, address);
    // What failed may be asked again by the next who shows it.
    address.catch(() => this.kept.delete(key));
    if (this.kept.size > MAX_KEPT) this.dropOldest();
    return address;
  }

  private dropOldest(): void {
    const [oldest] = this.kept;
    if (oldest === undefined) return;
    this.kept.delete(oldest[0]);
    oldest[1].then((address) => address && URL.revokeObjectURL(address)).catch(() => {});
  }
}

const cache = new WeakMap<Cluster, IconCache>();

export function OperatorIcon({ namespace, name, version, displayName }: { namespace: string; name: string; version: string; displayName: string }) {
  const cluster = useCluster();
  const [address, setAddress] = useState('');
  useEffect(() => {
    let wanted = true;
    const icons = cache.get(cluster) ?? new IconCache();
    cache.set(cluster, icons);
    setAddress('');
    icons.get(cluster, namespace, name, version).then(
      (found) => wanted && setAddress(found),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [cluster, namespace, name, version]);
  if (address !== '') return <img alt="" className="steward-icon" src={address} onError={() => setAddress('')} />;
  return (
    <span aria-hidden className="steward-icon steward-icon--letter">
      {displayName.slice(0, 1).toUpperCase()}
    </span>
  );
}
