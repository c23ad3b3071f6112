// Markdown that a bundle's author wrote: elements only, no HTML of theirs, no address that runs scripts, no picture that is
// fetched from somewhere.
import Markdown, { type MarkdownToJSX } from 'markdown-to-jsx';
import type { ReactNode } from 'react';

const MAX_BYTES = 64 * 1024;

function safe(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  try {
    const parsed = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? address : undefined;
  } catch {
    return undefined;
  }
}

export function ExternalLink({ href, children }: { href?: string; children?: ReactNode }) {
  const address = safe(href);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Picture({ alt }: { alt?: string }) {
  return alt ? <em>{alt}</em> : null;
}

// A heading of a column that says nothing is none.
function HeaderCell({ children }: { children?: ReactNode }) {
  const said = Array.isArray(children) ? children.length > 0 : Boolean(children);
  return said ? <th scope="col">{children}</th> : <td />;
}

const options: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  // Their first heading stands below the page's own.
  overrides: { a: ExternalLink, img: Picture, th: HeaderCell, h1: { component: 'h3' }, h2: { component: 'h4' }, h3: { component: 'h5' }, h4: { component: 'h6' }, h5: { component: 'h6' }, input: () => null },
};

export function Description({ text }: { text?: string }) {
  if (!text) return null;
  return (
    <div className="steward-description">
      <Markdown options={options}>{text.slice(0, MAX_BYTES)}</Markdown>
    </div>
  );
}
