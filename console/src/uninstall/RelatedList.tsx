// What would install the operator again, and so is deleted before it.
import { List, ListItem } from '@patternfly/react-core';
import { useText } from '../shared/i18n';
import { isKept, type Related } from './related';
import { Notice } from '../shared/Notice';

export function RelatedList({ related }: { related: Related[] }) {
  const t = useText();
  if (related.length === 0) return null;
  const kept = related.filter(isKept);
  const deleted = related.filter((each) => !isKept(each));
  return (
    <>
      {deleted.length > 0 ? (
        <Notice isInline variant="info" title={t('Deleted before, since OLM would install the operator again by these')} data-test="steward-related">
          <List>
            {deleted.map((each) => (
              <ListItem key={each.uid}>
                {each.model.kind} {each.name}
              </ListItem>
            ))}
          </List>
        </Notice>
      ) : null}
      {kept.length > 0 ? (
        <Notice isInline variant="warning" title={t('Kept, since these install other operators, too: they may install this one again')} data-test="steward-kept-related">
          <List>
            {kept.map((each) => (
              <ListItem key={each.uid}>
                {each.model.kind} {each.name} ({each.alsoInstalls.join(', ')})
              </ListItem>
            ))}
          </List>
        </Notice>
      ) : null}
    </>
  );
}
