// Why nothing is uninstalled.
import { List, ListItem } from '@patternfly/react-core';
import type { ApiError } from '../kube/errors';
import { useText } from '../shared/i18n';
import { Failure } from '../shared/problems';
import type { Refusal } from './course';
import { refusalText } from './texts';
import { Notice } from '../shared/Notice';

export function Refused({ refusal, takeBackError }: { refusal: Refusal; takeBackError?: ApiError }) {
  const t = useText();
  return (
    <>
      <Notice isInline variant="danger" title={t('This is refused; the operator was not deleted')} data-test="steward-refused">
        <p>{refusalText(t, refusal)}</p>
        {refusal.blockers.length > 0 ? (
          <List>
            {refusal.blockers.map((blocker) => (
              <ListItem key={`${blocker.reason} ${blocker.message}`}>
                <strong>{blocker.reason}</strong>: {blocker.message} {(blocker.objects ?? []).join(', ')}
                {blocker.objectsElsewhere ? ` ${t('{{count}} more in other projects', { count: blocker.objectsElsewhere })}` : null}
              </ListItem>
            ))}
          </List>
        ) : null}
      </Notice>
      {takeBackError ? <Failure error={takeBackError} title={t('The opt-in to cleanup could not be taken back: it is still there')} /> : null}
    </>
  );
}
