// The page of its own.
import '@patternfly/patternfly/patternfly.min.css';
import '@patternfly/patternfly/patternfly-addons.css';
import '../shared/steward.css';
import i18n from 'i18next';
import { createRoot } from 'react-dom/client';
import { initReactI18next } from 'react-i18next';
import { BrowserRouter } from 'react-router';
import english from '../../locales/en/plugin__steward.json';
import { NAMESPACE } from '../shared/i18n';
import { App } from './App';
import { followTheme } from './theme';

void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  defaultNS: NAMESPACE,
  ns: [NAMESPACE],
  resources: { en: { [NAMESPACE]: english } },
  // Texts are keys: no character of them divides anything.
  keySeparator: false,
  nsSeparator: '~',
  interpolation: { escapeValue: false },
});
followTheme();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <BrowserRouter>
      <App />
    </BrowserRouter>,
  );
}
