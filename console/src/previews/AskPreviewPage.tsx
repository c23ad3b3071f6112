// A form that asks the cluster what something would do, and the answer.
import { ActionGroup, Button, Form, FormGroup, FormSelect, FormSelectOption, PageSection, Radio, Title } from '@patternfly/react-core';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useHost } from '../host';
import { clusterServiceVersions, installPlans } from '../kube/models';
import { useText } from '../shared/i18n';
import { Ask } from './Ask';
import type { Subject } from './asking';
import { BundleField } from './BundleField';
import { parseManifests, type ManifestProblem } from './manifests';
import { NameField } from './NameField';
import { PreviewSteps } from './PreviewSteps';
import { addressOf, questionOf, specOf, type Question } from './question';
import type { PreviewSpec } from './types';

export function AskPreviewPage({ namespace }: { namespace: string }) {
  const t = useText();
  const host = useHost();
  const [parameters, setParameters] = useSearchParams();
  const [question, setQuestion] = useState(() => questionOf(parameters));
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<ManifestProblem>();
  // Each asking is one of its own, also of the same.
  const [asked, setAsked] = useState<{ spec: PreviewSpec; round: number }>();
  const change = (part: Partial<Question>) => setQuestion((before) => ({ ...before, ...part }));
  const ask = (spec: PreviewSpec) => setAsked((before) => ({ spec, round: (before?.round ?? 0) + 1 }));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setParameters(addressOf(question), { replace: true });
    const spec = specOf(question);
    if (spec) return ask(spec);
    if (question.subject !== 'bundle') return undefined;
    const manifests = await parseManifests(text);
    if ('problem' in manifests) return setProblem(manifests.problem);
    return ask({ bundle: { manifests: manifests.objects } });
  };
  const ready = question.subject === 'bundle' ? text !== '' && !problem : specOf(question) !== undefined;

  return (
    <>
      <host.Title>{t('Ask a preview')}</host.Title>
      <PageSection className="steward-stack">
        <Title headingLevel="h1">{t('Ask a preview')}</Title>
        <p className="steward-faint">{t('What something would do to the cluster, in project {{name}}. Nothing is changed, and nothing is stored.', { name: namespace })}</p>
        <Form isWidthLimited onSubmit={(event) => void submit(event)}>
          <FormGroup label={t('About')} fieldId="steward-subject">
            <FormSelect id="steward-subject" value={question.subject} onChange={(_event, value) => change({ subject: value as Subject, name: '' })}>
              <FormSelectOption value="installPlan" label={t('An InstallPlan that is executed')} />
              <FormSelectOption value="uninstall" label={t('An operator that is uninstalled')} />
              <FormSelectOption value="bundle" label={t('A bundle that is installed')} />
              <FormSelectOption value="copiedCSVs" label={t('Copied CSVs that are turned on or off')} />
            </FormSelect>
          </FormGroup>
          {fields()}
          <ActionGroup>
            <Button type="submit" isDisabled={!ready} data-test="steward-ask">
              {t('Ask the cluster')}
            </Button>
          </ActionGroup>
        </Form>
      </PageSection>
      <PageSection className="steward-stack" isFilled aria-live="polite">
        {asked ? (
          <Ask key={asked.round} namespace={namespace} spec={asked.spec}>
            {(answer) => <PreviewSteps status={answer.status} />}
          </Ask>
        ) : null}
      </PageSection>
    </>
  );

  function fields() {
    switch (question.subject) {
      case 'installPlan':
        return (
          <>
            <NameField label={t('InstallPlan')} model={installPlans} namespace={namespace} value={question.name} onChange={(name) => change({ name })} />
            {question.name === '' ? null : <Link to={host.plan(namespace, question.name)}>{t('Its preview as it changes, by rules alone')}</Link>}
          </>
        );
      case 'uninstall':
        return (
          <>
            <NameField label={t('ClusterServiceVersion')} model={clusterServiceVersions} namespace={namespace} value={question.name} onChange={(name) => change({ name })} />
            <CleanupChoice value={question.cleanup} onChange={(cleanup) => change({ cleanup })} />
          </>
        );
      case 'copiedCSVs':
        return (
          <FormGroup role="radiogroup" label={t('Copies')} fieldId="steward-copies">
            <Radio id="steward-copies-off" name="copies" label={t('are turned off')} isChecked={!question.enabled} onChange={() => change({ enabled: false })} />
            <Radio id="steward-copies-on" name="copies" label={t('are turned on')} isChecked={question.enabled} onChange={() => change({ enabled: true })} />
          </FormGroup>
        );
      case 'bundle':
        return (
          <BundleField
            text={text}
            problem={problem}
            onProblem={setProblem}
            onChange={(value) => {
              setText(value);
              setProblem(undefined);
            }}
          />
        );
    }
  }
}

function CleanupChoice({ value, onChange }: { value: Question['cleanup']; onChange: (value: Question['cleanup']) => void }) {
  const t = useText();
  const choices: [Question['cleanup'], string][] = [
    ['asItIs', t('as it is now')],
    ['true', t('are deleted')],
    ['false', t('are kept')],
  ];
  return (
    <FormGroup role="radiogroup" label={t('Its custom resources')} fieldId="steward-cleanup">
      {choices.map(([each, label]) => (
        <Radio key={each} id={`steward-cleanup-${each}`} name="cleanup" label={label} isChecked={value === each} onChange={() => onChange(each)} />
      ))}
    </FormGroup>
  );
}
