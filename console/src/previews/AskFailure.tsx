// What the cluster answered to a question that it did not answer.
import { AlertActionLink, List, ListItem } from '@patternfly/react-core';
import type { ApiError } from '../kube/errors';
import { useText, type Translate } from '../shared/i18n';
import { Notice } from '../shared/Notice';

export function failureTitle(t: Translate, error: ApiError): string {
  if (error.forbidden) return t('You may not ask this');
  if (error.missing) return t('What is asked about is not there, or the cluster answers no such questions');
  if (error.conflict) return t('It changed meanwhile');
  if (error.code === 413) return t('The question is too large');
  if (error.code === 400 || error.code === 422) return t('The question is not understood');
  if (error.code === 429) return t('Too many questions at a time');
  if (error.unavailable) return t('Nobody answers this now');
  return t('This failed');
}

export function AskFailure({ error, retry, title }: { error: ApiError; retry?: () => void; title?: string }) {
  const t = useText();
  return (
    <Notice
      isInline
      variant={error.unavailable ? 'warning' : 'danger'}
      title={title ?? failureTitle(t, error)}
      actionLinks={retry ? <AlertActionLink onClick={retry}>{t('Try again')}</AlertActionLink> : undefined}
      data-test="steward-failure"
    >
      <p className="steward-quote">{error.message}</p>
      {error.causes.length > 0 ? (
        <List>
          {error.causes.map((cause, place) => (
            <ListItem key={place}>
              <span className="steward-quote">
                {cause.field ? `${cause.field}: ` : ''}
                {cause.message ?? cause.reason}
              </span>
            </ListItem>
          ))}
        </List>
      ) : null}
      {error.retryAfterSeconds > 0 ? <p>{t('It may be asked again in {{count}} s.', { count: error.retryAfterSeconds })}</p> : null}
    </Notice>
  );
}
