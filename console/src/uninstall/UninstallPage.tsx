// The uninstallation of an operator: preview, choice, question, and progress to the end.
import { PageSection, Title } from '@patternfly/react-core';
import { useEffect, useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { useHost } from '../host';
import { isDeleting, mayBeCopy, originalNamespace } from '../cleanup/csv';
import type { ClusterServiceVersion } from '../cleanup/types';
import { useObject } from '../kube/hooks';
import { clusterServiceVersions } from '../kube/models';
import { AskFailure } from '../previews/AskFailure';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { Following, Gone } from './Following';
import { Refused } from './Refused';
import { UninstallForm } from './UninstallForm';
import { UninstallSteps } from './UninstallSteps';
import { useUninstallation } from './useUninstallation';
import type { Plan } from './steps';

export function UninstallPage({ namespace, name }: { namespace: string; name: string }) {
  const t = useText();
  const host = useHost();
  const reference = useMemo(() => ({ namespace, name }), [namespace, name]);
  const watched = useObject<ClusterServiceVersion>(clusterServiceVersions, namespace, name);
  const { state, start, memory } = useUninstallation(reference);
  const seen = useRef('');
  const plan = useRef<Plan>();
  const csv = watched.object;
  const remembered = memory.read();
  const begun = csv === undefined || remembered?.uid === csv.metadata.uid ? remembered : undefined;
  useEffect(() => {
    if (csv?.metadata.uid) seen.current = csv.metadata.uid;
  }, [csv]);
  const uninstall = (agreed: Plan) => {
    plan.current = agreed;
    void start(agreed);
  };

  return (
    <>
      <host.Title>{t('Uninstall {{name}}', { name })}</host.Title>
      <PageSection className="steward-stack">
        <Title headingLevel="h1">{t('Uninstall {{name}}', { name })}</Title>
        <p className="steward-faint">
          {csv?.spec?.displayName} {csv?.spec?.version} · {namespace} · <Link to={host.operators(namespace)}>{t('Operators')}</Link>
        </p>
      </PageSection>
      <PageSection className="steward-stack" isFilled aria-busy={!watched.loaded && !watched.error}>
        <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
        {outcome()}
        {content()}
      </PageSection>
    </>
  );

  // What this page does or did, and how that ended.
  function outcome() {
    return (
      <>
        {plan.current && (state.running || state.refusal || state.error) ? <UninstallSteps course={plan.current.course} running={state} /> : null}
        {state.refusal ? <Refused refusal={state.refusal} takeBackError={state.takeBackError} /> : null}
        {state.error ? <AskFailure error={state.error} title={t('The uninstallation stopped here; it can be begun again below')} /> : null}
      </>
    );
  }

  function content() {
    if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('ClusterServiceVersions')} retry={watched.retry} />;
    if (!watched.loaded) return <Loading what={t('the operator')} />;
    if (csv === undefined) {
      if (seen.current === '' && begun === undefined) {
        return <Nothing title={t('There is no such operator')}>{t('Project {{namespace}} has no ClusterServiceVersion {{name}}.', { namespace, name })}</Nothing>;
      }
      return <Gone name={name} agreed={begun?.deletesOperands ? begun.agreed : undefined} />;
    }
    if (mayBeCopy(csv)) return <OfCopy csv={csv} name={name} />;
    if (isDeleting(csv)) return <Following reference={reference} csv={csv} busy={state.running} onGoOn={uninstall} />;
    if (state.running) return null;
    return <UninstallForm key={csv.metadata.uid} reference={reference} csv={csv} begun={begun} onUninstall={uninstall} />;
  }
}

function OfCopy({ csv, name }: { csv: ClusterServiceVersion; name: string }) {
  const t = useText();
  const host = useHost();
  const original = originalNamespace(csv);
  return (
    <Nothing title={t('This is a copy')} action={original ? <Link to={host.uninstall(original, name)}>{t('Uninstall the original in {{namespace}}', { namespace: original })}</Link> : undefined}>
      {t('An operator is uninstalled where it is installed; its copies go with it.')}
    </Nothing>
  );
}
