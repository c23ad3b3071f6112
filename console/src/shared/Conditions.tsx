// Conditions of an object. Those of OLM's have a phase where others have a type.
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { Condition } from '../kube/types';
import { useText } from './i18n';
import { When } from './When';

export function Conditions({ conditions }: { conditions?: Condition[] }) {
  const t = useText();
  if (!conditions?.length) return <p className="steward-faint">{t('There are none.')}</p>;
  return (
    <Table aria-label={t('Conditions')} variant="compact">
      <Thead>
        <Tr>
          <Th>{t('Type')}</Th>
          <Th>{t('Status')}</Th>
          <Th>{t('Reason')}</Th>
          <Th>{t('Message')}</Th>
          <Th>{t('Since')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {[...conditions].reverse().map((condition, index) => (
          <Tr key={index}>
            <Td dataLabel={t('Type')}>{condition.type ?? condition.phase ?? '-'}</Td>
            <Td dataLabel={t('Status')}>{condition.status ?? '-'}</Td>
            <Td dataLabel={t('Reason')}>{condition.reason ?? '-'}</Td>
            <Td dataLabel={t('Message')} modifier="breakWord">
              {condition.message ?? '-'}
            </Td>
            <Td dataLabel={t('Since')}>
              <When timestamp={condition.lastTransitionTime ?? condition.lastUpdateTime} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
