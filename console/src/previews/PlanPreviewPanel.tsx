// The preview of an InstallPlan: that of the rules, as it changes, and that of a dry run, when asked for.
import { Button, PageSection, Title } from '@patternfly/react-core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useHost } from '../host';
import { useObject } from '../kube/hooks';
import { planPreviews } from '../kube/models';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { Ask } from './Ask';
import { PreviewSteps } from './PreviewSteps';
import type { PlanPreview } from './types';

export function PlanPreviewPanel({ namespace, name }: { namespace: string; name: string }) {
  const t = useText();
  const host = useHost();
  const watched = useObject<PlanPreview>(planPreviews, namespace, name);
  const [asked, setAsked] = useState(false);

  return (
    <PageSection className="steward-stack" isFilled aria-busy={!watched.loaded && !watched.error}>
      <Title headingLevel="h2">{t('Preview of this InstallPlan')}</Title>
      <p className="steward-faint">{t('What its steps would do now, by the rules of those who execute it. It changes as the cluster does.')}</p>
      <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
      {content()}
      <Title headingLevel="h2">{t('Dry run')}</Title>
      <p className="steward-faint">{t('The cluster tries each step without keeping anything, and says what it would answer.')}</p>
      {asked ? (
        <Ask namespace={namespace} spec={{ installPlan: { name } }}>
          {(answer) => <PreviewSteps status={answer.status} />}
        </Ask>
      ) : (
        <Button variant="secondary" onClick={() => setAsked(true)} data-test="steward-ask">
          {t('Ask the cluster (dry run)')}
        </Button>
      )}{' '}
      <Link to={host.askPreview(namespace, `subject=installPlan&name=${encodeURIComponent(name)}`)}>{t('Ask a preview')}</Link>
    </PageSection>
  );

  function content() {
    if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('previews of InstallPlans')} retry={watched.retry} />;
    if (!watched.loaded) return <Loading what={t('the preview')} />;
    if (!watched.object) return <Nothing title={t('There is no preview')}>{t('Steward does not know this InstallPlan: it is new, or gone.')}</Nothing>;
    return <PreviewSteps status={watched.object.status} />;
  }
}
