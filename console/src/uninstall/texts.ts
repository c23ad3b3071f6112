// What is refused, for people.
import type { Translate } from '../shared/i18n';
import type { Refusal } from './course';

export function refusalText(t: Translate, { reason, detail }: Refusal): string {
  switch (reason) {
    case 'copy':
      return detail === ''
        ? t('This is a copy, which does not say in which project its original is.')
        : t('This is a copy; the original is in project {{name}}.', { name: detail });
    case 'notSupported':
      return t('Its author does not say that the operator cleans up (spec.cleanup.enabled is not true), so its custom resources are kept.');
    case 'deletingWithoutCleanup':
      return t('It is being deleted already, without cleanup, and nobody can opt in any more.');
    case 'deletingWithCleanup':
      return t('It is being deleted with cleanup already; abort the cleanup to stop that.');
    case 'blocked':
      return t('Steward would not clean up, for the reasons below.');
    case 'undecided':
      return t('Steward cannot tell whether to clean up, for the reasons below.');
    case 'optInForbidden':
      return t('You may not change the opt-in to cleanup: {{message}}', { message: detail });
    case 'deleteForbidden':
      return t('It may not be deleted: {{message}}', { message: detail });
    case 'relatedForbidden':
      return t('What would install it again may not be deleted: {{message}}', { message: detail });
    case 'moreOwned':
      return t('It owns more now than was shown: {{names}}. Look at it again.', { names: detail });
    case 'moreTargets':
      return t('It works in more projects now than was shown. Look at it again.');
    case 'otherDefinitions':
      return t('These definitions are others now than were shown: {{names}}. Look at it again.', { names: detail });
    case 'replaced':
      return t('It is another object now than was looked at; nothing of it was touched.');
    case 'optedInMeanwhile':
      return t('Somebody has opted in to the cleanup meanwhile. Look at it again.');
    case 'calledOff':
      return t('Somebody has called off the cleanup meanwhile. Look at it again.');
  }
}
