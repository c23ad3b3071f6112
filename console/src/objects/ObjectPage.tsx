// Any object, to be read; for where there is no console.
import { PageSection, Title } from '@patternfly/react-core';
import { useMemo } from 'react';
import { useHost } from '../host';
import { useObject } from '../kube/hooks';
import type { Model } from '../kube/types';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { Yaml } from '../shared/Yaml';

interface ObjectPageProps {
  group: string;
  version: string;
  plural: string;
  namespace?: string;
  name: string;
}

export function ObjectPage({ group, version, plural, namespace, name }: ObjectPageProps) {
  const t = useText();
  const host = useHost();
  const model: Model = useMemo(() => ({ group, version, kind: '', plural, namespaced: namespace !== undefined }), [group, version, plural, namespace]);
  const watched = useObject(model, namespace, name);
  return (
    <PageSection className="steward-stack">
      <host.Title>{name}</host.Title>
      <Title headingLevel="h1">{name}</Title>
      <p className="steward-faint">{[`${plural}.${group}`, namespace].filter(Boolean).join(' · ')}</p>
      <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
      {content()}
    </PageSection>
  );

  function content() {
    if (watched.object) return <Yaml object={watched.object} />;
    if (watched.loaded) return <Nothing title={t('There is no such object')} />;
    return watched.error ? <Problem error={watched.error} what={plural} retry={watched.retry} /> : <Loading what={name} />;
  }
}
