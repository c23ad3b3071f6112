// The operators of a namespace, or of all: what `kubectl get installedoperators` shows, as it changes.
import { Label, PageSection, SearchInput, Title, Toolbar, ToolbarContent, ToolbarItem } from '@patternfly/react-core';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useHost } from '../host';
import { useWatch } from '../kube/hooks';
import { installedOperators } from '../kube/models';
import { Chooser } from '../shared/Chooser';
import { DataTable, type Column, type Sorting } from '../shared/DataTable';
import { useText } from '../shared/i18n';
import { Loading, LostConnection, Nothing, Problem } from '../shared/problems';
import { When } from '../shared/When';
import { OperatorIcon } from './Icon';
import { choices, compareText, compareVersions, matches, operatorRow, operatorRowOfAll, phaseColor } from './rows';
import type { OperatorRow } from './types';

export function OperatorsPage({ namespace }: { namespace?: string }) {
  const t = useText();
  const host = useHost();
  const watched = useWatch(useMemo(() => ({ model: installedOperators, namespace }), [namespace]), namespace === undefined ? operatorRowOfAll : operatorRow);
  const [parameters, setParameters] = useSearchParams();
  const [sorting, setSorting] = useState<Sorting>({ by: 'name', descending: false });
  const columns = useColumns(namespace === undefined);

  const all = useMemo(() => [...watched.items.values()], [watched.items]);
  const [text, setText] = useState(parameters.get('name') ?? '');
  const phases = parameters.getAll('phase');
  const modes = parameters.getAll('mode');
  // The Table of all does not say what they provide.
  const findBy = namespace === undefined ? t('Find by name') : t('Find by name or API');
  const filtered = text !== '' || phases.length > 0 || modes.length > 0;
  const rows = useMemo(
    () => all.filter((row) => matches(row, { text, phases: parameters.getAll('phase'), modes: parameters.getAll('mode') })),
    [all, text, parameters],
  );

  // The field holds what is typed: the address follows, and may be late.
  const find = (value: string) => {
    setText(value);
    set('name', [value]);
  };
  const set = (key: string, values: string[]) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete(key);
        values.filter((value) => value !== '').forEach((value) => after.append(key, value));
        return after;
      },
      { replace: true },
    );

  return (
    <>
      <host.Title>{t('Operators of this project')}</host.Title>
      <PageSection className="steward-stack">
        <Title headingLevel="h1">{namespace === undefined ? t('Operators of all projects') : t('Operators of this project')}</Title>
        <p className="steward-faint">{t('All operators that work in a project, wherever they are installed.')}</p>
      </PageSection>
      <PageSection className="steward-stack" isFilled aria-busy={!watched.loaded && !watched.error}>
        <LostConnection lostAt={watched.loaded ? watched.lostAt : undefined} error={watched.error} retry={watched.retry} />
        <Toolbar clearAllFilters={() => {
            setText('');
            setParameters({}, { replace: true });
          }}>
          <ToolbarContent>
            <ToolbarItem>
              <SearchInput
                aria-label={findBy}
                placeholder={findBy}
                value={text}
                onChange={(_event, value) => find(value)}
                onClear={() => find('')}
              />
            </ToolbarItem>
            <ToolbarItem>
              <Chooser label={t('Phase')} values={choices(all, 'phase')} chosen={phases} onChange={(chosen) => set('phase', chosen)} />
            </ToolbarItem>
            <ToolbarItem>
              <Chooser label={t('Mode')} values={choices(all, 'mode')} chosen={modes} onChange={(chosen) => set('mode', chosen)} />
            </ToolbarItem>
            <ToolbarItem alignSelf="center">
              <span role="status" data-test="steward-count">
                {filtered ? t('{{shown}} of {{all}}', { shown: rows.length, all: all.length }) : t('{{count}} operators', { count: all.length })}
              </span>
            </ToolbarItem>
          </ToolbarContent>
        </Toolbar>
        {content()}
      </PageSection>
    </>
  );

  function content() {
    if (!watched.loaded && watched.error) return <Problem error={watched.error} what={t('operators')} retry={watched.retry} />;
    if (!watched.loaded && all.length === 0) return <Loading what={t('operators')} />;
    if (all.length === 0) {
      return (
        <Nothing title={t('No operator works here')}>
          {t('An operator appears here when its OperatorGroup targets this project, also one that is installed elsewhere.')}
        </Nothing>
      );
    }
    if (rows.length === 0) return <Nothing title={t('No operator matches')}>{t('Take a filter away to see more.')}</Nothing>;
    return <DataTable label={t('Operators')} columns={columns} rows={rows} rowKey={(row) => row.key} sorting={sorting} onSort={setSorting} />;
  }
}

function useColumns(ofAll: boolean): Column<OperatorRow>[] {
  const t = useText();
  const host = useHost();
  return useMemo(() => {
    const columns: Column<OperatorRow>[] = [
      {
        id: 'name',
        title: t('Name'),
        width: 20,
        compare: (a, b) => compareText(a.displayName.toLowerCase(), b.displayName.toLowerCase()) || compareText(a.key, b.key),
        cell: (row) => (
          <div className="steward-name">
            <OperatorIcon
              namespace={row.namespace}
              name={row.name}
              installNamespace={row.installNamespace}
              version={row.version}
              displayName={row.displayName}
              none={row.hasIcon === false}
            />
            <span>
              <Link to={host.operator(row.namespace, row.name)}>{row.displayName}</Link>
              <br />
              <span className="steward-faint">{row.name}</span>
            </span>
          </div>
        ),
      },
      { id: 'version', title: t('Version'), compare: (a, b) => compareVersions(a.version, b.version), cell: (row) => row.version },
      {
        id: 'phase',
        title: t('Phase'),
        compare: (a, b) => compareText(a.phase, b.phase),
        cell: (row) => (
          <Label isCompact color={phaseColor(row.phase)}>
            {row.phase || t('Unknown')}
          </Label>
        ),
      },
      {
        id: 'installed',
        title: t('Installed in'),
        width: 15,
        compare: (a, b) => compareText(a.installNamespace, b.installNamespace),
        cell: (row) => <NamespaceLink name={row.installNamespace} />,
      },
      { id: 'mode', title: t('Mode'), width: 15, compare: (a, b) => compareText(a.mode, b.mode), cell: (row) => row.mode },
      ...(ofAll ? [] : [{ id: 'provides', title: t('Provided APIs'), width: 15 as const, cell: (row: OperatorRow) => row.provides }]),
      { id: 'created', title: t('Created'), compare: (a, b) => compareText(a.created, b.created), cell: (row) => <When timestamp={row.created} /> },
    ];
    if (ofAll) {
      columns.splice(1, 0, {
        id: 'namespace',
        title: t('Project'),
        compare: (a, b) => compareText(a.namespace, b.namespace),
        cell: (row) => <NamespaceLink name={row.namespace} />,
      });
    }
    return columns;
  }, [ofAll, host, t]);
}

export function NamespaceLink({ name }: { name: string }) {
  const host = useHost();
  const address = host.namespace(name);
  return address ? <Link to={address}>{name}</Link> : <>{name}</>;
}
