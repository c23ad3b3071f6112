// The cleanup of an operator: what would become of its custom resources, what stands against it, and how far it is.
import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Label,
  LabelGroup,
  PageSection,
  Title,
} from '@patternfly/react-core';
import type { ReactNode } from 'react';
import { useObject } from '../kube/hooks';
import { cleanupStatuses } from '../kube/models';
import type { Condition } from '../kube/types';
import { useText, type Translate } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { When } from '../shared/When';
import { AbortButton } from './AbortButton';
import { Blockers } from './Blockers';
import { CleanupProgress } from './CleanupProgress';
import type { CleanupOutlook, CleanupStatus } from './types';
import { cleanupColor, isRunning } from './verdict';
import { WouldBeDeleted } from './WouldBeDeleted';

export function CleanupPanel({ namespace, name }: { namespace: string; name: string }) {
  const t = useText();
  const watched = useObject<CleanupStatus>(cleanupStatuses, namespace, name);
  return (
    <PageSection className="steward-stack" isFilled aria-busy={!watched.loaded && !watched.error} data-test="steward-cleanup">
      <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
      {content()}
    </PageSection>
  );

  function content() {
    if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('cleanups')} retry={watched.retry} />;
    if (!watched.loaded) return <Loading what={t('the cleanup')} />;
    const outlook = watched.object?.status;
    if (outlook === undefined) {
      return (
        <Nothing title={t('Steward knows of no cleanup')}>{t('There is no such operator installed in this project: it is new, gone, a copy, or lies in another project.')}</Nothing>
      );
    }
    return <Outlook namespace={namespace} name={name} outlook={outlook} />;
  }
}

function Outlook({ namespace, name, outlook }: { namespace: string; name: string; outlook: CleanupOutlook }) {
  const t = useText();
  const running = isRunning(outlook);
  return (
    <>
      <Title headingLevel="h2">
        {t('Cleanup')} <Label color={cleanupColor(outlook.phase ?? '')}>{outlook.phase}</Label>
      </Title>
      <p role="status" data-test="steward-verdict">
        {phaseText(t, outlook.phase ?? '')}
      </p>
      {running ? <CleanupProgress namespace={namespace} name={name} outlook={outlook} /> : null}
      <Blockers blockers={outlook.blockers ?? []} running={running} />
      <Facts outlook={outlook} />
      <AbortButton namespace={namespace} name={name} outlook={outlook} />
      {running ? null : (
        <>
          <Title headingLevel="h3">{t('If it were uninstalled now')}</Title>
          <WouldBeDeleted namespace={namespace} name={name} />
        </>
      )}
    </>
  );
}

function phaseText(t: Translate, phase: string): string {
  switch (phase) {
    case 'Disabled':
      return t('Its author does not say that it cleans up: its custom resources are kept when it is uninstalled.');
    case 'NotOptedIn':
      return t('Nobody opted in to cleanup: its custom resources are kept when it is uninstalled.');
    case 'Ready':
      return t('Its custom resources are deleted when it is uninstalled.');
    case 'Refused':
      return t('Its custom resources are kept, for the reasons below.');
    case 'Unknown':
      return t('Nobody can tell yet what would be deleted; in doubt nothing is.');
    case 'Deleting':
      return t('Its custom resources are being deleted.');
    case 'Draining':
      return t('Nothing more is deleted; what is being deleted already is waited for.');
    case 'Stalled':
      return t('Its custom resources are being deleted, without progress.');
    default:
      return '';
  }
}

function Facts({ outlook }: { outlook: CleanupOutlook }) {
  const t = useText();
  const targets = outlook.targetNamespaces ?? [];
  const resources = outlook.resources ?? [];
  return (
    <DescriptionList isHorizontal isCompact>
      <Fact term={t('Supported by its author')}>{outlook.enabled ? t('yes') : t('no')}</Fact>
      <Fact term={t('Opted in')}>{outlook.optedIn ? t('yes') : t('no')}</Fact>
      <Fact term={t('Works in')}>{targets.length === 0 ? t('not known') : <Names names={targets.map((each) => (each === '*' ? t('all projects') : each))} />}</Fact>
      <Fact term={t('Owned kinds')}>{resources.length === 0 ? t('none') : <Names names={resources.map((each) => `${each.plural}.${each.group}`)} />}</Fact>
      {(outlook.conditions ?? []).map((condition) => (
        <Fact key={condition.reason} term={condition.reason ?? ''}>
          <ConditionText condition={condition} />
        </Fact>
      ))}
    </DescriptionList>
  );
}

function Names({ names }: { names: string[] }) {
  return (
    <LabelGroup numLabels={8}>
      {names.map((name) => (
        <Label key={name} isCompact variant="outline">
          {name}
        </Label>
      ))}
    </LabelGroup>
  );
}

function ConditionText({ condition }: { condition: Condition }) {
  return (
    <>
      {condition.message}{' '}
      <span className="steward-faint">
        <When timestamp={condition.lastTransitionTime} />
      </span>
    </>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}
