// What an uninstallation would delete and keep, by kind and namespace.
import { ExpandableSection, List, ListItem } from '@patternfly/react-core';
import { useMemo } from 'react';
import { Ask } from '../previews/Ask';
import { OutcomeLabel, Summary, Verdict } from '../previews/PreviewSteps';
import { groupSteps, type StepGroup } from '../previews/steps';
import type { PlanPreview } from '../previews/types';
import { useText } from '../shared/i18n';
import { Nothing } from '../shared/problems';

const SHOWN = 100;

interface WouldBeDeletedProps {
  namespace: string;
  name: string;
  cleanup?: boolean; // absent: as it is now
  onAnswer?: (answer: PlanPreview | undefined) => void;
}

export function WouldBeDeleted({ namespace, name, cleanup, onAnswer }: WouldBeDeletedProps) {
  const spec = useMemo(() => ({ uninstall: { clusterServiceVersion: name, ...(cleanup === undefined ? {} : { cleanup }) } }), [name, cleanup]);
  return (
    <Ask namespace={namespace} spec={spec} onAnswer={onAnswer}>
      {(answer) => <GroupedSteps preview={answer} />}
    </Ask>
  );
}

export function GroupedSteps({ preview }: { preview: PlanPreview }) {
  const t = useText();
  const groups = useMemo(() => groupSteps(preview.status?.steps ?? []), [preview]);
  return (
    <div data-test="steward-would-be-deleted">
      <Verdict status={preview.status} />
      <Summary status={preview.status} />
      {groups.length === 0 ? <Nothing title={t('Nothing would be deleted')} /> : null}
      {groups.map((group) => (
        <Group key={group.key} group={group} />
      ))}
    </div>
  );
}

function Group({ group }: { group: StepGroup }) {
  const t = useText();
  const count = group.steps.length;
  const place = group.namespace === '' ? t('outside of projects') : group.namespace;
  return (
    <ExpandableSection
      toggleContent={
        <>
          <OutcomeLabel outcome={group.outcome} /> {t('{{count}} {{kind}}', { count, kind: group.kind })} <span className="steward-faint">{place}</span>
        </>
      }
    >
      <List isPlain>
        {group.steps.slice(0, SHOWN).map((step) => (
          <ListItem key={`${step.index}`}>
            {step.name} <span className="steward-faint">{step.reason}</span>
            {step.message ? <p className="steward-quote">{step.message}</p> : null}
          </ListItem>
        ))}
      </List>
      {count > SHOWN ? <p>{t('and {{count}} more', { count: count - SHOWN })}</p> : null}
    </ExpandableSection>
  );
}
