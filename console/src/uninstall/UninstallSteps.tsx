// Where an uninstallation is that this page carries out.
import { ProgressStep, ProgressStepper } from '@patternfly/react-core';
import { useText, type Translate } from '../shared/i18n';
import type { Course } from './course';
import type { Stage } from './steps';
import type { Running } from './useUninstallation';
import { Notice } from '../shared/Notice';

function stageText(t: Translate, stage: Stage): string {
  switch (stage) {
    case 'optIn':
      return t('Opt in to cleanup');
    case 'optOut':
      return t('Take the opt-in off');
    case 'waitUntilReady':
      return t('Wait until Steward is ready');
    case 'deleteRelated':
      return t('Delete what would install it again');
    case 'delete':
      return t('Delete the operator');
    case 'deleted':
      return t('The cluster takes it apart');
  }
}

export function stagesOf(course: Course): Stage[] {
  const stages: Stage[] = [];
  if (course.optIn) stages.push('optIn');
  if (course.optOut) stages.push('optOut');
  if (course.deletesOperands) stages.push('waitUntilReady');
  return [...stages, 'deleteRelated', 'delete', 'deleted'];
}

export function UninstallSteps({ course, running }: { course: Course; running: Running }) {
  const t = useText();
  const stages = stagesOf(course);
  const current = running.stage === undefined ? -1 : stages.indexOf(running.stage);
  const failed = running.refusal !== undefined || running.error !== undefined;
  return (
    <div role="status" data-test="steward-steps">
      <ProgressStepper isVertical aria-label={t('Steps of the uninstallation')}>
        {stages.map((stage, place) => (
          <ProgressStep
            key={stage}
            id={`steward-step-${stage}`}
            titleId={`steward-step-${stage}-title`}
            variant={place < current ? 'success' : place > current ? 'pending' : failed ? 'danger' : 'info'}
            isCurrent={place === current && running.running}
            aria-label={stageText(t, stage)}
          >
            {stageText(t, stage)}
          </ProgressStep>
        ))}
      </ProgressStepper>
      {running.stage === 'waitUntilReady' && running.running ? (
        <p className="steward-faint">
          {running.unconfirmed
            ? t("Steward's controllers have to confirm the opt-in first. That may take a minute; if it stays so, take the opt-in back and ask an administrator.")
            : t("Waiting for Steward's controllers to hold the operator's rights.")}
        </p>
      ) : null}
      {running.running && running.stage !== 'deleted' ? (
        <p className="steward-faint">{t('This page carries this out until the operator is deleted. Whoever leaves it before comes back to go on.')}</p>
      ) : null}
      {running.trouble ? <Notice isInline isPlain variant="warning" title={t('No answer, trying again: {{message}}', { message: running.trouble })} /> : null}
      {running.deletedRelated.length > 0 ? <p>{t('Deleted: {{names}}', { names: running.deletedRelated.join(', ') })}</p> : null}
    </div>
  );
}
