// The uninstallation of an operator, in the steps and with the guards of `kubectl steward uninstall`. Every step looks at
// what is there, so that one that was left in the middle goes on. No React.
import { CLEANUP_FINALIZER, HOLD_FINALIZER, cleansUp, hasOptIn, isDeleting, optInPatch, saidCondition } from '../cleanup/csv';
import type { CleanupStatus, ClusterServiceVersion } from '../cleanup/types';
import { changeCsv, optOut, readCsv, Replaced, TRIES, type CsvReference } from '../cleanup/write';
import type { Cluster } from '../kube/cluster';
import { ApiError, asApiError } from '../kube/errors';
import { cleanupStatuses, clusterServiceVersions } from '../kube/models';
import type { KubeObject, Model } from '../kube/types';
import { changedDefinitions, newlyOwned, ownedApis, ownedDefinitions, readDefinitions, readTargets, withinTargets, type Agreement } from './agreement';
import { blockersOf, courseFor, Refusal, type Course, type Wish } from './course';
import { readOptInProof } from './proof';
import { deleteRelated, findRelated, isKept, type Related } from './related';

const PAUSE_MS = 200;
const LOOK_EVERY_MS = 1_000;

export type Stage = 'optIn' | 'optOut' | 'waitUntilReady' | 'deleteRelated' | 'delete' | 'deleted';

// What an uninstallation says of itself.
export interface News {
  stage: Stage;
  trouble?: string; // why it waits, when nobody answers
  related?: Related; // that was deleted just now
  unconfirmed?: boolean; // the controllers have to confirm the opt-in
}

export interface Setting {
  cluster: Cluster;
  pause: (ms: number) => Promise<void>; // rejects when the user has left
  tell: (news: News) => void;
  // Remembers, until the tab is closed, that this opt-in is of this uninstallation, which takes it back if it is refused.
  optedIn: (yes: boolean) => void;
}

// What the user is shown and agrees to.
export interface Plan {
  reference: CsvReference;
  csv: ClusterServiceVersion;
  wish: Wish;
  course: Course;
  agreed: Agreement;
  related: Related[];
  ownOptIn: boolean; // this page opted in, before it was loaded anew
}

function uidOf(plan: Plan): string {
  return plan.csv.metadata.uid ?? '';
}

async function readStatus(cluster: Cluster, { namespace, name }: CsvReference): Promise<CleanupStatus> {
  return cluster.get<CleanupStatus>(cleanupStatuses, namespace, name);
}

// Reads everything. Throws a Refusal where the wish cannot be met.
export async function makePlan(cluster: Cluster, reference: CsvReference, wish: Wish, ownOptIn = false): Promise<Plan> {
  const csv = await readCsv(cluster, reference);
  const course = courseFor(wish, csv);
  const related = await findRelated(cluster, reference);
  const agreed: Agreement = { definitions: [], apis: ownedApis(csv), targets: [] };
  if (course.deletesOperands) {
    const { status = {} } = await readStatus(cluster, reference);
    const blockers = isDeleting(csv) ? [] : blockersOf(status, course);
    if (blockers.length > 0) throw new Refusal('blocked', '', blockers);
    agreed.targets = await readTargets(cluster, status, reference.namespace);
    agreed.definitions = await readDefinitions(cluster, ownedDefinitions(csv));
  }
  return { reference, csv, wish, course, agreed, related, ownOptIn };
}

// Tries all writes that are to come by a dry run. Throws a Refusal where the cluster would not let the user.
export async function tryWrites(cluster: Cluster, plan: Plan): Promise<void> {
  if (plan.course.optIn || plan.course.optOut) {
    const proof = plan.course.optIn ? await readOptInProof(cluster) : '';
    await writeOptIn(cluster, plan, proof, true);
  }
  for (const each of plan.related) {
    if (!isKept(each)) await forbiddenAs('relatedForbidden', () => deleteRelated(cluster, each, { dryRun: true }));
  }
  if (!isDeleting(plan.csv)) await tryDelete(cluster, plan.csv);
}

async function forbiddenAs<T>(reason: 'optInForbidden' | 'deleteForbidden' | 'relatedForbidden', act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.forbidden) throw new Refusal(reason, thrown.message);
    throw thrown;
  }
}

async function replacedAsRefusal<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof Replaced) throw new Refusal('replaced');
    throw thrown;
  }
}

async function deleteCsv(cluster: Cluster, csv: ClusterServiceVersion, dryRun: boolean): Promise<void> {
  const { namespace, name = '', uid = '', resourceVersion } = csv.metadata;
  if (uid === '') throw new ApiError(0, '', 'an object without a UID is never deleted');
  await cluster.delete(clusterServiceVersions, namespace, name, { uid, resourceVersion, propagationPolicy: 'Background', dryRun });
}

async function tryDelete(cluster: Cluster, csv: ClusterServiceVersion): Promise<void> {
  try {
    await forbiddenAs('deleteForbidden', () => deleteCsv(cluster, csv, true));
  } catch (thrown) {
    // Another client writes the object at this moment; the deletion itself will find out.
    if (!(thrown instanceof ApiError) || !thrown.conflict) throw thrown;
  }
}

function checkOwned(plan: Plan, csv: ClusterServiceVersion): void {
  const added = newlyOwned(plan.agreed, csv);
  if (added.length > 0) throw new Refusal('moreOwned', added.join(', '));
}

// `adds` hears before each write whether that is what opts in.
async function writeOptIn(cluster: Cluster, plan: Plan, proof: string, dryRun: boolean, adds: (yes: boolean) => void = () => {}): Promise<void> {
  const act = plan.course.optIn
    ? () =>
        changeCsv(
          cluster,
          plan.reference,
          uidOf(plan),
          (csv) => {
            if (isDeleting(csv)) throw new Refusal('deletingWithoutCleanup');
            checkOwned(plan, csv);
            adds(!hasOptIn(csv));
            return optInPatch(csv, proof);
          },
          { dryRun },
        )
    : () => optOut(cluster, plan.reference, uidOf(plan), { dryRun });
  await replacedAsRefusal(() => forbiddenAs('optInForbidden', act));
}

// One uninstallation that the user has agreed to.
export class Uninstallation {
  private optedInHere: boolean;

  constructor(
    private readonly setting: Setting,
    private readonly plan: Plan,
  ) {
    this.optedInHere = plan.ownOptIn && plan.course.deletesOperands;
  }

  // Ends when the cluster has accepted the deletion. Throws Refusals and ApiErrors; after either it can be run again.
  async run(): Promise<void> {
    const { setting, plan } = this;
    if (!isDeleting(plan.csv)) {
      await this.changeOptIn();
      if (plan.course.deletesOperands) await this.waitUntilReady();
      if (this.optedInHere) await this.takingBackIfRefused(() => this.tryDeleteOptedIn());
    }
    await this.deleteAllRelated();
    if (!isDeleting(plan.csv)) await this.deleteIt();
    setting.optedIn(false);
    setting.tell({ stage: 'deleted' });
  }

  private async changeOptIn(): Promise<void> {
    const { cluster, tell, optedIn } = this.setting;
    const { course, agreed, reference } = this.plan;
    if (!course.optIn && !course.optOut) return;
    tell({ stage: course.optIn ? 'optIn' : 'optOut' });
    let proof = '';
    if (course.optIn) {
      // What the write itself does not show.
      const { status = {} } = await readStatus(cluster, reference);
      if (!withinTargets(agreed, await readTargets(cluster, status, reference.namespace))) throw new Refusal('moreTargets');
      await this.checkDefinitions();
      proof = await readOptInProof(cluster);
    }
    // Remembered before it is written: an answer may be lost. What somebody else did meanwhile is theirs.
    const adds = (yes: boolean) => {
      optedIn(yes);
      this.optedInHere = yes;
    };
    await this.takingBackIfRefused(() => writeOptIn(cluster, this.plan, proof, false, adds));
  }

  private async checkDefinitions(): Promise<void> {
    const changed = await changedDefinitions(this.setting.cluster, this.plan.agreed);
    if (changed.length > 0) throw new Refusal('otherDefinitions', changed.join(', '));
  }

  // An earlier opt-in was somebody's decision, and stays.
  private async takingBackIfRefused<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (thrown) {
      if (thrown instanceof Refusal) await this.takeBack(thrown);
      throw thrown;
    }
  }

  private async takeBack(refusal: Refusal): Promise<void> {
    if (!this.optedInHere || refusal.reason === 'replaced') return;
    try {
      await optOut(this.setting.cluster, this.plan.reference, uidOf(this.plan));
    } catch (thrown) {
      if (!asApiError(thrown).missing && !(thrown instanceof Replaced)) throw new TakeBackFailed(refusal, asApiError(thrown));
    }
    this.optedInHere = false;
    this.setting.optedIn(false);
  }

  private async waitUntilReady(): Promise<void> {
    const { pause, tell } = this.setting;
    tell({ stage: 'waitUntilReady' });
    await this.takingBackIfRefused(async () => {
      for (;;) {
        try {
          if (await this.lookOnce()) return;
        } catch (thrown) {
          if (!(thrown instanceof ApiError) || !thrown.unavailable) throw thrown;
          tell({ stage: 'waitUntilReady', trouble: thrown.message });
        }
        await pause(LOOK_EVERY_MS);
      }
    });
  }

  private async lookOnce(): Promise<boolean> {
    const csv = await readCsv(this.setting.cluster, this.plan.reference);
    // The next step finds this out, and decides.
    if (csv.metadata.uid !== uidOf(this.plan) || isDeleting(csv)) return true;
    if (!hasOptIn(csv)) throw new Refusal('calledOff');
    return this.isReady(csv);
  }

  // Throws a Refusal where Steward says no.
  private async isReady(csv: ClusterServiceVersion): Promise<boolean> {
    const { cluster, tell } = this.setting;
    checkOwned(this.plan, csv);
    const { status = {} } = await readStatus(cluster, this.plan.reference);
    if (status.phase === 'Refused') throw new Refusal('blocked', '', status.blockers ?? []);
    if (status.phase === 'Unknown') throw new Refusal('undecided', '', status.blockers ?? []);
    // The caches of the API server may lag a moment behind.
    if (!status.optedIn || status.phase !== 'Ready') return false;
    if (!withinTargets(this.plan.agreed, status.targetNamespaces ?? [])) throw new Refusal('moreTargets');
    const unconfirmed = saidCondition(csv, 'OptInUnconfirmed') !== undefined;
    tell({ stage: 'waitUntilReady', unconfirmed });
    if (unconfirmed || saidCondition(csv, 'RightsHeld') === undefined) return false;
    if (!(await rightsAreHeld(cluster, this.plan.reference))) return false;
    await this.checkDefinitions();
    return true;
  }

  // Who may opt in may still not be allowed to uninstall what is opted in, which can only be tried now.
  private async tryDeleteOptedIn(): Promise<void> {
    const csv = await readCsv(this.setting.cluster, this.plan.reference);
    if (csv.metadata.uid !== uidOf(this.plan)) throw new Refusal('replaced');
    if (!isDeleting(csv)) await tryDelete(this.setting.cluster, csv);
  }

  private async deleteAllRelated(): Promise<void> {
    const { cluster, tell } = this.setting;
    tell({ stage: 'deleteRelated' });
    // Some may be newer than what was shown; OLM would install the operator again by those, too.
    for (const related of await findRelated(cluster, this.plan.reference)) {
      if (isKept(related)) continue;
      await forbiddenAs('relatedForbidden', () => deleteRelated(cluster, related));
      tell({ stage: 'deleteRelated', related });
    }
  }

  private async deleteIt(): Promise<void> {
    const { pause, tell } = this.setting;
    tell({ stage: 'delete' });
    for (let attempt = 1; ; ++attempt) {
      try {
        if (await this.takingBackIfRefused(() => this.deleteOnce())) return;
        if (attempt >= TRIES) throw new ApiError(409, 'Conflict', "Steward's controllers do not hold the operator's rights");
      } catch (thrown) {
        if (!(thrown instanceof ApiError)) throw thrown;
        if (thrown.missing && (await this.isGone())) return;
        // It changed between the look and the deletion; the next look reads its new state.
        if (!thrown.conflict || attempt >= TRIES) throw thrown;
      }
      await pause(PAUSE_MS);
    }
  }

  private async isGone(): Promise<boolean> {
    try {
      await readCsv(this.setting.cluster, this.plan.reference);
      return false;
    } catch (thrown) {
      return asApiError(thrown).missing;
    }
  }

  // False: the controllers do not hold the rights at this moment.
  private async deleteOnce(): Promise<boolean> {
    const { cluster } = this.setting;
    const { course } = this.plan;
    const now = await readCsv(cluster, this.plan.reference);
    if (now.metadata.uid !== uidOf(this.plan)) throw new Refusal('replaced');
    if (isDeleting(now)) return true;
    if (cleansUp(now) !== course.deletesOperands) throw new Refusal(cleansUp(now) ? 'optedInMeanwhile' : 'calledOff');
    if (course.deletesOperands && !(await this.isReady(now))) return false;
    await forbiddenAs('deleteForbidden', () => deleteCsv(cluster, now, false));
    return true;
  }
}

// It was refused, and the opt-in that was added for it is still there.
export class TakeBackFailed extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly error: ApiError,
  ) {
    super(`${refusal.message}; the finalizer ${CLEANUP_FINALIZER} could not be taken back: ${error.message}`);
    this.name = 'TakeBackFailed';
  }
}

const rbac = (kind: string, plural: string): Model => ({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced: false });
const webhooks = (kind: string, plural: string): Model => ({ group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false });
const held = [
  rbac('ClusterRole', 'clusterroles'),
  rbac('ClusterRoleBinding', 'clusterrolebindings'),
  webhooks('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  webhooks('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
];
const LONGEST_LABEL = 63;

// True if all of the operator's cluster-wide rights and webhooks that the user may see are held.
async function rightsAreHeld(cluster: Cluster, { namespace, name }: CsvReference): Promise<boolean> {
  // No object can name such an owner.
  if (name.length > LONGEST_LABEL) return true;
  const labelSelector = `olm.owner=${name},olm.owner.namespace=${namespace},olm.owner.kind=ClusterServiceVersion`;
  for (const model of held) {
    let objects: KubeObject[];
    try {
      objects = await cluster.listAll(model, undefined, { labelSelector });
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.forbidden || error.missing) continue;
      throw thrown;
    }
    if (objects.some((object) => !(object.metadata.finalizers ?? []).includes(HOLD_FINALIZER))) return false;
  }
  return true;
}
