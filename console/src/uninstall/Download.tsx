// The custom resources that would be deleted, as a file of the user's.
import { Button, Tooltip } from '@patternfly/react-core';
import { useState } from 'react';
import { asApiError, type ApiError } from '../kube/errors';
import { useAnswer, useCluster } from '../kube/hooks';
import { accessText } from '../previews/asking';
import { AskFailure } from '../previews/AskFailure';
import { useText } from '../shared/i18n';
import type { Agreement } from './agreement';
import { listOperands, missingReads, yamlOf } from './operands';
import { Notice } from '../shared/Notice';

function save(text: string, filename: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function Download({ agreed, name }: { agreed: Agreement; name: string }) {
  const t = useText();
  const cluster = useCluster();
  const [busy, setBusy] = useState(false);
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<ApiError>();
  const missing = useAnswer((asked) => missingReads(asked, agreed), [JSON.stringify(agreed)]);
  const lacking = missing.value ?? [];
  const why = missing.error ? missing.error.message : lacking.length > 0 ? t('You may not read them: {{rights}}', { rights: lacking.map(accessText).join(', ') }) : '';
  const disabled = missing.value === undefined || why !== '';
  const download = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const objects = await listOperands(cluster, agreed);
      if (objects.length > 0) save(await yamlOf(objects), `${name}.yaml`);
      setCount(objects.length);
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    setBusy(false);
  };
  const button = (
    <Button variant="secondary" isAriaDisabled={disabled} isLoading={busy} onClick={() => !disabled && !busy && void download()} data-test="steward-download">
      {t('Download what will be deleted (YAML)')}
    </Button>
  );
  return (
    <div>
      {why ? <Tooltip content={why}>{button}</Tooltip> : button}
      {why ? <span className="steward-faint"> {why}</span> : null}
      <div role="status">
        {count === undefined ? null : (
          <Notice isInline isPlain variant="info" title={count === 0 ? t('There is nothing to save.') : t('{{count}} custom resources are saved. They may hold secrets.', { count })} />
        )}
      </div>
      {error ? <AskFailure error={error} title={t('They could not all be read, so nothing is saved')} /> : null}
    </div>
  );
}
