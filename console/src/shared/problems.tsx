// What a page says when it has nothing to show, or nothing newer.
import { AlertActionLink, EmptyState, EmptyStateActions, EmptyStateBody, EmptyStateFooter, Button, Skeleton } from '@patternfly/react-core';
import { CubesIcon, ExclamationCircleIcon, LockIcon, PluggedIcon, SearchIcon } from '@patternfly/react-icons';
import type { ReactNode } from 'react';
import type { ApiError } from '../kube/errors';
import { useText } from './i18n';
import { Notice } from './Notice';

interface ProblemProps {
  error: ApiError;
  what: string; // what could not be read or done, as a noun phrase
  retry?: () => void;
}

// Instead of a page's content.
export function Problem({ error, what, retry }: ProblemProps) {
  const t = useText();
  const [icon, title, body] = describe();
  return (
    <EmptyState icon={icon} titleText={title} status={error.forbidden || error.missing ? undefined : 'danger'} headingLevel="h2" variant="sm">
      <EmptyStateBody>
        <p>{body}</p>
        {error.message ? <p className="steward-quote">{error.message}</p> : null}
      </EmptyStateBody>
      {retry ? (
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button variant="link" onClick={retry}>
              {t('Try again')}
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      ) : null}
    </EmptyState>
  );

  function describe() {
    if (error.forbidden) return [LockIcon, t('You may not see this'), t('The cluster does not let you read {{what}}.', { what })] as const;
    if (error.missing) return [SearchIcon, t('Not found'), t('The cluster has no {{what}}, or does not serve them.', { what })] as const;
    if (error.unavailable) return [PluggedIcon, t('Steward does not answer'), t('Nobody could say anything of {{what}}. The page tries again by itself.', { what })] as const;
    return [ExclamationCircleIcon, t('This failed'), t('The cluster refused to tell {{what}}.', { what })] as const;
  }
}

// Above content that is no longer kept up to date.
export function LostConnection({ lostAt, error, retry }: { lostAt?: number; error?: ApiError; retry: () => void }) {
  const t = useText();
  if (lostAt === undefined) return null;
  return (
    <Notice
      isInline
      variant="warning"
      title={t('The connection is lost')}
      actionLinks={<AlertActionLink onClick={retry}>{t('Try now')}</AlertActionLink>}
      data-test="steward-lost"
    >
      {t('This is what was there at {{time}}. The page tries to connect again by itself.', { time: new Date(lostAt).toLocaleTimeString() })}
      {error ? ` ${error.message}` : ''}
    </Notice>
  );
}

export function Loading({ what }: { what: string }) {
  const t = useText();
  return (
    <div role="status" aria-label={t('Loading {{what}}', { what })} data-test="steward-loading">
      <Skeleton width="60%" screenreaderText={t('Loading {{what}}', { what })} />
      <br />
      <Skeleton width="80%" aria-hidden />
      <br />
      <Skeleton width="70%" aria-hidden />
    </div>
  );
}

export function Nothing({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <EmptyState icon={CubesIcon} titleText={title} headingLevel="h2" variant="sm" data-test="steward-empty">
      <EmptyStateBody>{children}</EmptyStateBody>
      {action ? <EmptyStateFooter>{action}</EmptyStateFooter> : null}
    </EmptyState>
  );
}

// What could not be done, beside what was asked for.
export function Failure({ error, title }: { error: ApiError; title: string }) {
  return (
    <Notice isInline variant="danger" title={title} data-test="steward-failure">
      {error.message}
    </Notice>
  );
}
