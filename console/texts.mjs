// The texts of the pages: `node texts.mjs` writes locales/en from the sources, and keeps what is there; `--check` writes nothing,
// and exits with 1 when something is missing or no longer used.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const FILE = path.join(root, 'locales/en/plugin__steward.json');

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const each = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(each);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [each] : [];
  });
}

export function textsOf(code) {
  const found = [];
  for (const [, single, double] of code.matchAll(/\bt\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g)) {
    found.push((single ?? double).replace(/\\(['"\\])/g, '$1'));
  }
  return found;
}

function wanted() {
  const texts = new Set(sources(path.join(root, 'src')).flatMap((file) => textsOf(fs.readFileSync(file, 'utf8'))));
  const extensions = fs.readFileSync(path.join(root, 'console-extensions.json'), 'utf8');
  for (const [, text] of extensions.matchAll(/%plugin__steward~([^%]*)%/g)) texts.add(text);
  return [...texts].flatMap((text) => (text.includes('{{count}}') ? [`${text}_one`, `${text}_other`] : [text])).sort();
}

export function update(known, keys) {
  return Object.fromEntries(keys.map((key) => [key, known[key] ?? key.replace(/_(one|other)$/, '')]));
}

const known = JSON.parse(fs.readFileSync(FILE, 'utf8'));
const next = update(known, wanted());
const text = `${JSON.stringify(next, null, 2)}\n`;
if (process.argv.includes('--check')) {
  if (text !== fs.readFileSync(FILE, 'utf8')) {
    process.stderr.write('locales/en is not what the sources say: run node texts.mjs\n');
    process.exit(1);
  }
} else {
  fs.writeFileSync(FILE, text);
}
