// What stands against a cleanup.
import { List, ListItem } from '@patternfly/react-core';
import { useText } from '../shared/i18n';
import type { Blocker } from './types';
import { Notice } from '../shared/Notice';

export function Blockers({ blockers, running }: { blockers: Blocker[]; running?: boolean }) {
  const t = useText();
  if (blockers.length === 0) return null;
  const title = running ? t('This stands against the cleanup') : t('This would stand against a cleanup');
  return (
    <Notice isInline variant="warning" title={title} data-test="steward-blockers">
      <List isPlain isBordered>
        {blockers.map((blocker) => (
          <ListItem key={`${blocker.reason} ${blocker.message}`}>
            <strong>{blocker.reason}</strong>: {blocker.message}
            <BlockingObjects blocker={blocker} />
          </ListItem>
        ))}
      </List>
    </Notice>
  );
}

function BlockingObjects({ blocker }: { blocker: Blocker }) {
  const t = useText();
  const objects = blocker.objects ?? [];
  const elsewhere = blocker.objectsElsewhere ?? 0;
  if (objects.length === 0 && elsewhere === 0) return null;
  return (
    <List>
      {objects.map((object) => (
        <ListItem key={object}>
          <span className="steward-quote">{object}</span>
        </ListItem>
      ))}
      {elsewhere > 0 ? <ListItem>{t('{{count}} more in other projects', { count: elsewhere })}</ListItem> : null}
    </List>
  );
}
