// Copies of operators for all namespaces: whether there are any, what turning them off or on would do, and doing it.
import { Button, Label, PageSection, Title, Tooltip } from '@patternfly/react-core';
import { useState } from 'react';
import { useHost } from '../host';
import { asApiError, type ApiError } from '../kube/errors';
import { useCluster, useMay, useObject } from '../kube/hooks';
import { olmConfigs } from '../kube/models';
import { Ask } from '../previews/Ask';
import { ANY_NAMESPACE } from '../previews/asking';
import { PreviewSteps } from '../previews/PreviewSteps';
import { ConfirmDialog } from '../shared/ConfirmDialog';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { When } from '../shared/When';
import { conditionOf, copiesBy, disablesCopies, isCarriedOut, type OlmConfig, type Word } from './choice';
import { OLM_CONFIG, toggleCopies } from './toggle';
import { Notice } from '../shared/Notice';

export function CopiesPage() {
  const t = useText();
  const host = useHost();
  const watched = useObject<OlmConfig>(olmConfigs, undefined, OLM_CONFIG);
  return (
    <>
      <host.Title>{t('Copied CSVs')}</host.Title>
      <PageSection className="steward-stack">
        <Title headingLevel="h1">{t('Copied CSVs')}</Title>
        <p className="steward-faint">
          {t('OLM copies the ClusterServiceVersion of an operator for all projects to each of them. Steward shows operators without copies, which spares the cluster much memory.')}
        </p>
      </PageSection>
      <PageSection className="steward-stack" isFilled aria-busy={!watched.loaded && !watched.error}>
        <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
        {content()}
      </PageSection>
    </>
  );

  function content() {
    if (!watched.loaded && watched.error?.missing) {
      return (
        <Nothing title={t('This cluster has no OLMConfigs')}>{t('It has no OLM, and nobody who makes copies in its place: there is nothing to turn off or on.')}</Nothing>
      );
    }
    if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('the OLMConfig cluster')} retry={watched.retry} />;
    if (!watched.loaded) return <Loading what={t('the choice about copies')} />;
    return <Choice config={watched.object} />;
  }
}

function Choice({ config }: { config?: OlmConfig }) {
  const t = useText();
  const copies = copiesBy(config);
  const [previewed, setPreviewed] = useState<boolean>(); // whether turning them off is
  const turnsOff = previewed ?? copies !== 'off';
  return (
    <>
      <State config={config} />
      {/* Where nobody understands the choice, either may be made. */}
      {copies === 'notUnderstood' ? (
        <Button variant="link" onClick={() => setPreviewed(!turnsOff)}>
          {turnsOff ? t('Look at turning them on instead') : t('Look at turning them off instead')}
        </Button>
      ) : null}
      <Title headingLevel="h2">{turnsOff ? t('If copies were turned off') : t('If copies were turned on')}</Title>
      {turnsOff ? (
        <p>{t('Whoever may read these projects, and not that of the operator, no longer sees it as a ClusterServiceVersion there; InstalledOperators show it. Projects that the controllers protect keep their copies.')}</p>
      ) : null}
      <Ask namespace={ANY_NAMESPACE} spec={{ copiedCSVs: { enabled: !turnsOff } }}>
        {(answer) => <PreviewSteps status={answer.status} />}
      </Ask>
      <Toggle config={config} off={turnsOff} />
    </>
  );
}

function State({ config }: { config?: OlmConfig }) {
  const t = useText();
  const copies = copiesBy(config);
  const condition = conditionOf(config);
  const done = copies !== 'notUnderstood' && isCarriedOut(config, copies === 'off');
  return (
    <div role="status" data-test="steward-copies">
      <p>
        {copies === 'notUnderstood' ? (
          <Label color="red">{t('The choice is not understood')}</Label>
        ) : (
          <Label color={copies === 'on' ? 'blue' : 'green'}>{copies === 'on' ? t('Copies are on') : t('Copies are off')}</Label>
        )}{' '}
        {config === undefined ? t('There is no OLMConfig cluster: they are on, unless the controllers run with a flag that turns them off.') : null}
        {copies === 'notUnderstood' ? t('spec.features.disableCopiedCSVs of the OLMConfig cluster is neither true nor false.') : null}
      </p>
      {condition ? (
        <Notice isInline variant={done ? 'success' : 'info'} title={condition.reason ?? ''} data-test="steward-copies-condition">
          {condition.message}{' '}
          <span className="steward-faint">
            <When timestamp={condition.lastTransitionTime} />
          </span>
        </Notice>
      ) : config ? (
        <Notice isInline variant="warning" title={t('No controller has said yet what it makes of that')}>
          {t("Copies are made and deleted by olm-operator, or by Steward's reconcilers copied-csvs and olm-config.")}
        </Notice>
      ) : null}
    </div>
  );
}

function Toggle({ config, off }: { config?: OlmConfig; off: boolean }) {
  const t = useText();
  const cluster = useCluster();
  const { group, plural } = olmConfigs;
  const may = useMay(config ? { verb: 'patch', group, resource: plural, name: OLM_CONFIG } : { verb: 'create', group, resource: plural });
  // The question that is open, which stays what it is when somebody else turns copies on or off meanwhile.
  const [asked, setAsked] = useState<{ off: boolean; before: Word }>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [written, setWritten] = useState(false);
  const titleOf = (turnsOff: boolean) => (turnsOff ? t('Turn copies off') : t('Turn copies on'));
  const allowed = may?.allowed === true;
  const toggle = async (turnsOff: boolean, before: Word) => {
    setBusy(true);
    setError(undefined);
    try {
      await toggleCopies(cluster, turnsOff, before);
      setWritten(true);
      setAsked(undefined);
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    setBusy(false);
  };
  const why = may === undefined ? t('Whether you may is not known yet.') : t('You may not write the OLMConfig cluster.');
  const button = (
    <Button variant="danger" isAriaDisabled={!allowed} onClick={() => allowed && setAsked({ off, before: disablesCopies(config) })} data-test="steward-toggle-copies">
      {titleOf(off)}…
    </Button>
  );
  return (
    <>
      {allowed ? button : <Tooltip content={why}>{button}</Tooltip>}
      {allowed ? null : <span className="steward-faint"> {why}</span>}
      <div role="status">
        {written ? <Notice isInline isPlain variant="info" title={t('The choice is written. What the controllers make of it is shown above.')} data-test="steward-written" /> : null}
      </div>
      {asked ? (
        <ConfirmDialog
          title={asked.off ? t('Turn copies off?') : t('Turn copies on?')}
          action={titleOf(asked.off)}
          busy={busy}
          error={error}
          onConfirm={() => void toggle(asked.off, asked.before)}
          onClose={() => setAsked(undefined)}
        >
          {asked.off
            ? t('All copies of operators for all projects are deleted, in the whole cluster.')
            : t('Each operator for all projects is copied to every project of the cluster.')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
