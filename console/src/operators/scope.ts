// Why an operator is to be seen in a project, in sentences. Pure functions.
import type { Translate } from '../shared/i18n';
import type { InstalledOperator } from './types';

export function whyHere(operator: InstalledOperator, t: Translate): string[] {
  const { scope, metadata } = operator;
  const project = metadata.namespace ?? '';
  const place = scope?.installNamespace ?? '';
  const group = scope?.operatorGroup;
  const said: string[] = [];
  if (place === project) said.push(t('It is installed in this project.'));
  else said.push(t('It is installed in the project {{place}}, and works here, too.', { place }));
  if (!group) {
    said.push(t('{{place}} has not exactly one OperatorGroup, so nothing says where it works.', { place }));
  } else {
    said.push(reach(scope?.installMode, group, t));
    if (scope?.targeted === false) said.push(t('That does not target this project: it runs here, and works elsewhere.'));
  }
  for (const conflict of scope?.conflicts ?? []) {
    said.push(t('Another operator of this name, installed in {{place}}, reaches this project too, and is hidden by this one.', { place: conflict.installNamespace ?? '' }));
  }
  return said;
}

function reach(mode: string | undefined, group: string, t: Translate): string {
  switch (mode) {
    case 'AllNamespaces':
      return t('Its OperatorGroup {{group}} targets all projects.', { group });
    case 'OwnNamespace':
      return t('Its OperatorGroup {{group}} targets its own project.', { group });
    case 'SingleNamespace':
      return t('Its OperatorGroup {{group}} targets one project.', { group });
    case 'MultiNamespace':
      return t('Its OperatorGroup {{group}} targets several projects.', { group });
    default:
      return t('Its OperatorGroup {{group}} targets no project.', { group });
  }
}
