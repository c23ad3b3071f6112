// The choice of what becomes of an operator's custom resources, what would happen, and the question.
import { Button, Form, FormGroup, Radio, Title } from '@patternfly/react-core';
import { useCallback, useState } from 'react';
import { cleansUp, hasOptIn, supportsCleanup } from '../cleanup/csv';
import type { ClusterServiceVersion } from '../cleanup/types';
import { WouldBeDeleted } from '../cleanup/WouldBeDeleted';
import type { CsvReference } from '../cleanup/write';
import { useAnswer } from '../kube/hooks';
import { AskFailure } from '../previews/AskFailure';
import type { PlanPreview } from '../previews/types';
import { ConfirmDialog } from '../shared/ConfirmDialog';
import { useText } from '../shared/i18n';
import { MissingRights } from '../shared/MissingRights';
import { Loading } from '../shared/problems';
import { ownedApis, ownedDefinitions } from './agreement';
import type { Wish } from './course';
import { Download } from './Download';
import { examine, isPossible, type Examined } from './examine';
import type { Begun } from './memory';
import { Refused } from './Refused';
import { RelatedList } from './RelatedList';
import type { Plan } from './steps';
import { Notice } from '../shared/Notice';

interface UninstallFormProps {
  reference: CsvReference;
  csv: ClusterServiceVersion;
  begun?: Begun; // of this very object, in this tab
  onUninstall: (plan: Plan) => void;
}

// What an uninstallation depends on. Its status, which OLM writes again and again, is looked at when it is begun.
function factsOf(csv: ClusterServiceVersion): string {
  const { uid, finalizers, labels, annotations } = csv.metadata;
  return JSON.stringify([uid, finalizers, labels, annotations, csv.spec?.cleanup, ownedDefinitions(csv), ownedApis(csv)]);
}

const cleanupOf = (wish: Wish) => (wish === 'asItIs' ? undefined : wish === 'delete');

export function UninstallForm({ reference, csv, begun, onUninstall }: UninstallFormProps) {
  const t = useText();
  const [wish, setWish] = useState<Wish>(begun?.wish ?? 'asItIs');
  const [asked, setAsked] = useState<string>(); // about what the question is asked
  const [shown, setShown] = useState<{ about: string; preview: PlanPreview }>();
  const { namespace, name } = reference;
  const optedIn = hasOptIn(csv);
  const ownOptIn = optedIn && begun?.optedIn === true;
  const examined = useAnswer(async (cluster) => ({ wish, found: await examine(cluster, reference, wish, ownOptIn) }), [
    namespace,
    name,
    wish,
    factsOf(csv),
    ownOptIn,
  ]);
  // What was said of another wish does not count.
  const found = examined.value?.wish === wish ? examined.value.found : undefined;
  const plan = found?.plan;
  const deletes = plan?.course.deletesOperands === true;
  // All that the user agrees to: where it changes, what would happen is asked anew, and so is the question.
  const about = JSON.stringify([wish, factsOf(csv), plan?.agreed]);
  const preview = shown?.about === about ? shown.preview : undefined;
  // Custom resources go only where it was shown which ones.
  const possible = isPossible(found) && !examined.loading && (!deletes || preview !== undefined);
  const onAnswer = useCallback((answer: PlanPreview | undefined) => setShown(answer && { about, preview: answer }), [about]);

  return (
    <>
      {ownOptIn ? (
        <Notice isInline variant="info" title={t('This page opted in to cleanup, and did not go on')} data-test="steward-begun">
          {t('Nothing has been deleted. Go on below, or keep the custom resources.')}
        </Notice>
      ) : null}
      <Form>
        <FormGroup role="radiogroup" label={t('Its custom resources')} fieldId="steward-wish">
          <Radio
            id="steward-wish-asItIs"
            name="wish"
            label={cleansUp(csv) ? t('As it is: they are deleted') : t('As it is: they are kept')}
            description={t('Somebody may have opted in to cleanup before.')}
            isChecked={wish === 'asItIs'}
            onChange={() => setWish('asItIs')}
          />
          <Radio
            id="steward-wish-delete"
            name="wish"
            label={t('Delete them, while the operator can still finish them')}
            description={supportsCleanup(csv) ? t('Opts in to cleanup first.') : t('Its author does not say that the operator cleans up.')}
            isDisabled={!supportsCleanup(csv)}
            isChecked={wish === 'delete'}
            onChange={() => setWish('delete')}
          />
          <Radio
            id="steward-wish-keep"
            name="wish"
            label={t('Keep them')}
            description={optedIn ? t('The opt-in to cleanup is removed first.') : undefined}
            isChecked={wish === 'keep'}
            onChange={() => setWish('keep')}
          />
        </FormGroup>
      </Form>
      <Title headingLevel="h2">{t('What would happen')}</Title>
      {examined.error ? <AskFailure error={examined.error} retry={examined.again} title={t('What stands against it cannot be told, so it cannot be uninstalled here')} /> : null}
      {found ? <Findings found={found} /> : examined.error ? null : <Loading what={t('what stands against it')} />}
      <WouldBeDeleted key={about} namespace={namespace} name={name} cleanup={cleanupOf(wish)} onAnswer={onAnswer} />
      {deletes && plan ? <Download agreed={plan.agreed} name={name} /> : null}
      <Button variant="danger" isDisabled={!possible} onClick={() => setAsked(about)} data-test="steward-uninstall">
        {t('Uninstall…')}
      </Button>
      {asked !== undefined && asked !== about ? (
        <Notice isInline variant="warning" title={t('What would happen has changed meanwhile')} data-test="steward-changed">
          {t('Look at it again before you uninstall.')}
        </Notice>
      ) : null}
      {asked === about && plan && isPossible(found) ? (
        <ConfirmDialog
          title={t('Uninstall {{name}}?', { name })}
          action={t('Uninstall')}
          typed={deletes ? name : undefined}
          busy={!possible}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            onUninstall(plan);
          }}
        >
          {deletes ? <Going preview={preview} /> : t('The operator is deleted; its custom resources are kept, and nobody looks after them any more.')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function Going({ preview }: { preview?: PlanPreview }) {
  const t = useText();
  const { steps = [], hidden = 0, remaining = 0 } = preview?.status ?? {};
  const count = steps.filter((step) => step.outcome === 'Delete').length;
  const more = hidden + remaining;
  return (
    <>
      {more > 0 ? t('{{count}} objects go that are shown, and perhaps {{more}} that are not.', { count, more }) : t('{{count}} objects go, as shown.', { count })}{' '}
      {t('Its custom resources are deleted, and with them what they stand for, as databases. Nobody brings them back.')}
    </>
  );
}

function Findings({ found }: { found: Examined }) {
  const t = useText();
  return (
    <>
      {found.refusal ? <Refused refusal={found.refusal} /> : null}
      {found.missing.length > 0 ? <MissingRights title={t('You may not uninstall it like this')} missing={found.missing} /> : null}
      {found.plan ? <RelatedList related={found.plan.related} /> : null}
    </>
  );
}
