import { describe, expect, it } from 'vitest';
import { ownedDefinition, withinTargets } from './agreement';
import { Memory } from './memory';
import { missingReads, placesOf, yamlOf } from './operands';
import { proofOf, protects, type Binding, type Policy } from './proof';
import { findRelated, othersInPlan, subscriptionNames, unfinishedPlanNames } from './related';
import { csvOf, operatorCluster, reference } from '../testing/operator';
import { accessesOf, courseFor } from './course';
import { ApiError } from '../kube/errors';

describe('what would install an operator again', () => {
  it.each([
    ['its installed operator', { status: { installedCSV: 'db.v1' } }, true],
    ['the one that comes next', { status: { installedCSV: 'db.v0', currentCSV: 'db.v1' } }, true],
    ['the first one, of a Subscription that has installed nothing', { spec: { startingCSV: 'db.v1' } }, true],
    ['the first one, of a Subscription that has moved on', { spec: { startingCSV: 'db.v1' }, status: { installedCSV: 'db.v2' } }, false],
    ['another one', { status: { installedCSV: 'db.v10' } }, false],
  ])('is a Subscription by %s', (_, subscription, names) => {
    expect(subscriptionNames({ metadata: {}, ...subscription }, 'db.v1')).toBe(names);
  });

  it.each([
    ['RequiresApproval', true],
    ['', true],
    ['Complete', false],
    ['Failed', false],
  ])('is an InstallPlan in phase "%s": %s', (phase, names) => {
    const plan = { metadata: {}, spec: { clusterServiceVersionNames: ['db.v1', 'x.v1'] }, status: { phase } };
    expect(unfinishedPlanNames(plan, 'db.v1')).toBe(names);
    expect(unfinishedPlanNames(plan, 'db.v2')).toBe(false);
    expect(othersInPlan(plan, 'db.v1')).toEqual(['x.v1']);
  });

  it('is nothing where OLM is not served', async () => {
    const fake = operatorCluster();
    fake.rule('GET', /(subscriptions|installplans)$/, new ApiError(404, 'NotFound', 'no such kind'));
    expect(await findRelated(fake.cluster, reference)).toEqual([]);
  });
});

describe('places of custom resources', () => {
  const definition = ownedDefinition('a.db.example.com', {
    metadata: { uid: 'u', labels: { 'olm.owner': 'x' } },
    spec: { group: 'db.example.com', names: { plural: 'a', kind: 'A' }, versions: [{ name: 'v1', served: true }, { name: 'v2', served: true, storage: true }, { name: 'v0' }] },
  });
  it('are the target namespaces; of cluster-scoped ones nowhere, unless the operator works everywhere', () => {
    expect(definition.versions).toEqual(['v2', 'v1']);
    expect(placesOf(definition, ['shop'])).toEqual(['shop']);
    expect(placesOf(definition, ['*'])).toEqual([undefined]);
    expect(placesOf({ ...definition, clusterScoped: true }, ['shop'])).toEqual([]);
  });
  it('are none of definitions that OLM did not install, that are reserved, or gone', () => {
    const of = (group: string, labels: Record<string, string>) => ownedDefinition(`a.${group}`, { metadata: { uid: 'u', labels }, spec: { group } });
    expect(of('db.example.com', {}).kept).toBe('NotInstalledByOLM');
    expect(of('x.k8s.io', { 'olm.managed': 'true' }).kept).toBe('ReservedGroup');
    expect(placesOf(ownedDefinition('a.b.c', undefined), ['*'])).toEqual([]);
  });
  it('are asked about before they are read', async () => {
    const fake = operatorCluster();
    fake.refusedAccess = new Set(['list a']);
    const agreed = { definitions: [definition], apis: {}, targets: ['shop'] };
    expect(await missingReads(fake.cluster, agreed)).toEqual([{ verb: 'list', group: 'db.example.com', resource: 'a', namespace: 'shop' }]);
  });
  it('that are agreed to may only become fewer', () => {
    const agreed = { definitions: [], apis: {}, targets: ['a', 'b'] };
    expect(withinTargets(agreed, ['a'])).toBe(true);
    expect(withinTargets(agreed, ['c'])).toBe(false);
    expect(withinTargets(agreed, ['*'])).toBe(false);
    expect(withinTargets({ ...agreed, targets: ['*'] }, ['*'])).toBe(true);
  });
});

it('what is saved has nothing that servers set', async () => {
  const yaml = await yamlOf([{ apiVersion: 'v1', kind: 'A', metadata: { name: 'x', uid: 'u', resourceVersion: '1', labels: { a: 'b' } } }, { kind: 'B', metadata: { name: 'y' } }]);
  expect(yaml).toContain('name: x');
  expect(yaml).toContain('a: b');
  expect(yaml).toContain('---\n');
  expect(yaml).not.toContain('uid');
});

describe('the proof of an opt-in', () => {
  const policy: Policy = {
    metadata: { uid: '5da50b33-e4a2-4e1c-b564-0df2bfeaf71a' },
    spec: {
      failurePolicy: 'Fail',
      validations: [{}],
      matchConstraints: { resourceRules: [{ apiGroups: ['operators.coreos.com'], apiVersions: ['v1alpha1'], operations: ['CREATE', 'UPDATE'], resources: ['clusterserviceversions'] }] },
    },
  };
  const binding: Binding = { metadata: { uid: 'b', resourceVersion: '7' }, spec: { policyName: 'steward-cleanup-opt-in', validationActions: ['Deny'] } };

  it('is a UUID of version 5 of both', async () => {
    expect(await proofOf(policy, binding)).toBe('57aaa919-4146-516e-9d57-af5675581c71');
    expect(await proofOf(policy, { ...binding, metadata: { uid: 'b', resourceVersion: '8' } })).not.toBe(await proofOf(policy, binding));
  });

  it.each([
    ['a policy that fails open', { ...policy, spec: { ...policy.spec, failurePolicy: 'Ignore' } }, binding],
    ['a policy without rules', { ...policy, spec: { ...policy.spec, validations: [] } }, binding],
    ['a policy that is narrowed', { ...policy, spec: { ...policy.spec, matchConstraints: { ...policy.spec?.matchConstraints, objectSelector: { matchLabels: {} } } } }, binding],
    ['a binding that only warns', policy, { ...binding, spec: { ...binding.spec, validationActions: ['Warn'] } }],
    ['a binding of some namespaces', policy, { ...binding, spec: { ...binding.spec, matchResources: { namespaceSelector: {} } } }],
    ['a binding that is going', policy, { ...binding, metadata: { ...binding.metadata, deletionTimestamp: 'now' } }],
  ])('is none of %s', async (_, each, by) => {
    expect(protects(each, by)).toBe(false);
    expect(await proofOf(each, by)).toBe('');
  });
});

describe('the rights of a course', () => {
  const rights = (wish: 'asItIs' | 'delete' | 'keep', traits: Parameters<typeof csvOf>[0] = {}) => {
    const csv = csvOf(traits);
    return accessesOf(courseFor(wish, csv), csv, []).map((each) => `${each.verb} ${each.resource}${each.namespace ? ' here' : ''}`);
  };
  it('are those of the plugin', () => {
    const optedIn = { finalizers: ['operatorframework.io/delete-custom-resources'] };
    expect(rights('asItIs')).toEqual(['delete clusterserviceversions here']);
    expect(rights('delete')).toEqual([
      'delete clusterserviceversions here',
      'patch clusterserviceversions here',
      'create cleanupstatuses/optin',
      'create cleanupstatuses/uninstall',
    ]);
    expect(rights('asItIs', optedIn)).toEqual(['delete clusterserviceversions here', 'create cleanupstatuses/uninstall']);
    expect(rights('keep', optedIn)).toEqual(['delete clusterserviceversions here', 'patch clusterserviceversions here']);
  });
});

it('a tab that cannot remember goes on without', () => {
  const broken = {
    getItem: () => '{',
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => {
      throw new Error('forbidden');
    },
  };
  const memory = new Memory(reference, broken);
  expect(memory.read()).toBeUndefined();
  memory.write({ uid: 'u', wish: 'keep', optedIn: false, deletesOperands: false, agreed: { definitions: [], apis: {}, targets: [] } });
});
