// The Events about an object, newest first, as they come.
import { Label } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useMemo } from 'react';
import { useObjects } from '../kube/hooks';
import { events } from '../kube/models';
import type { KubeObject } from '../kube/types';
import { useText } from './i18n';
import { Loading, LostConnection, Nothing, Problem } from './problems';
import { When } from './When';

export interface KubeEvent extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  firstTimestamp?: string | null;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string };
}

const MOST = 200;

export function timeOf(event: KubeEvent): string {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp ?? '';
}

export function Events({ namespace, kind, name }: { namespace: string; kind: string; name: string }) {
  const t = useText();
  const watched = useObjects<KubeEvent>({ model: events, namespace, fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}` });
  const shown = useMemo(() => [...watched.items.values()].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, MOST), [watched.items]);
  if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('events of {{namespace}}', { namespace })} retry={watched.retry} />;
  if (!watched.loaded) return <Loading what={t('events')} />;
  if (shown.length === 0) return <Nothing title={t('There are no events')}>{t('The cluster keeps events for an hour or so.')}</Nothing>;
  return (
    <>
      <LostConnection lostAt={watched.lostAt} error={watched.error} retry={watched.retry} />
      <Table aria-label={t('Events')} variant="compact">
        <Thead>
          <Tr>
            <Th>{t('Type')}</Th>
            <Th>{t('Reason')}</Th>
            <Th>{t('Message')}</Th>
            <Th>{t('Times')}</Th>
            <Th>{t('Last')}</Th>
          </Tr>
        </Thead>
        <Tbody>
          {shown.map((event) => (
            <Tr key={event.metadata.uid}>
              <Td dataLabel={t('Type')}>
                <Label isCompact color={event.type === 'Warning' ? 'orange' : 'grey'}>
                  {event.type ?? '-'}
                </Label>
              </Td>
              <Td dataLabel={t('Reason')}>{event.reason}</Td>
              <Td dataLabel={t('Message')} modifier="breakWord">
                {event.message}
              </Td>
              <Td dataLabel={t('Times')}>{event.series?.count ?? event.count ?? 1}</Td>
              <Td dataLabel={t('Last')}>
                <When timestamp={timeOf(event)} />
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </>
  );
}
