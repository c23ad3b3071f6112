import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import english from '../../locales/en/plugin__steward.json';
import { HostContext } from '../host';
import type { Cluster } from '../kube/cluster';
import { ClusterContext } from '../kube/hooks';
import { Description } from '../shared/Description';
import { standaloneHost } from '../standalone/host';
import { FakeApi, listOf, statusOf } from '../testing/fakeApi';
import { consoleFetch, hosts } from '../testing/hosts';
import { OperatorPage } from './OperatorPage';
import { OperatorsPage } from './OperatorsPage';
import { exampleOf, providedModels } from './provided';
import { choices, compareVersions, matches, operatorRow, operatorRowOfAll } from './rows';
import { whyHere } from './scope';
import type { InstalledOperator } from './types';

vi.mock('@openshift-console/dynamic-plugin-sdk', () => ({ consoleFetch: (...all: unknown[]) => consoleFetch(...all), DocumentTitle: () => null }));

beforeAll(() =>
  i18n.use(initReactI18next).init({
    lng: 'en',
    ns: ['plugin__steward'],
    resources: { en: { plugin__steward: english } },
    keySeparator: false,
    nsSeparator: '~',
    interpolation: { escapeValue: false },
  }),
);

const operator = (name: string, more: Partial<InstalledOperator> = {}): InstalledOperator => ({
  metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more.metadata },
  spec: {
    displayName: `The ${name}`,
    version: '1.2.3',
    provider: { name: 'Acme' },
    customresourcedefinitions: { owned: [{ name: 'lamps.acme.example.com', version: 'v1', kind: 'Lamp', displayName: 'Lamp' }] },
    ...more.spec,
  },
  status: { phase: 'Succeeded', ...more.status },
  scope: { installNamespace: 'ops', installMode: 'AllNamespaces', operatorGroup: 'global', targeted: true, ...more.scope },
});

describe('rows', () => {
  it('are the same of an object and of a Table, but for what a Table does not say', () => {
    const of = operator('lamp.v1');
    const cells: Record<string, string> = { Display: 'The lamp.v1', Version: '1.2.3', Phase: 'Succeeded', 'Install Namespace': 'ops', Mode: 'AllNamespaces' };
    const row = operatorRowOfAll.fromRow?.((column) => cells[column], { metadata: of.metadata });
    expect({ ...row, provides: 'Lamp', hasIcon: false }).toEqual(operatorRow.fromObject(of));
  });

  it('have a name where nothing else is said', () => {
    expect(operatorRow.fromObject({ metadata: { name: 'a' } })).toMatchObject({ displayName: 'a', phase: '', provides: '' });
    expect(operatorRowOfAll.fromRow?.(() => '<none>', { metadata: { name: 'a' } })).toMatchObject({ displayName: 'a', version: '' });
  });

  it.each([
    [{ text: 'LAMP', phases: [], modes: [] }, true],
    [{ text: 'Lamp ', phases: ['Failed'], modes: [] }, false],
    [{ text: '', phases: ['Failed', 'Succeeded'], modes: ['AllNamespaces'] }, true],
    [{ text: '', phases: [], modes: ['OwnNamespace'] }, false],
    [{ text: 'chair', phases: [], modes: [] }, false],
  ])('match %j: %s', (filter, expected) => {
    expect(matches(operatorRow.fromObject(operator('lamp.v1')), filter)).toBe(expected);
  });

  it('know the values that there are', () => {
    const rows = [operator('a'), operator('b', { status: { phase: 'Failed' } }), operator('c')].map((each) => operatorRow.fromObject(each));
    expect(choices(rows, 'phase')).toEqual(['Failed', 'Succeeded']);
  });

  it('order versions by their numbers', () => {
    expect(['1.10.0', '1.9.0', '1.2.0'].sort(compareVersions)).toEqual(['1.2.0', '1.9.0', '1.10.0']);
  });
});

describe('why an operator is here', () => {
  const t = (text: string, values?: Record<string, unknown>) => text.replace(/{{(\w+)}}/g, (_all, name: string) => String(values?.[name]));
  it.each([
    [{}, ['It is installed in the project ops, and works here, too.', 'Its OperatorGroup global targets all projects.']],
    [{ installNamespace: 'web', installMode: 'OwnNamespace' }, ['It is installed in this project.', 'Its OperatorGroup global targets its own project.']],
    [{ installNamespace: 'web', operatorGroup: undefined, installMode: undefined }, ['It is installed in this project.', 'web has not exactly one OperatorGroup, so nothing says where it works.']],
    [
      { installNamespace: 'web', installMode: 'MultiNamespace', targeted: false },
      ['It is installed in this project.', 'Its OperatorGroup global targets several projects.', 'That does not target this project: it runs here, and works elsewhere.'],
    ],
  ])('%j', (scope, sentences) => {
    expect(whyHere(operator('a', { scope }), t)).toEqual(sentences);
  });
  it('names what it hides', () => {
    expect(whyHere(operator('a', { scope: { conflicts: [{ installNamespace: 'other' }] } }), t)[2]).toContain('installed in other');
  });
});

describe('provided APIs', () => {
  it('are those of definitions and services, each once, and none that cannot be asked for', () => {
    const models = providedModels({
      customresourcedefinitions: {
        owned: [
          { name: 'lamps.acme.example.com', version: 'v1', kind: 'Lamp', displayName: 'A lamp' },
          { name: 'lamps.acme.example.com', version: 'v1alpha1', kind: 'Lamp' },
          { name: 'nogroup', version: 'v1', kind: 'X' },
        ],
      },
      apiservicedefinitions: { owned: [{ name: 'bulbs', group: 'acme.example.com', version: 'v1', kind: 'Bulb' }] },
    });
    expect(models.map(({ model, title }) => `${title} ${model.plural}.${model.group} ${model.version}`)).toEqual(['A lamp lamps.acme.example.com v1', 'Bulb bulbs.acme.example.com v1']);
  });
  it.each([
    ['[{"apiVersion":"acme.example.com/v1","kind":"Lamp","spec":{"on":true}}]', { on: true }],
    ['[{"apiVersion":"acme.example.com/v1beta1","kind":"Lamp","spec":{"old":true}}]', { old: true }],
    ['[{"apiVersion":"other.example.com/v1","kind":"Lamp","spec":{}}]', undefined],
    ['{', undefined],
    ['null', undefined],
    ['[null, 3]', undefined],
  ])('have the example %s', (annotation, spec) => {
    const of = operator('a', { metadata: { annotations: { 'alm-examples': annotation } } });
    expect(exampleOf(of, { group: 'acme.example.com', version: 'v1', kind: 'Lamp' })?.['spec']).toEqual(spec);
  });
});

describe('descriptions', () => {
  afterEach(cleanup);
  it.each([
    ['# Title\n\n* one\n* two', 'h3', 'Title'],
    ['[safe](https://example.com/x)', 'a', 'safe'],
  ])('are shown: %s', (text, tag, content) => {
    const { container } = render(<Description text={text} />);
    expect(container.querySelector(tag)?.textContent).toBe(content);
  });
  it.each([
    ['<script>alert(1)</script>', 'script'],
    ['<img src=x onerror=alert(1)>', 'img'],
    ['![picture](https://example.com/track.png)', 'img'],
    ['[x](javascript:alert(1))', 'a[href]'],
    ['[x](JaVaScRiPt:alert(1))', 'a[href]'],
    ['[x](data:text/html;base64,PHNjcmlwdD4=)', 'a[href]'],
    ['<iframe src="https://example.com"></iframe>', 'iframe'],
    ['<a href="javascript:alert(1)">x</a>', 'a[href]'],
    ['<style>body{display:none}</style>', 'style'],
  ])('have nothing of %s', (text, selector) => {
    const { container } = render(<Description text={text} />);
    expect(container.querySelector(selector)).toBeNull();
    const attributes = [...container.querySelectorAll('*')].flatMap((element) => element.getAttributeNames());
    expect(attributes.filter((name) => name.startsWith('on'))).toEqual([]);
  });
});

describe.each(hosts)('the pages of operators $name', ({ cluster: clusterOf }) => {
  let api: FakeApi;
  let cluster: Cluster;
  beforeEach(() => {
    vi.useFakeTimers();
    api = new FakeApi();
    cluster = clusterOf(api);
    api.on(/selfsubjectaccessreviews/, { body: { status: { allowed: false } } });
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  // Answers come in promises, and are shown in batches: some rounds of both.
  const settle = async () => {
    for (let round = 0; round < 4; round += 1) await act(() => vi.advanceTimersByTimeAsync(60));
  };

  async function show(page: React.ReactNode, address = '/') {
    render(
      <MemoryRouter initialEntries={[address]}>
        <HostContext.Provider value={standaloneHost}>
          <ClusterContext.Provider value={cluster}>{page}</ClusterContext.Provider>
        </HostContext.Provider>
      </MemoryRouter>,
    );
    await settle();
  }
  const names = () => screen.getAllByTestId('steward-row').map((row) => within(row).getAllByRole('link')[0]?.textContent);

  it('list operators, sorted and filtered', async () => {
    api.on(/installedoperators\?/, listOf([operator('b', { status: { phase: 'Failed' } }), operator('a')]));
    await show(<OperatorsPage namespace="web" />);
    expect(names()).toEqual(['The a', 'The b']);
    expect(screen.getByTestId('steward-count').textContent).toBe('2 operators');
    fireEvent.click(screen.getByRole('button', { name: 'Name' }));
    expect(names()).toEqual(['The b', 'The a']);
    fireEvent.change(screen.getByLabelText('Find by name or API'), { target: { value: 'the a' } });
    expect(names()).toEqual(['The a']);
    expect(screen.getByTestId('steward-count').textContent).toBe('1 of 2');
  });

  it('take filters from the address', async () => {
    api.on(/installedoperators\?/, listOf([operator('b', { status: { phase: 'Failed' } }), operator('a')]));
    await show(<OperatorsPage namespace="web" />, '/?phase=Failed');
    expect(names()).toEqual(['The b']);
  });

  it('show what comes and goes', async () => {
    api.on(/installedoperators\?/, listOf([operator('a')]));
    await show(<OperatorsPage namespace="web" />);
    api.socket.open();
    api.socket.send('ADDED', operator('b'));
    await settle();
    expect(names()).toEqual(['The a', 'The b']);
  });

  it.each([
    [listOf([]), 'No operator works here'],
    [statusOf(403, 'Forbidden', 'tina may not'), 'You may not see this'],
    [statusOf(404, 'NotFound', 'no such'), 'Not found'],
    [statusOf(503, 'ServiceUnavailable', 'no endpoints'), 'Steward does not answer'],
  ])('say what else there is %#', async (answer, title) => {
    api.on(/installedoperators\?/, answer);
    await show(<OperatorsPage namespace="web" />);
    expect(screen.getByRole('heading', { name: title })).toBeTruthy();
  });

  it('say that they load', async () => {
    api.on(/installedoperators\?/, () => new Promise(() => {}));
    await show(<OperatorsPage namespace="web" />);
    expect(screen.getByTestId('steward-loading')).toBeTruthy();
  });

  it('have few of many rows in the document', async () => {
    api.on(/installedoperators\?/, listOf(Array.from({ length: 2_000 }, (_, index) => operator(`o${index}`))));
    await show(<OperatorsPage namespace="web" />);
    expect(screen.getByTestId('steward-count').textContent).toBe('2000 operators');
    expect(screen.queryAllByTestId('steward-row').length).toBeLessThan(100);
    expect(screen.getByRole('region', { name: 'Operators' }).tabIndex).toBe(0);
  });

  it('show one operator, and why it is here', async () => {
    api.on(/installedoperators\?/, listOf([operator('a', { spec: { description: '# What it does' } })]));
    await show(<OperatorPage namespace="web" name="a" cleanup={() => 'its cleanup'} />);
    expect(screen.getByRole('heading', { level: 1, name: 'The a' })).toBeTruthy();
    expect(screen.getByTestId('steward-why').textContent).toContain('installed in the project ops');
    expect(screen.getByRole('heading', { name: 'What it does' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Uninstall' }).getAttribute('aria-disabled')).toBe('true');
    expect(api.seen(/fieldSelector=metadata.name=a/)).not.toHaveLength(0);
  });

  it('open a tab by the address', async () => {
    api.on(/installedoperators\?/, listOf([operator('a')]));
    await show(<OperatorPage namespace="web" name="a" cleanup={(namespace, name) => `cleanup of ${namespace}/${name}`} />, '/?tab=cleanup');
    expect(screen.getByText('cleanup of ops/a')).toBeTruthy();
  });

  it('say that an operator is gone', async () => {
    api.on(/installedoperators\?/, listOf([operator('a')]));
    await show(<OperatorPage namespace="web" name="a" cleanup={() => null} />);
    api.socket.open();
    api.socket.send('DELETED', operator('a'));
    await settle();
    expect(screen.getByRole('heading', { name: 'This operator does not work here' })).toBeTruthy();
  });

  it('list instances of provided APIs', async () => {
    api.on(/installedoperators\?/, listOf([operator('a')]));
    api.on(/GET \/apis\/acme\.example\.com\/v1$/, { body: { resources: [{ name: 'lamps', kind: 'Lamp', namespaced: true }] } });
    api.on(/namespaces\/web\/lamps\?/, {
      body: { kind: 'Table', metadata: { resourceVersion: '3' }, columnDefinitions: [{ name: 'Name' }], rows: [{ cells: ['desk'], object: { metadata: { name: 'desk', uid: 'u' } } }] },
    });
    await show(<OperatorPage namespace="web" name="a" cleanup={() => null} />, '/?tab=resources');
    expect(screen.getByRole('link', { name: 'desk' }).getAttribute('href')).toBe('/objects/acme.example.com/v1/lamps/desk?namespace=web');
  });

  it.each([
    [{ body: { resources: [{ name: 'lamps', kind: 'Lamp', namespaced: false }] } }, 'These belong to no project: all of the cluster are listed.', /v1alpha1\/lamps|v1\/lamps\?/],
    [{ body: { resources: [] } }, 'The cluster does not serve this kind.', undefined],
    [statusOf(404, 'NotFound', 'no such group'), 'The cluster does not serve this kind.', undefined],
  ])('say of a kind how it is served %#', async (discovery, said, listed) => {
    api.on(/installedoperators\?/, listOf([operator('a')]));
    api.on(/GET \/apis\/acme\.example\.com\/v1$/, discovery);
    await show(<OperatorPage namespace="web" name="a" cleanup={() => null} />, '/?tab=resources');
    expect(screen.getByText(said)).toBeTruthy();
    expect(api.seen(/namespaces\/web\/lamps/)).toHaveLength(0);
    expect(api.seen(listed ?? /lamps/)).toHaveLength(listed === undefined ? 0 : 1);
  });
});
