// The form of a question, and its address. Pure functions.
import type { Subject } from './asking';
import type { PreviewSpec } from './types';

export interface Question {
  subject: Subject;
  name: string; // of the InstallPlan or the ClusterServiceVersion
  cleanup: 'asItIs' | 'true' | 'false';
  enabled: boolean;
}

const subjects: Subject[] = ['installPlan', 'uninstall', 'bundle', 'copiedCSVs'];

export function questionOf(parameters: URLSearchParams): Question {
  const subject = parameters.get('subject') as Subject;
  const cleanup = parameters.get('cleanup');
  return {
    subject: subjects.includes(subject) ? subject : 'installPlan',
    name: parameters.get('name') ?? '',
    cleanup: cleanup === 'true' || cleanup === 'false' ? cleanup : 'asItIs',
    enabled: parameters.get('enabled') === 'true',
  };
}

export function addressOf(question: Question): string {
  const parameters = new URLSearchParams({ subject: question.subject });
  if (question.subject === 'installPlan' || question.subject === 'uninstall') parameters.set('name', question.name);
  if (question.subject === 'uninstall' && question.cleanup !== 'asItIs') parameters.set('cleanup', question.cleanup);
  if (question.subject === 'copiedCSVs') parameters.set('enabled', String(question.enabled));
  return parameters.toString();
}

// Absent: something is missing. Bundles have their manifests from elsewhere.
export function specOf(question: Question): PreviewSpec | undefined {
  const { subject, name, cleanup, enabled } = question;
  if (subject === 'copiedCSVs') return { copiedCSVs: { enabled } };
  if (subject === 'bundle' || name === '') return undefined;
  if (subject === 'installPlan') return { installPlan: { name } };
  return { uninstall: { clusterServiceVersion: name, ...(cleanup === 'asItIs' ? {} : { cleanup: cleanup === 'true' }) } };
}
