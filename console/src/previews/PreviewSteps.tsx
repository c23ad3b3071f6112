// The steps of a preview: what would become of each object, and why.
import { CodeBlock, CodeBlockCode, ExpandableSection, Label, LabelGroup } from '@patternfly/react-core';
import { useMemo, useState } from 'react';
import { DataTable, type Column, type Sorting } from '../shared/DataTable';
import { useText, type Translate } from '../shared/i18n';
import { Nothing } from '../shared/problems';
import { countOutcomes, executable, objectText, outcomeColor, outcomeOrder, stepKey, valueText } from './steps';
import type { PreviewStatus, Step, StepChange } from './types';
import { Notice } from '../shared/Notice';

export function OutcomeLabel({ outcome, count }: { outcome: string; count?: number }) {
  const t = useText();
  return (
    <Label isCompact color={outcomeColor(outcome)}>
      {count === undefined ? outcomeText(t, outcome) : `${outcomeText(t, outcome)}: ${count}`}
    </Label>
  );
}

function outcomeText(t: Translate, outcome: string): string {
  switch (outcome) {
    case 'Create':
      return t('Create');
    case 'Update':
      return t('Update');
    case 'Unchanged':
      return t('Unchanged');
    case 'NotCreated':
      return t('Not created');
    case 'Delete':
      return t('Delete');
    case 'Keep':
      return t('Keep');
    case 'Blocked':
      return t('Blocked');
    case 'Fail':
      return t('Fail');
    case 'Unknown':
      return t('Unknown');
    default:
      return outcome;
  }
}

// Whether it would happen, and why.
export function Verdict({ status }: { status?: PreviewStatus }) {
  const t = useText();
  const condition = executable(status);
  if (condition === undefined) return null;
  const will = condition.status === 'True';
  return (
    <Notice isInline variant={will ? 'success' : 'warning'} title={will ? t('This can be done') : t('This would not be done')} data-test="steward-executable">
      <strong>{condition.reason}</strong> {condition.message}
    </Notice>
  );
}

export function Summary({ status }: { status?: PreviewStatus }) {
  const t = useText();
  const counts = countOutcomes(status?.steps ?? []);
  const hidden = status?.hidden ?? 0;
  const remaining = status?.remaining ?? 0;
  return (
    <>
      {counts.length > 0 ? (
        <LabelGroup categoryName={t('Summary')} numLabels={10}>
          {counts.map(([outcome, count]) => (
            <OutcomeLabel key={outcome} outcome={outcome} count={count} />
          ))}
        </LabelGroup>
      ) : null}
      {hidden > 0 ? <Notice isInline isPlain variant="info" title={t('{{count}} steps are hidden, as you may not list such objects.', { count: hidden })} /> : null}
      {remaining > 0 ? <Notice isInline isPlain variant="info" title={t('{{count}} more steps follow, which are not shown.', { count: remaining })} /> : null}
    </>
  );
}

export function PreviewSteps({ status }: { status?: PreviewStatus }) {
  const t = useText();
  const [sorting, setSorting] = useState<Sorting>({ by: 'index', descending: false });
  const columns = useColumns();
  const steps = status?.steps ?? [];
  return (
    <div data-test="steward-preview">
      <Verdict status={status} />
      <Summary status={status} />
      {steps.length === 0 ? (
        <Nothing title={t('There are no steps')}>{executable(status)?.message}</Nothing>
      ) : (
        <DataTable label={t('Steps')} columns={columns} rows={steps} rowKey={stepKey} sorting={sorting} onSort={setSorting} />
      )}
    </div>
  );
}

function useColumns(): Column<Step>[] {
  const t = useText();
  return useMemo(
    () => [
      { id: 'index', title: t('Step'), width: 10, compare: (a, b) => a.index - b.index, cell: (step) => step.index },
      {
        id: 'outcome',
        title: t('Outcome'),
        width: 10,
        compare: (a, b) => outcomeOrder(a.outcome) - outcomeOrder(b.outcome) || a.index - b.index,
        cell: (step) => <OutcomeLabel outcome={step.outcome} />,
      },
      {
        id: 'object',
        title: t('Object'),
        width: 30,
        compare: (a, b) => (objectText(a) < objectText(b) ? -1 : 1),
        cell: (step) => <span title={`${objectText(step)} ${step.group ?? ''}`}>{objectText(step)}</span>,
      },
      { id: 'reason', title: t('Reason'), width: 15, compare: (a, b) => ((a.reason ?? '') < (b.reason ?? '') ? -1 : 1), cell: (step) => step.reason ?? '' },
      { id: 'details', title: t('Details'), cell: (step) => <Details step={step} /> },
    ],
    [t],
  );
}

function Details({ step }: { step: Step }) {
  const t = useText();
  const fields = step.changedFields ?? [];
  const warnings = step.warnings ?? [];
  return (
    <>
      {step.message ? <p className="steward-quote">{step.message}</p> : null}
      {step.optional ? <span className="steward-faint">{t('optional')} </span> : null}
      {step.code ? <span className="steward-faint">{t('HTTP {{code}}', { code: step.code })} </span> : null}
      {step.basis ? <span className="steward-faint">{step.basis === 'DryRun' ? t('by dry run') : t('by rule')}</span> : null}
      {warnings.map((warning) => (
        <Notice key={warning} isInline isPlain variant="warning" title={warning} />
      ))}
      {fields.length > 0 || (step.changes ?? []).length > 0 ? <Changes fields={fields} changes={step.changes ?? []} /> : null}
    </>
  );
}

// Rendered only once it is opened: a preview may have a thousand steps.
function Changes({ fields, changes }: { fields: string[]; changes: StepChange[] }) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const title = fields.length > 0 ? t('{{count}} changed fields', { count: fields.length }) : t('The object');
  const valued = new Set(changes.map((change) => change.path ?? ''));
  return (
    <ExpandableSection toggleText={title} isExpanded={open} onToggle={(_event, expanded) => setOpen(expanded)}>
      {open ? (
        <>
          {changes.map((change) => (
            <div key={change.path ?? ''}>
              <strong className="steward-quote">{change.path ?? ''}</strong>
              {change.cut ? <span className="steward-faint"> {t('cut')}</span> : null}
              <CodeBlock>
                <CodeBlockCode>{changeText(change)}</CodeBlockCode>
              </CodeBlock>
            </div>
          ))}
          {fields
            .filter((field) => !valued.has(field))
            .map((field) => (
              <p key={field} className="steward-quote">
                {field}
              </p>
            ))}
        </>
      ) : null}
    </ExpandableSection>
  );
}

function changeText(change: StepChange): string {
  const lines = (sign: string, value: unknown) => valueText(value).split('\n').map((line) => `${sign} ${line}`);
  return [...(change.before === undefined ? [] : lines('-', change.before)), ...(change.after === undefined ? [] : lines('+', change.after))].join('\n');
}
