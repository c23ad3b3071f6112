// Alerts of the pages. Their titles are headings of the second level, wherever they stand: below the page's own, and never skipping one.
import { Alert, type AlertProps } from '@patternfly/react-core';

export function Notice(properties: AlertProps) {
  return <Alert component="h2" {...properties} />;
}
