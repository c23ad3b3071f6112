// How far an uninstallation with cleanup has come.
import { Progress } from '@patternfly/react-core';
import { useRef } from 'react';
import { useText } from '../shared/i18n';
import { When } from '../shared/When';
import { Pending } from './Pending';
import type { CleanupOutlook } from './types';
import { isPending } from './verdict';
import { Notice } from '../shared/Notice';

interface CleanupProgressProps {
  namespace: string;
  name: string;
  outlook: CleanupOutlook;
}

export function CleanupProgress({ namespace, name, outlook }: CleanupProgressProps) {
  const t = useText();
  const left = outlook.pendingCount ?? 0;
  // Of the highest number that this page has seen.
  const highest = useRef(0);
  highest.current = Math.max(highest.current, left);
  const all = highest.current;
  return (
    <>
      {outlook.stalledSince ? (
        <Notice isInline variant="danger" title={t('The cleanup does not get on')} data-test="steward-stalled">
          {t('Since')} <When timestamp={outlook.stalledSince} />. {t('Look at the finalizers below: their owners have to remove them. The operator itself may say more.')}
        </Notice>
      ) : null}
      <div role="status" data-test="steward-progress">
        {all > 0 ? (
          <Progress
            title={t('Custom resources')}
            value={all - left}
            max={all}
            valueText={t('{{done}} of {{all}} are gone', { done: all - left, all })}
            label={t('{{done}} of {{all}} are gone', { done: all - left, all })}
            variant={outlook.stalledSince ? 'danger' : left === 0 ? 'success' : undefined}
          />
        ) : (
          t('Steward is at work; no custom resource is waited for.')
        )}
        {outlook.startedAt ? (
          <p className="steward-faint">
            {t('Begun')} <When timestamp={outlook.startedAt} /> {t('ago')}
          </p>
        ) : null}
      </div>
      {isPending(outlook) ? <Pending namespace={namespace} name={name} /> : null}
    </>
  );
}
