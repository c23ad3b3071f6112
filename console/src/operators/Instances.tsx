// The custom resources of an operator in a project, kind by kind, as they change.
import { Button, Card, CardBody, CardHeader, CardTitle, Gallery } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useHost } from '../host';
import { useAnswer, useMay, useWatch } from '../kube/hooks';
import type { Form } from '../kube/informer';
import { useText } from '../shared/i18n';
import { LostConnection, Nothing } from '../shared/problems';
import { When } from '../shared/When';
import { providedModels, type ProvidedModel } from './provided';
import type { InstalledOperator } from './types';

interface Instance {
  name: string;
  created?: string;
  deleting: boolean;
}

const instance: Form<Instance> = {
  fromObject: ({ metadata }) => ({ name: metadata.name ?? '', created: metadata.creationTimestamp, deleting: metadata.deletionTimestamp !== undefined }),
  fromRow: (_cell, { metadata }) => ({ name: metadata.name ?? '', created: metadata.creationTimestamp, deleting: metadata.deletionTimestamp !== undefined }),
};

const MOST_KINDS = 40;
const MOST_ROWS = 100;

export function Instances({ operator, namespace }: { operator: InstalledOperator; namespace: string }) {
  const t = useText();
  const provided = useMemo(() => providedModels(operator.spec), [operator.spec]);
  if (provided.length === 0) return <Nothing title={t('This operator provides no API')} />;
  return (
    <Gallery hasGutter minWidths={{ default: '100%' }}>
      {provided.slice(0, MOST_KINDS).map((each) => (
        <Kind key={`${each.model.plural}.${each.model.group}`} provided={each} namespace={namespace} operator={operator.metadata.name ?? ''} />
      ))}
      {provided.length > MOST_KINDS ? <p>{t('and {{count}} more kinds', { count: provided.length - MOST_KINDS })}</p> : null}
    </Gallery>
  );
}

function Kind({ provided, namespace, operator }: { provided: ProvidedModel; namespace: string; operator: string }) {
  const t = useText();
  const host = useHost();
  const { model, title, description } = provided;
  const served = useAnswer((cluster) => cluster.served(model), [model.group, model.version, model.plural]);
  const found = served.value;
  const place = found?.namespaced === false ? undefined : namespace;
  const watched = useWatch(useMemo(() => (found === undefined ? null : { model: found, namespace: place }), [found, place]), instance);
  const may = useMay(found?.namespaced ? { verb: 'create', group: model.group, resource: model.plural, namespace } : null);
  const rows = useMemo(() => [...watched.items.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), [watched.items]);
  const create = host.create(model.group, model.version, model.kind, model.plural, namespace, operator);
  return (
    <Card isCompact data-test={`steward-kind-${model.kind}`}>
      <CardHeader
        actions={{
          hasNoOffset: true,
          actions:
            may?.allowed && create ? (
              <Button variant="secondary" size="sm" component={(properties) => <Link {...properties} to={create} />}>
                {t('Create {{kind}}', { kind: title })}
              </Button>
            ) : null,
        }}
      >
        <CardTitle component="h2">
          {title} <span className="steward-faint">{`${model.plural}.${model.group} ${model.version}`}</span>
        </CardTitle>
      </CardHeader>
      <CardBody>
        {description ? <p>{description}</p> : null}
        {found?.namespaced === false ? <p className="steward-faint">{t('These belong to no project: all of the cluster are listed.')}</p> : null}
        <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
        {content()}
      </CardBody>
    </Card>
  );

  function content() {
    if (!served.loading && !served.error && found === undefined) return <p className="steward-faint">{t('The cluster does not serve this kind.')}</p>;
    const error = served.error ?? (watched.loaded ? undefined : watched.error);
    if (error) {
      if (error.missing) return <p className="steward-faint">{t('The cluster does not serve this kind.')}</p>;
      if (error.forbidden) return <p className="steward-faint">{t('You may not list these here.')}</p>;
      return <p className="steward-faint">{error.message}</p>;
    }
    if (!watched.loaded && rows.length === 0) return <p className="steward-faint">{t('Loading')}</p>;
    if (rows.length === 0) return <p className="steward-faint">{found?.namespaced === false ? t('There are none.') : t('There are none in this project.')}</p>;
    return (
      <>
        <Table aria-label={title} variant="compact" borders={false}>
          <Thead>
            <Tr>
              <Th>{t('Name')}</Th>
              <Th>{t('Created')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {rows.slice(0, MOST_ROWS).map((row) => (
              <Tr key={row.name}>
                <Td dataLabel={t('Name')}>
                  <InstanceLink provided={provided} namespace={place} name={row.name} />
                  {row.deleting ? ` (${t('being deleted')})` : ''}
                </Td>
                <Td dataLabel={t('Created')}>
                  <When timestamp={row.created} />
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
        {rows.length > MOST_ROWS ? <p>{t('and {{count}} more', { count: rows.length - MOST_ROWS })}</p> : null}
      </>
    );
  }
}

function InstanceLink({ provided, namespace, name }: { provided: ProvidedModel; namespace?: string; name: string }) {
  const host = useHost();
  const { group, version, kind, plural } = provided.model;
  const address = host.object(group, version, kind, plural, namespace, name);
  return address ? <Link to={address}>{name}</Link> : <>{name}</>;
}
