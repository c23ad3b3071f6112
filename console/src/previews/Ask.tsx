// A question to the cluster, and its answer.
import { Button } from '@patternfly/react-core';
import { useEffect, useMemo, type ReactNode } from 'react';
import { useAnswer } from '../kube/hooks';
import { useText } from '../shared/i18n';
import { MissingRights } from '../shared/MissingRights';
import { Loading } from '../shared/problems';
import { useRights } from '../shared/useRights';
import { accessesFor, askPreview, type Subject } from './asking';
import { AskFailure } from './AskFailure';
import type { PlanPreview, PreviewSpec } from './types';

interface AskProps {
  namespace: string;
  spec: PreviewSpec; // asked as soon as this is shown
  onAnswer?: (answer: PlanPreview | undefined) => void; // undefined: it is asked again
  children: (answer: PlanPreview) => ReactNode;
}

export function nameAsked(spec: PreviewSpec): string | undefined {
  return spec.installPlan?.name ?? spec.uninstall?.clusterServiceVersion;
}

// What was answered to another question is never shown.
export function Ask(props: AskProps) {
  return <Asked key={JSON.stringify([props.namespace, props.spec])} {...props} />;
}

function Asked({ namespace, spec, onAnswer, children }: AskProps) {
  const t = useText();
  const key = JSON.stringify(spec);
  const accesses = useMemo(() => {
    const asked = JSON.parse(key) as PreviewSpec;
    const [subject] = Object.keys(asked) as Subject[];
    return accessesFor(subject ?? 'bundle', namespace, nameAsked(asked));
  }, [namespace, key]);
  const rights = useRights(accesses);
  const allowed = rights.known && rights.missing.length === 0;
  const answer = useAnswer(allowed ? (cluster, signal) => askPreview(cluster, namespace, spec, signal) : null, [namespace, key, allowed]);
  const told = answer.loading || answer.error ? undefined : answer.value;
  useEffect(() => {
    onAnswer?.(told);
    return () => onAnswer?.(undefined);
  }, [onAnswer, told]);
  if (rights.known && !allowed) return <MissingRights title={t('The cluster cannot be asked in your name')} missing={rights.missing} />;
  if (answer.error) return <AskFailure error={answer.error} retry={answer.again} />;
  if (!rights.known || answer.value === undefined) return <Loading what={t('the preview')} />;
  return (
    <div aria-busy={answer.loading}>
      {children(answer.value)}
      <Button variant="link" isInline onClick={answer.again} isLoading={answer.loading}>
        {t('Ask again')}
      </Button>
    </div>
  );
}
