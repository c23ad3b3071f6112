// What the user may not do, and so cannot do here.
import { List, ListItem } from '@patternfly/react-core';
import type { Access } from '../kube/cluster';
import { accessText } from '../previews/asking';
import { useText } from './i18n';
import { Notice } from './Notice';

export function MissingRights({ title, missing }: { title: string; missing: Access[] }) {
  const t = useText();
  return (
    <Notice isInline isPlain variant="info" title={title} data-test="steward-missing-rights">
      <p>{t('You need these rights, which an administrator grants:')}</p>
      <List>
        {missing.map((access) => (
          <ListItem key={accessText(access)}>
            <span className="steward-quote">{accessText(access)}</span>
          </ListItem>
        ))}
      </List>
    </Notice>
  );
}
