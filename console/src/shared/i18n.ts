// Texts. English texts are the keys; `locales/` has the others.
import { useTranslation } from 'react-i18next';

export const NAMESPACE = 'plugin__steward';

export type Translate = (text: string, values?: Record<string, string | number>) => string;

export function useText(): Translate {
  const { t } = useTranslation(NAMESPACE);
  return t as Translate;
}
