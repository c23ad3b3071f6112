// The tabs that the plugin adds to pages of the console's own.
import { CleanupPanel } from '../cleanup/CleanupPanel';
import type { KubeObject } from '../kube/types';
import { PlanPreviewPanel } from '../previews/PlanPreviewPanel';
import { inConsole } from './host';

interface TabProps {
  obj?: KubeObject;
}

export const cleanupTab = inConsole(({ obj }: TabProps) =>
  obj?.metadata.name && obj.metadata.namespace ? <CleanupPanel namespace={obj.metadata.namespace} name={obj.metadata.name} /> : null,
);

export const previewTab = inConsole(({ obj }: TabProps) =>
  obj?.metadata.name && obj.metadata.namespace ? <PlanPreviewPanel namespace={obj.metadata.namespace} name={obj.metadata.name} /> : null,
);
