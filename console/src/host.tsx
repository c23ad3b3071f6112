// Where the pages stand: in the OpenShift console, or alone. The seam for addresses and titles.
import { createContext, useContext, type ComponentType, type ReactNode } from 'react';

export interface Host {
  // Addresses for links; absent where the host has no such page.
  operators(namespace?: string): string; // absent: all namespaces
  operator(namespace: string, name: string, tab?: string): string;
  object(group: string, version: string, kind: string, plural: string, namespace: string | undefined, name: string): string | undefined;
  create(group: string, version: string, kind: string, plural: string, namespace: string, operator: string): string | undefined;
  namespace(name: string): string | undefined;
  uninstall(namespace: string, name: string): string;
  askPreview(namespace: string, query?: string): string;
  plan(namespace: string, name: string): string; // the preview of an InstallPlan, as it changes
  copies(): string;
  // Sets the title of the browser's window.
  Title: ComponentType<{ children: string }>;
}

export const HostContext = createContext<Host | undefined>(undefined);

export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error('there is no HostContext');
  return host;
}

export interface WithChildren {
  children?: ReactNode;
}
