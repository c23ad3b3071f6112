// The frame of the page of its own: who the user is, which project, which page.
import {
  AlertActionLink,
  Button,
  Form,
  FormGroup,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadMain,
  MastheadToggle,
  Nav,
  NavItem,
  NavList,
  Page,
  PageSection,
  PageSidebar,
  PageSidebarBody,
  PageToggleButton,
  SkipToContent,
  Spinner,
  TextInput,
  Title,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from '@patternfly/react-core';
import { BarsIcon, MoonIcon, SunIcon } from '@patternfly/react-icons';
import { useEffect, useMemo, useState, useSyncExternalStore, type FormEvent } from 'react';
import { Link, Navigate, Route, Routes, useLocation, useParams, useSearchParams } from 'react-router';
import { CleanupPanel } from '../cleanup/CleanupPanel';
import { CopiesPage } from '../copies/CopiesPage';
import { HostContext } from '../host';
import { Cluster } from '../kube/cluster';
import { ClusterContext } from '../kube/hooks';
import { CreatePage } from '../objects/CreatePage';
import { ObjectPage } from '../objects/ObjectPage';
import { OperatorPage } from '../operators/OperatorPage';
import { OperatorsPage } from '../operators/OperatorsPage';
import { AskPreviewPage } from '../previews/AskPreviewPage';
import { PlanPreviewPanel } from '../previews/PlanPreviewPanel';
import { useText } from '../shared/i18n';
import { UninstallPage } from '../uninstall/UninstallPage';
import { standaloneHost } from './host';
import { ProjectPicker } from './ProjectPicker';
import { readConfiguration, Session, type Configuration } from './session';
import { chooseTheme, isDark } from './theme';
import { DirectTransport } from './transport';
import { Notice } from '../shared/Notice';

export function App() {
  const t = useText();
  const [session] = useState(() => new Session());
  const token = useSyncExternalStore(session.subscribe, session.current);
  const [configuration, setConfiguration] = useState<Configuration>();
  const [failure, setFailure] = useState('');
  const [refusedToken, setRefusedToken] = useState<string>();
  // Another user is another cluster, as far as anybody knows.
  const cluster = useMemo(() => new Cluster(new DirectTransport(() => token, () => setRefusedToken(token))), [token]);
  useEffect(() => {
    readConfiguration().then(setConfiguration, (thrown: unknown) => setFailure(thrown instanceof Error ? thrown.message : String(thrown)));
  }, []);

  if (failure) return <Notice variant="danger" title={t('This page cannot start')}>{failure}</Notice>;
  if (configuration === undefined) return <Spinner aria-label={t('Loading')} />;
  const refused = token !== '' && refusedToken === token;
  // The proxy in front knows who somebody is, and has to be asked again.
  const ended = configuration.authentication === 'header' && refusedToken !== undefined;
  const needsToken = configuration.authentication !== 'header' && (token === '' || refused);
  return (
    <HostContext.Provider value={standaloneHost}>
      <ClusterContext.Provider value={cluster}>
        {ended ? (
          <Notice
            isInline
            variant="warning"
            title={t('Your session has ended')}
            actionLinks={<AlertActionLink onClick={() => window.location.reload()}>{t('Load this page again')}</AlertActionLink>}
            data-test="steward-ended"
          />
        ) : null}
        {needsToken ? <Login session={session} configuration={configuration} refused={refused} /> : <Frame session={session} configuration={configuration} />}
      </ClusterContext.Provider>
    </HostContext.Provider>
  );
}

function Login({ session, configuration, refused }: { session: Session; configuration: Configuration; refused: boolean }) {
  const t = useText();
  const [token, setToken] = useState('');
  const own = configuration.authentication === 'kubeconfig';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') session.enter(token);
  };
  return (
    <Page isContentFilled>
      <PageSection isWidthLimited isCenterAligned>
        <Title headingLevel="h1">Steward</Title>
        <p>
          {own
            ? t('Open the address that "steward console" printed: it has the key of this page.')
            : t('Enter a token of yours for the cluster. It stays in this tab, and nobody keeps it.')}
        </p>
        {refused ? <Notice isInline variant="danger" title={t('The cluster does not know this token')} /> : null}
        <Form onSubmit={submit}>
          <FormGroup label={own ? t('Key') : t('Token')} fieldId="token" isRequired>
            <TextInput id="token" type="password" autoComplete="off" value={token} onChange={(_event, value) => setToken(value)} />
          </FormGroup>
          <Button type="submit" isDisabled={token.trim() === ''}>
            {t('Log in')}
          </Button>
        </Form>
      </PageSection>
    </Page>
  );
}

function Frame({ session, configuration }: { session: Session; configuration: Configuration }) {
  const t = useText();
  const [dark, setDark] = useState(isDark);
  const location = useLocation();
  const namespace = /^\/ns\/([^/]+)\//.exec(location.pathname)?.[1];
  const project = namespace === undefined ? undefined : decodeURIComponent(namespace);
  const items: [string, string, boolean][] = [
    [t('Operators'), standaloneHost.operators(project), /\/operators/.test(location.pathname)],
    [t('Ask a preview'), standaloneHost.askPreview(project ?? 'default'), /\/(preview|plans\/)/.test(location.pathname)],
    [t('Copied CSVs'), standaloneHost.copies(), location.pathname.startsWith('/copied-csvs')],
  ];
  const masthead = (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton aria-label={t('Navigation')}>
            <BarsIcon />
          </PageToggleButton>
        </MastheadToggle>
        <MastheadBrand>
          <strong>Steward</strong>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isFullHeight>
          <ToolbarContent>
            <ToolbarItem>
              <ProjectPicker project={project} />
            </ToolbarItem>
            <ToolbarItem align={{ default: 'alignEnd' }}>
              <Button
                variant="plain"
                aria-label={dark ? t('Light theme') : t('Dark theme')}
                icon={dark ? <SunIcon /> : <MoonIcon />}
                onClick={() => {
                  chooseTheme(!dark);
                  setDark(!dark);
                }}
              />
            </ToolbarItem>
            {configuration.authentication === 'token' ? (
              <ToolbarItem>
                <Button variant="link" onClick={session.leave}>
                  {t('Log out')}
                </Button>
              </ToolbarItem>
            ) : null}
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
  const sidebar = (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label={t('Pages')}>
          <NavList>
            {items.map(([name, address, active]) => (
              <NavItem key={name} isActive={active}>
                <Link to={address} aria-current={active ? 'page' : undefined}>
                  {name}
                </Link>
              </NavItem>
            ))}
          </NavList>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
  return (
    <Page masthead={masthead} sidebar={sidebar} isManagedSidebar mainContainerId="main" skipToContent={<SkipToContent href="#main">{t('Skip to content')}</SkipToContent>}>
      <Routes>
        <Route path="/" element={<Navigate to="/operators" replace />} />
        <Route path="/operators" element={<OperatorsPage />} />
        <Route path="/ns/:namespace/operators" element={<OfProject>{(each) => <OperatorsPage namespace={each} />}</OfProject>} />
        <Route
          path="/ns/:namespace/operators/:name"
          element={<OfProject>{(each, name) => <OperatorPage namespace={each} name={name} cleanup={(place, of) => <CleanupPanel namespace={place} name={of} />} />}</OfProject>}
        />
        <Route path="/ns/:namespace/create/:group/:version/:plural/:kind" element={<Create />} />
        <Route path="/objects/:group/:version/:plural/:name" element={<AnyObject />} />
        <Route path="/ns/:namespace/uninstall/:name" element={<OfProject>{(each, name) => <UninstallPage key={`${each}/${name}`} namespace={each} name={name} />}</OfProject>} />
        <Route path="/ns/:namespace/preview" element={<OfProject>{(each) => <AskPreviewPage key={each} namespace={each} />}</OfProject>} />
        <Route path="/ns/:namespace/plans/:name" element={<OfProject>{(each, name) => <Plan key={`${each}/${name}`} namespace={each} name={name} />}</OfProject>} />
        <Route path="/copied-csvs" element={<CopiesPage />} />
        <Route path="*" element={<PageSection className="steward-stack">{t('There is no such page.')}</PageSection>} />
      </Routes>
    </Page>
  );
}

function OfProject({ children }: { children: (namespace: string, name: string) => React.ReactNode }) {
  const { namespace = '', name = '' } = useParams();
  return <>{children(namespace, name)}</>;
}

function Plan({ namespace, name }: { namespace: string; name: string }) {
  return (
    <>
      <standaloneHost.Title>{name}</standaloneHost.Title>
      <PageSection className="steward-stack">
        <Title headingLevel="h1">{name}</Title>
      </PageSection>
      <PlanPreviewPanel namespace={namespace} name={name} />
    </>
  );
}

function Create() {
  const { namespace = '', group = '', version = '', plural = '', kind = '' } = useParams();
  const [parameters] = useSearchParams();
  const model = useMemo(() => ({ group, version, kind, plural, namespaced: true }), [group, version, kind, plural]);
  return <CreatePage model={model} namespace={namespace} operator={parameters.get('operator') ?? ''} />;
}

function AnyObject() {
  const { group = '', version = '', plural = '', name = '' } = useParams();
  const [parameters] = useSearchParams();
  return <ObjectPage group={group === 'core' ? '' : group} version={version} plural={plural} namespace={parameters.get('namespace') ?? undefined} name={name} />;
}
