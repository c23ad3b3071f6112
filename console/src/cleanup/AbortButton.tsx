// Calls a cleanup off, after a question.
import { Button, Tooltip } from '@patternfly/react-core';
import { useState } from 'react';
import { asApiError, type ApiError } from '../kube/errors';
import { useCluster, useMay } from '../kube/hooks';
import { clusterServiceVersions } from '../kube/models';
import { ConfirmDialog } from '../shared/ConfirmDialog';
import { useText, type Translate } from '../shared/i18n';
import type { CleanupOutlook } from './types';
import { isRunning, whyNoAbort, type WhyNoAbort } from './verdict';
import { abortCleanup, type Abortion } from './write';
import { Notice } from '../shared/Notice';

function whyText(t: Translate, why: WhyNoAbort): string {
  switch (why) {
    case 'notOptedIn':
      return t('There is nothing to call off: nobody opted in to cleanup.');
    case 'calledOff':
      return t('It is called off already, or its author does not support it.');
    case 'forbidden':
      return t('You may not change this ClusterServiceVersion.');
    case 'unknown':
      return t('Whether you may is not known yet.');
  }
}

function doneText(t: Translate, done: Abortion): string {
  switch (done) {
    case 'nothing':
      return t('There was nothing to call off: nobody opted in to cleanup.');
    case 'calledOff':
      return t('The cleanup is called off. Steward lets go of the operator; what was deleted until then stays deleted.');
    case 'optedOut':
      return t('The opt-in to cleanup is removed; nothing had been deleted.');
    case 'gone':
      return t('The operator is gone already.');
  }
}

interface AbortButtonProps {
  namespace: string;
  name: string;
  outlook: CleanupOutlook;
}

export function AbortButton({ namespace, name, outlook }: AbortButtonProps) {
  const t = useText();
  const cluster = useCluster();
  const may = useMay({ verb: 'patch', group: clusterServiceVersions.group, resource: clusterServiceVersions.plural, namespace, name });
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [done, setDone] = useState<Abortion>();
  const why = whyNoAbort(outlook, may?.allowed);
  const running = isRunning(outlook);

  const abort = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setDone(await abortCleanup(cluster, { namespace, name }));
      setOpen(false);
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    setBusy(false);
  };
  const button = (
    <Button variant="danger" isAriaDisabled={why !== undefined} onClick={() => why === undefined && setOpen(true)} data-test="steward-abort">
      {running ? t('Abort the cleanup') : t('Take the opt-in back')}
    </Button>
  );
  return (
    <>
      {why === undefined ? button : <Tooltip content={whyText(t, why)}>{button}</Tooltip>}
      {why === undefined ? null : <span className="steward-faint"> {whyText(t, why)}</span>}
      <div role="status">{done ? <Notice isInline isPlain variant="info" title={doneText(t, done)} data-test="steward-aborted" /> : null}</div>
      {open ? (
        <ConfirmDialog
          title={running ? t('Abort the cleanup of {{name}}?', { name }) : t('Keep the custom resources of {{name}}?', { name })}
          action={running ? t('Abort') : t('Take back')}
          busy={busy}
          error={error}
          onConfirm={() => void abort()}
          onClose={() => setOpen(false)}
        >
          {running
            ? t('Steward stops deleting its custom resources. What is deleted already stays deleted, and the operator goes.')
            : t('The opt-in to cleanup is removed: its custom resources are kept when it is uninstalled.')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
