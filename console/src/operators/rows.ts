// Rows of InstalledOperators, of Tables and of whole objects. Pure functions.
import type { Form } from '../kube/informer';
import type { KubeObject } from '../kube/types';
import type { InstalledOperator, OperatorRow } from './types';

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// What a list says that it does not know, as kubectl prints it.
function known(value: unknown): string {
  const said = text(value);
  return said === '<none>' ? '' : said;
}

function providedKinds(operator: InstalledOperator): string {
  const definitions = operator.spec?.customresourcedefinitions?.owned ?? [];
  const services = operator.spec?.apiservicedefinitions?.owned ?? [];
  return [...definitions, ...services].map((api) => api.kind).join(', ');
}

// For the operators of one namespace.
export const operatorRow: Form<OperatorRow> = { fromObject: rowOf };

// For those of all: read as a Table, which does not say what they provide.
export const operatorRowOfAll: Form<OperatorRow> = {
  fromObject: rowOf,
  fromRow(cell, { metadata }) {
    return {
      key: metadata.uid ?? `${metadata.namespace}/${metadata.name}`,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      displayName: known(cell('Display')) || metadata.name || '',
      version: known(cell('Version')),
      phase: known(cell('Phase')),
      installNamespace: known(cell('Install Namespace')),
      mode: known(cell('Mode')),
      provides: '',
      created: metadata.creationTimestamp ?? '',
    };
  },
};

function rowOf(object: KubeObject): OperatorRow {
  const operator = object as InstalledOperator;
  const { metadata, spec, status, scope } = operator;
  return {
    key: metadata.uid ?? `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    displayName: spec?.displayName || metadata.name || '',
    version: spec?.version ?? '',
    phase: status?.phase ?? '',
    installNamespace: scope?.installNamespace ?? '',
    mode: scope?.installMode ?? '',
    provides: providedKinds(operator),
    hasIcon: (spec?.icon?.length ?? 0) > 0,
    created: metadata.creationTimestamp ?? '',
  };
}

export interface RowFilter {
  text: string;
  phases: string[]; // none: all
  modes: string[];
}

export function matches(row: OperatorRow, filter: RowFilter): boolean {
  const wanted = filter.text.trim().toLowerCase();
  const named =
    wanted === '' || row.displayName.toLowerCase().includes(wanted) || row.name.toLowerCase().includes(wanted) || row.provides.toLowerCase().includes(wanted);
  return named && (filter.phases.length === 0 || filter.phases.includes(row.phase)) && (filter.modes.length === 0 || filter.modes.includes(row.mode));
}

// The different values of a field, sorted.
export function choices(rows: Iterable<OperatorRow>, field: 'phase' | 'mode'): string[] {
  const found = new Set<string>();
  for (const row of rows) if (row[field] !== '') found.add(row[field]);
  return [...found].sort();
}

const phases: Record<string, 'green' | 'red' | 'orange' | 'blue' | 'grey'> = {
  Succeeded: 'green',
  Failed: 'red',
  Pending: 'orange',
  Unknown: 'orange',
  InstallReady: 'blue',
  Installing: 'blue',
  Replacing: 'blue',
  Deleting: 'grey',
};

export function phaseColor(phase: string): 'green' | 'red' | 'orange' | 'blue' | 'grey' {
  return phases[phase] ?? 'grey';
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const byNumbers = new Intl.Collator('en', { numeric: true });

// Versions as people order them: numbers by their value.
export function compareVersions(a: string, b: string): number {
  return byNumbers.compare(a, b);
}
