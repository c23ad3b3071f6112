// Light or dark, as the browser prefers or the user has chosen.
const STORED = 'steward-theme';
const DARK = 'pf-v6-theme-dark';

function chosen(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

export function isDark(): boolean {
  return document.documentElement.classList.contains(DARK);
}

function apply(): void {
  const prefers = window.matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.classList.toggle(DARK, (chosen() ?? (prefers ? 'dark' : 'light')) === 'dark');
}

export function followTheme(): void {
  apply();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
}

export function chooseTheme(dark: boolean): void {
  try {
    localStorage.setItem(STORED, dark ? 'dark' : 'light');
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  document.documentElement.classList.toggle(DARK, dark);
}
