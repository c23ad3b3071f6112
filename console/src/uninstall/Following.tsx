// An operator that is being deleted, until it is gone, and what is left of it then.
import { Button, Title } from '@patternfly/react-core';
import { useState } from 'react';
import { cleansUp } from '../cleanup/csv';
import { CleanupPanel } from '../cleanup/CleanupPanel';
import type { ClusterServiceVersion } from '../cleanup/types';
import type { CsvReference } from '../cleanup/write';
import { useAnswer } from '../kube/hooks';
import { AskFailure } from '../previews/AskFailure';
import { ConfirmDialog } from '../shared/ConfirmDialog';
import { useText } from '../shared/i18n';
import type { Agreement } from './agreement';
import { listOperands } from './operands';
import { findRelated, isKept } from './related';
import { RelatedList } from './RelatedList';
import { makePlan, type Plan } from './steps';
import { Notice } from '../shared/Notice';

interface FollowingProps {
  reference: CsvReference;
  csv: ClusterServiceVersion;
  busy: boolean;
  onGoOn: (plan: Plan) => void; // deletes what would install it again
}

export function Following({ reference, csv, busy, onGoOn }: FollowingProps) {
  const t = useText();
  const { namespace, name } = reference;
  const finalizers = csv.metadata.finalizers ?? [];
  return (
    <>
      <Title headingLevel="h2">{t('It is being uninstalled')}</Title>
      <p role="status" data-test="steward-following">
        {cleansUp(csv)
          ? t('Steward deletes its custom resources first. You may leave this page: the cluster goes on.')
          : finalizers.length > 0
            ? t('Waiting for those who hold it: {{finalizers}}', { finalizers: finalizers.join(', ') })
            : t('Waiting for it to be gone.')}
      </p>
      <StillRelated reference={reference} busy={busy} onGoOn={onGoOn} />
      <CleanupPanel namespace={namespace} name={name} />
    </>
  );
}

function StillRelated({ reference, busy, onGoOn }: Omit<FollowingProps, 'csv'>) {
  const t = useText();
  const answer = useAnswer(async (cluster) => ({ related: await findRelated(cluster, reference), plan: await makePlan(cluster, reference, 'asItIs') }), [
    reference.namespace,
    reference.name,
    busy,
  ]);
  const [asked, setAsked] = useState<NonNullable<typeof answer.value>>();
  if (answer.error) return <AskFailure error={answer.error} retry={answer.again} title={t('Whether OLM would install it again could not be seen')} />;
  const { related, plan } = answer.value ?? {};
  if (related === undefined || plan === undefined || related.length === 0) return null;
  return (
    <>
      <RelatedList related={related} />
      {related.some((each) => !isKept(each)) ? (
        <Button variant="secondary" isLoading={busy} isDisabled={busy} onClick={() => setAsked({ related, plan })} data-test="steward-go-on">
          {t('Delete what would install it again…')}
        </Button>
      ) : null}
      {asked ? (
        <ConfirmDialog
          title={t('Delete what would install it again?')}
          action={t('Delete')}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            onGoOn(asked.plan);
          }}
        >
          <RelatedList related={asked.related.filter((each) => !isKept(each))} />
        </ConfirmDialog>
      ) : null}
    </>
  );
}

export function Gone({ name, agreed }: { name: string; agreed?: Agreement }) {
  const t = useText();
  return (
    <div role="status" data-test="steward-gone">
      <Notice isInline variant="success" title={t('{{name}} is gone', { name })} />
      {agreed ? <Left agreed={agreed} /> : null}
    </div>
  );
}

function Left({ agreed }: { agreed: Agreement }) {
  const t = useText();
  const answer = useAnswer((cluster) => listOperands(cluster, agreed), [JSON.stringify(agreed)]);
  if (answer.error) return <AskFailure error={answer.error} retry={answer.again} title={t('Whether its custom resources are gone, too, could not be seen')} />;
  if (answer.value === undefined) return null;
  const count = answer.value.length;
  if (count === 0) return <Notice isInline variant="success" title={t('So are the custom resources that were to be deleted')} data-test="steward-left" />;
  return (
    <Notice isInline variant="warning" title={t('{{count}} custom resources of it are still there', { count })} data-test="steward-left">
      {t('The cleanup was refused or aborted, or they were created late. The events of the operator say more.')}
    </Notice>
  );
}
