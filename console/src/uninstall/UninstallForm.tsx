// The choice of what becomes of an operator's custom resources, what would happen, and the question.
import { Button, Form, FormGroup, Radio, Title } from '@patternfly/react-core';
import { useState } from 'react';
import { cleansUp, hasOptIn, supportsCleanup } from '../cleanup/csv';
import type { ClusterServiceVersion } from '../cleanup/types';
import { WouldBeDeleted } from '../cleanup/WouldBeDeleted';
import type { CsvReference } from '../cleanup/write';
import { useAnswer } from '../kube/hooks';
import { AskFailure } from '../previews/AskFailure';
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
  const [asking, setAsking] = useState(false);
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
  const possible = isPossible(found) && !examined.loading;
  const deletes = plan?.course.deletesOperands === true;

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
      <WouldBeDeleted namespace={namespace} name={name} cleanup={cleanupOf(wish)} />
      {deletes && plan ? <Download agreed={plan.agreed} name={name} /> : null}
      <Button variant="danger" isDisabled={!possible} onClick={() => setAsking(true)} data-test="steward-uninstall">
        {t('Uninstall…')}
      </Button>
      {asking && found && plan && !found.refusal && found.missing.length === 0 ? (
        <ConfirmDialog
          title={t('Uninstall {{name}}?', { name })}
          action={t('Uninstall')}
          typed={deletes ? name : undefined}
          busy={!possible}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            onUninstall(plan);
          }}
        >
          {deletes
            ? t('Its custom resources are deleted, and with them what they stand for, as databases. Nobody brings them back.')
            : t('The operator is deleted; its custom resources are kept, and nobody looks after them any more.')}
        </ConfirmDialog>
      ) : null}
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
