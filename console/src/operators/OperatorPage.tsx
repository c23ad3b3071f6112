// One operator as a project sees it: what it is, what it provides, why it is here, and what its cleanup would do.
import {
  Breadcrumb,
  BreadcrumbItem,
  Button,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Flex,
  FlexItem,
  Label,
  PageSection,
  Tab,
  TabContentBody,
  Tabs,
  TabTitleText,
  Title,
  Tooltip,
} from '@patternfly/react-core';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useHost } from '../host';
import { useMay, useObject } from '../kube/hooks';
import { clusterServiceVersions, installedOperators } from '../kube/models';
import { Conditions } from '../shared/Conditions';
import { Description, ExternalLink } from '../shared/Description';
import { Events } from '../shared/Events';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { When } from '../shared/When';
import { Yaml } from '../shared/Yaml';
import { OperatorIcon } from './Icon';
import { Instances } from './Instances';
import { NamespaceLink } from './OperatorsPage';
import { phaseColor } from './rows';
import { whyHere } from './scope';
import type { InstalledOperator } from './types';

interface OperatorPageProps {
  namespace: string;
  name: string;
  // What its cleanup would do; of the ClusterServiceVersion, which may lie in another project.
  cleanup: (namespace: string, name: string) => ReactNode;
}

export function OperatorPage({ namespace, name, cleanup }: OperatorPageProps) {
  const t = useText();
  const host = useHost();
  const watched = useObject<InstalledOperator>(installedOperators, namespace, name);
  const [parameters, setParameters] = useSearchParams();
  const operator = watched.object;
  const title = operator?.spec?.displayName || name;
  const place = operator?.scope?.installNamespace ?? namespace;
  const tab = parameters.get('tab') ?? 'details';

  if (!operator) {
    return (
      <PageSection className="steward-stack">
        <host.Title>{name}</host.Title>
        {watched.loaded ? (
          <Nothing title={t('This operator does not work here')}>{t('There is no operator {{name}} in the project {{namespace}}, or not any more.', { name, namespace })}</Nothing>
        ) : watched.error ? (
          <Problem error={watched.error} what={t('operators')} retry={watched.retry} />
        ) : (
          <Loading what={name} />
        )}
      </PageSection>
    );
  }
  return (
    <>
      <host.Title>{title}</host.Title>
      <PageSection type="breadcrumb">
        <Breadcrumb>
          <BreadcrumbItem render={({ className }) => <Link className={className} to={host.operators(namespace)}>{t('Operators of this project')}</Link>} />
          <BreadcrumbItem isActive>{name}</BreadcrumbItem>
        </Breadcrumb>
      </PageSection>
      <PageSection className="steward-stack">
        <LostConnection lostAt={watched.lostAt} error={watched.error} retry={watched.retry} />
        <Flex justifyContent={{ default: 'justifyContentSpaceBetween' }} alignItems={{ default: 'alignItemsCenter' }}>
          <FlexItem>
            <div className="steward-name">
              <OperatorIcon
                namespace={namespace}
                name={name}
                installNamespace={place}
                version={operator.spec?.version ?? ''}
                displayName={title}
                none={!operator.spec?.icon?.length}
              />
              <span>
                <Title headingLevel="h1">{title}</Title>
                <span className="steward-faint">{[operator.spec?.version, operator.spec?.provider?.name].filter(Boolean).join(' · ')}</span>
              </span>
            </div>
          </FlexItem>
          <FlexItem>
            <UninstallButton namespace={place} name={name} />
          </FlexItem>
        </Flex>
      </PageSection>
      <PageSection type="tabs">
        <Tabs
          aria-label={t('About this operator')}
          activeKey={tab}
          mountOnEnter
          unmountOnExit
          usePageInsets
          onSelect={(_event, key) =>
            setParameters((before) => {
              const after = new URLSearchParams(before);
              after.set('tab', String(key));
              return after;
            })
          }
        >
          {section('details', t('Details'), <Details operator={operator} />)}
          {section('resources', t('Provided APIs'), <Instances operator={operator} namespace={namespace} />)}
          {section('cleanup', t('Cleanup'), cleanup(place, name))}
          {section('events', t('Events'), <Events namespace={place} kind={clusterServiceVersions.kind} name={name} />)}
          {section('yaml', 'YAML', <Yaml object={operator} />)}
        </Tabs>
      </PageSection>
    </>
  );

  function section(key: string, label: string, content: ReactNode) {
    return (
      <Tab eventKey={key} title={<TabTitleText>{label}</TabTitleText>} data-test={`steward-tab-${key}`}>
        <TabContentBody hasPadding>{content}</TabContentBody>
      </Tab>
    );
  }
}

function UninstallButton({ namespace, name }: { namespace: string; name: string }) {
  const t = useText();
  const host = useHost();
  const may = useMay({ verb: 'delete', group: clusterServiceVersions.group, resource: clusterServiceVersions.plural, namespace, name });
  if (may === undefined) return null;
  if (may.allowed) {
    return (
      <Button variant="secondary" isDanger component={(properties) => <Link {...properties} to={host.uninstall(namespace, name)} />}>
        {t('Uninstall')}
      </Button>
    );
  }
  return (
    <Tooltip content={t('You may not delete the ClusterServiceVersion {{name}} in {{namespace}}.', { name, namespace })}>
      <Button variant="secondary" isDanger isAriaDisabled>
        {t('Uninstall')}
      </Button>
    </Tooltip>
  );
}

function Details({ operator }: { operator: InstalledOperator }) {
  const t = useText();
  const { spec, status, scope, metadata } = operator;
  return (
    <div className="steward-details">
      <Title headingLevel="h2">{t('Why it is here')}</Title>
      <ul className="steward-list" data-test="steward-why">
        {whyHere(operator, t).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <DescriptionList isHorizontal isFluid columnModifier={{ lg: '2Col' }} aria-label={t('Details')}>
        <Term name={t('Phase')}>
          <Label isCompact color={phaseColor(status?.phase ?? '')}>
            {status?.phase || t('Unknown')}
          </Label>
        </Term>
        <Term name={t('Reason')}>{[status?.reason, status?.message].filter(Boolean).join(': ')}</Term>
        <Term name={t('Installed in')}>
          <NamespaceLink name={scope?.installNamespace ?? ''} />
        </Term>
        <Term name={t('Mode')}>{scope?.installMode}</Term>
        <Term name={t('OperatorGroup')}>{scope?.operatorGroup}</Term>
        <Term name={t('Version')}>{spec?.version}</Term>
        <Term name={t('Replaces')}>{spec?.replaces}</Term>
        <Term name={t('Provider')}>
          <ExternalLink href={spec?.provider?.url}>{spec?.provider?.name}</ExternalLink>
        </Term>
        <Term name={t('Capability level')}>{metadata.annotations?.['capabilities']}</Term>
        <Term name={t('Created')}>
          <When timestamp={metadata.creationTimestamp} />
        </Term>
        <Term name={t('Links')}>
          {spec?.links?.map((link, index) => (
            <div key={index}>
              <ExternalLink href={link.url}>{link.name || link.url}</ExternalLink>
            </div>
          ))}
        </Term>
        <Term name={t('Maintainers')}>
          {spec?.maintainers?.map((person, index) => (
            <div key={index}>
              <ExternalLink href={person.email ? `mailto:${person.email}` : undefined}>{person.name || person.email}</ExternalLink>
            </div>
          ))}
        </Term>
      </DescriptionList>
      {spec?.description ? <Title headingLevel="h2">{t('Description')}</Title> : null}
      <Description text={spec?.description} />
      <Title headingLevel="h2">{t('Conditions')}</Title>
      <Conditions conditions={status?.conditions} />
    </div>
  );
}

function Term({ name, children }: { name: string; children?: ReactNode }) {
  if (children === undefined || children === '' || (Array.isArray(children) && children.length === 0)) return null;
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{name}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}
