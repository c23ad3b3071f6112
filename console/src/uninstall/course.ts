// What follows from the user's wish, and what is refused. Pure functions.
import { cleansUp, hasOptIn, isDeleting, mayBeCopy, originalNamespace, supportsCleanup } from '../cleanup/csv';
import type { Blocker, CleanupOutlook, ClusterServiceVersion } from '../cleanup/types';
import type { Access } from '../kube/cluster';
import { clusterServiceVersions, installPlans, subscriptions } from '../kube/models';
import { isKept, type Related } from './related';

export type Wish =
  | 'asItIs' // as the ClusterServiceVersion says
  | 'delete' // its custom resources go, too
  | 'keep'; // they stay

// The changes of the opt-in that follow from the wish.
export interface Course {
  deletesOperands: boolean;
  optIn: boolean; // the finalizer must be added
  optOut: boolean; // it must be removed
}

export type RefusalReason =
  | 'copy' // it is a copy; the detail is the original's namespace
  | 'notSupported' // its author does not say that it cleans up
  | 'deletingWithoutCleanup' // nobody can opt in any more
  | 'deletingWithCleanup' // only an abort stops that
  | 'blocked' // something stands against the cleanup
  | 'undecided' // Steward cannot tell whether to clean up
  | 'optInForbidden'
  | 'deleteForbidden'
  | 'relatedForbidden'
  | 'moreOwned' // it owns more than was shown
  | 'moreTargets' // it works in more namespaces than was shown
  | 'otherDefinitions' // a definition is another one than was shown
  | 'replaced' // it is another object than was looked at
  | 'optedInMeanwhile'
  | 'calledOff'; // the cleanup, meanwhile

// Nothing was deleted for this reason.
export class Refusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    readonly detail = '', // names, or the cluster's own words
    readonly blockers: Blocker[] = [],
  ) {
    super(detail ? `${reason}: ${detail}` : reason);
    this.name = 'Refusal';
  }
}

// Throws a Refusal.
export function courseFor(wish: Wish, csv: ClusterServiceVersion): Course {
  if (mayBeCopy(csv)) throw new Refusal('copy', originalNamespace(csv));
  const optedIn = hasOptIn(csv);
  if (wish === 'delete' && !supportsCleanup(csv)) throw new Refusal('notSupported');
  if (isDeleting(csv)) {
    if (wish === 'delete' && !optedIn) throw new Refusal('deletingWithoutCleanup');
    if (wish === 'keep' && cleansUp(csv)) throw new Refusal('deletingWithCleanup');
    return { deletesOperands: cleansUp(csv), optIn: false, optOut: false };
  }
  const optOut = wish === 'keep' && optedIn;
  const optIn = wish === 'delete' && !optedIn;
  return { deletesOperands: optIn || (cleansUp(csv) && !optOut), optIn, optOut };
}

// What stands against deleting custom resources, but for the two words, the author's and the administrator's, which
// the ClusterServiceVersion shows sooner. None where they are kept.
export function blockersOf(outlook: CleanupOutlook, course: Course): Blocker[] {
  if (!course.deletesOperands) return [];
  return (outlook.blockers ?? []).filter(({ reason }) => reason !== 'NotOptedIn' && reason !== 'NotSupported');
}

const VIEWS = 'views.operators.coreos.com';

// The rights that a course takes, as far as they can be asked for.
export function accessesOf(course: Course, csv: ClusterServiceVersion, related: Related[]): Access[] {
  const { namespace, name } = csv.metadata;
  const { group, plural } = clusterServiceVersions;
  const accesses: Access[] = [{ verb: 'delete', group, resource: plural, namespace, name }];
  if (course.optIn || course.optOut) accesses.push({ verb: 'patch', group, resource: plural, namespace, name });
  // In the whole cluster.
  if (course.optIn) accesses.push({ verb: 'create', group: VIEWS, resource: 'cleanupstatuses/optin' });
  if (course.deletesOperands) accesses.push({ verb: 'create', group: VIEWS, resource: 'cleanupstatuses/uninstall' });
  for (const model of [subscriptions, installPlans]) {
    if (related.some((each) => each.model === model && !isKept(each))) {
      accesses.push({ verb: 'delete', group: model.group, resource: model.plural, namespace });
    }
  }
  return accesses;
}
