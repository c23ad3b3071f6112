import { describe, expect, it } from 'vitest';
import { MOST_BYTES, parseManifests } from './manifests';
import { addressOf, questionOf, specOf } from './question';
import { countOutcomes, deletedOperands, groupSteps, valueText } from './steps';
import type { Step } from './types';

const step = (index: number, outcome: string, kind: string, namespace?: string, group = 'db.example.com'): Step => ({ index, outcome, kind, namespace, name: `n${index}`, group });

describe('steps', () => {
  const steps = [
    step(1, 'Delete', 'ClusterServiceVersion', 'ops', 'operators.coreos.com'),
    step(2, 'Delete', 'Cluster', 'shop'),
    step(3, 'Delete', 'Cluster', 'shop'),
    step(4, 'Keep', 'Cluster', 'blue'),
    step(5, 'Fail', 'Cluster', 'shop'),
    step(6, 'Delete', 'Cluster', 'shop', 'other.example.com'),
    step(7, 'Keep', 'CustomResourceDefinition'),
  ];
  it('are grouped by what becomes of them, kind and namespace, what needs attention first', () => {
    const groups = groupSteps(steps).map((each) => [each.outcome, each.kind, each.namespace, each.steps.length]);
    expect(groups).toEqual([
      ['Fail', 'Cluster', 'shop', 1],
      ['Delete', 'Cluster', 'shop', 2],
      ['Delete', 'Cluster', 'shop', 1],
      ['Delete', 'ClusterServiceVersion', 'ops', 1],
      ['Keep', 'Cluster', 'blue', 1],
      ['Keep', 'CustomResourceDefinition', '', 1],
    ]);
  });
  it('are counted', () => {
    expect(countOutcomes(steps)).toEqual([
      ['Fail', 1],
      ['Delete', 4],
      ['Keep', 2],
    ]);
    expect(deletedOperands(steps).length).toBe(3);
  });
  it('show long values cut', () => {
    expect(valueText('a'.repeat(9000)).length).toBe(2001);
    expect(valueText({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(valueText(undefined)).toBe('');
  });
});

describe('manifests', () => {
  const of = (text: string) => parseManifests(text);
  it('are the documents of YAML; Lists stand for their items', async () => {
    const found = await of('apiVersion: v1\nkind: A\nwhen: 2026-01-01\n---\n# nothing\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: B}\n- {apiVersion: v1, kind: C}\n');
    expect(found).toEqual({
      objects: [
        { apiVersion: 'v1', kind: 'A', when: '2026-01-01' },
        { apiVersion: 'v1', kind: 'B' },
        { apiVersion: 'v1', kind: 'C' },
      ],
    });
  });
  it.each([
    ['empty', '# a comment', { kind: 'empty' }],
    ['no object', 'apiVersion: v1\nkind: A\n---\n- a', { kind: 'noObject', document: 2 }],
    ['no kind', 'apiVersion: v1', { kind: 'noObject', document: 1 }],
    ['more than 3 MiB', `apiVersion: v1\nkind: ${'a'.repeat(MOST_BYTES)}`, { kind: 'tooLarge' }],
    ['more than 1,000', 'apiVersion: v1\nkind: A\n---\n'.repeat(1001), { kind: 'tooMany', count: 1001 }],
    ['nested too deeply', `apiVersion: v1\nkind: A\nx: ${'['.repeat(300)}${']'.repeat(300)}`, { kind: 'tooDeep' }],
  ])('are refused where they are %s', async (_, text, problem) => {
    expect(await of(text)).toEqual({ problem });
  });
  it('are refused where a small text stands for a huge value', async () => {
    const lines = ['apiVersion: v1', 'kind: A', 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; ++i) lines.push(`a${i}: &a${i} [${Array(10).fill(`*a${i - 1}`).join(', ')}]`);
    expect(await of(lines.join('\n'))).toEqual({ problem: { kind: 'tooLarge' } });
  });
  it('are refused where they are no YAML, and run nothing', async () => {
    expect(await of('a: [')).toMatchObject({ problem: { kind: 'notYaml' } });
    expect(await of('apiVersion: v1\nkind: !!js/function "function(){}"')).toMatchObject({ problem: { kind: 'notYaml' } });
    expect(await of('apiVersion: v1\napiVersion: v2\nkind: A')).toMatchObject({ problem: { kind: 'notYaml' } });
  });
});

describe('a question', () => {
  it.each([
    ['subject=installPlan&name=p', { installPlan: { name: 'p' } }],
    ['subject=uninstall&name=c', { uninstall: { clusterServiceVersion: 'c' } }],
    ['subject=uninstall&name=c&cleanup=true', { uninstall: { clusterServiceVersion: 'c', cleanup: true } }],
    ['subject=uninstall&name=c&cleanup=false', { uninstall: { clusterServiceVersion: 'c', cleanup: false } }],
    ['subject=copiedCSVs&enabled=true', { copiedCSVs: { enabled: true } }],
    ['subject=installPlan&name=', undefined],
    ['subject=bundle', undefined],
  ])('is its address: %s', (address, spec) => {
    const question = questionOf(new URLSearchParams(address));
    expect(specOf(question)).toEqual(spec);
    expect(addressOf(question)).toBe(address);
  });
  it('of an unknown subject is one of an InstallPlan', () => {
    expect(questionOf(new URLSearchParams('subject=evil')).subject).toBe('installPlan');
  });
});
