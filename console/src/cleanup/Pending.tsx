// Custom resources that an uninstallation waits for, and who holds them.
import { ExpandableSection, Label, List, ListItem } from '@patternfly/react-core';
import { objectPath } from '../kube/cluster';
import { useMay } from '../kube/hooks';
import { cleanupStatuses } from '../kube/models';
import { AskFailure } from '../previews/AskFailure';
import { useText } from '../shared/i18n';
import { MissingRights } from '../shared/MissingRights';
import { usePolled } from '../shared/usePolled';
import { When } from '../shared/When';
import type { PendingOperandList } from './types';
import { byFinalizer, type Holder } from './verdict';
import { Notice } from '../shared/Notice';

const EVERY_MS = 4_000;
const MOST = 500;
const SHOWN = 50;

export function Pending({ namespace, name }: { namespace: string; name: string }) {
  const t = useText();
  const access = { verb: 'get', group: cleanupStatuses.group, resource: 'cleanupstatuses/pending', namespace, name };
  const may = useMay(access);
  const answer = usePolled(
    may?.allowed ? (cluster, signal) => cluster.json<PendingOperandList>(`${objectPath(cleanupStatuses, namespace, name, 'pending')}?limit=${MOST}`, { signal }) : null,
    [namespace, name, may?.allowed],
    EVERY_MS,
  );
  if (may === undefined) return null;
  if (!may.allowed) return <MissingRights title={t('What is waited for is not named to you')} missing={[access]} />;
  // What is gone in between has nothing pending.
  if (answer.error && !answer.error.missing) return <AskFailure error={answer.error} retry={answer.again} title={t('What is waited for cannot be told now')} />;
  if (answer.value === undefined) return null;
  const { items = [], hidden = 0, metadata } = answer.value;
  const remaining = metadata?.remainingItemCount ?? 0;
  return (
    <div data-test="steward-pending">
      {byFinalizer(items).map((holder) => (
        <Held key={holder.finalizer} holder={holder} />
      ))}
      {remaining > 0 ? <p>{t('and {{count}} more', { count: remaining })}</p> : null}
      {hidden > 0 ? <Notice isInline isPlain variant="info" title={t('{{count}} more are of kinds or projects that you may not list.', { count: hidden })} /> : null}
    </div>
  );
}

function Held({ holder }: { holder: Holder }) {
  const t = useText();
  const count = holder.operands.length;
  const title = holder.finalizer === '' ? t('{{count}} without finalizers', { count }) : t('{{count}} held by {{finalizer}}', { count, finalizer: holder.finalizer });
  return (
    <ExpandableSection toggleText={title}>
      <List isPlain>
        {holder.operands.slice(0, SHOWN).map((operand) => (
          <ListItem key={operand.uid ?? `${operand.plural}/${operand.namespace}/${operand.name}`}>
            {operand.kind} {operand.namespace ? `${operand.namespace}/` : ''}
            {operand.name}{' '}
            {operand.deletionTimestamp ? (
              <span className="steward-faint">
                {t('deleted')} <When timestamp={operand.deletionTimestamp} /> {t('ago')}
              </span>
            ) : (
              <Label isCompact>{t('not deleted yet')}</Label>
            )}
          </ListItem>
        ))}
      </List>
      {count > SHOWN ? <p>{t('and {{count}} more', { count: count - SHOWN })}</p> : null}
    </ExpandableSection>
  );
}
