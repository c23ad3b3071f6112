// A form that creates an object from YAML, beginning with the operator's own example; for where there is no console.
import { ActionGroup, Button, Form, FormGroup, PageSection, TextArea, Title } from '@patternfly/react-core';
import { useEffect, useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useHost } from '../host';
import { useCluster, useObject } from '../kube/hooks';
import { asApiError, type ApiError } from '../kube/errors';
import { installedOperators } from '../kube/models';
import type { KubeObject, Model } from '../kube/types';
import { exampleOf } from '../operators/provided';
import type { InstalledOperator } from '../operators/types';
import { useText } from '../shared/i18n';
import { Failure } from '../shared/problems';
import { Notice } from '../shared/Notice';

interface CreatePageProps {
  model: Model;
  namespace: string;
  operator: string;
}

export function CreatePage({ model, namespace, operator }: CreatePageProps) {
  const t = useText();
  const host = useHost();
  const cluster = useCluster();
  const navigate = useNavigate();
  const watched = useObject<InstalledOperator>(installedOperators, namespace, operator);
  const [text, setText] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [wrong, setWrong] = useState('');
  const known = watched.loaded || watched.error !== undefined;
  useEffect(() => {
    // What the user has begun to write stays.
    if (!known || text !== undefined) return;
    const example = watched.object === undefined ? undefined : exampleOf(watched.object, model);
    const object = example ?? { apiVersion: `${model.group}/${model.version}`, kind: model.kind, metadata: { name: 'example' }, spec: {} };
    void import('js-yaml').then(({ dump }) => setText((now) => now ?? dump(object, { noRefs: true, lineWidth: -1 })));
  }, [known, text, watched.object, model]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    setWrong('');
    let object: KubeObject;
    try {
      const { load, JSON_SCHEMA } = await import('js-yaml');
      object = load(text ?? '', { schema: JSON_SCHEMA }) as KubeObject;
      if (typeof object !== 'object' || object === null || typeof object.metadata !== 'object') throw new Error(t('This is no object with metadata.'));
      if (object.kind !== model.kind || object.apiVersion?.split('/')[0] !== model.group) throw new Error(t('This is no {{kind}} of {{group}}.', { kind: model.kind, group: model.group }));
    } catch (thrown) {
      setWrong(thrown instanceof Error ? thrown.message : String(thrown));
      return;
    }
    const version = object.apiVersion?.split('/')[1] ?? model.version;
    try {
      await cluster.create({ ...model, version }, namespace, { ...object, metadata: { ...object.metadata, namespace } });
    } catch (thrown) {
      setError(asApiError(thrown));
      return;
    }
    void navigate(host.operator(namespace, operator, 'resources'));
  };

  return (
    <PageSection className="steward-stack">
      <host.Title>{t('Create {{kind}}', { kind: model.kind })}</host.Title>
      <Title headingLevel="h1">{t('Create {{kind}}', { kind: model.kind })}</Title>
      <p className="steward-faint">{t('In the project {{namespace}}.', { namespace })}</p>
      <Form onSubmit={(event) => void submit(event)}>
        <FormGroup label="YAML" fieldId="steward-create" isRequired>
          <TextArea
            id="steward-create"
            className="steward-quote"
            rows={24}
            resizeOrientation="vertical"
            value={text ?? ''}
            isDisabled={text === undefined}
            onChange={(_event, value) => setText(value)}
          />
        </FormGroup>
        {wrong ? <Notice isInline variant="danger" title={wrong} /> : null}
        {error ? <Failure error={error} title={t('It was not created')} /> : null}
        <ActionGroup>
          <Button type="submit" isDisabled={!text}>
            {t('Create')}
          </Button>
          <Button variant="link" onClick={() => void navigate(host.operator(namespace, operator, 'resources'))}>
            {t('Cancel')}
          </Button>
        </ActionGroup>
      </Form>
    </PageSection>
  );
}
