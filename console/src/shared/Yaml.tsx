// An object as YAML, to be read.
import { CodeBlock, CodeBlockAction, CodeBlockCode, ClipboardCopyButton } from '@patternfly/react-core';
import { useEffect, useState } from 'react';
import { useText } from './i18n';
import { Loading } from './problems';

// Rendering more would hold up the page.
const MAX_CHARACTERS = 1_000_000;

export function Yaml({ object }: { object: unknown }) {
  const t = useText();
  const [text, setText] = useState<string>();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    let wanted = true;
    void import('js-yaml').then(({ dump }) => {
      if (wanted) setText(dump(object, { noRefs: true, lineWidth: -1 }));
    });
    return () => {
      wanted = false;
    };
  }, [object]);
  if (text === undefined) return <Loading what="YAML" />;
  return (
    <CodeBlock
      actions={
        <CodeBlockAction>
          <ClipboardCopyButton
            id="steward-copy"
            aria-label={t('Copy')}
            variant="plain"
            onTooltipHidden={() => setCopied(false)}
            onClick={() => {
              void navigator.clipboard?.writeText(text).then(() => setCopied(true));
            }}
          >
            {copied ? t('Copied') : t('Copy')}
          </ClipboardCopyButton>
        </CodeBlockAction>
      }
    >
      <CodeBlockCode id="steward-yaml">{text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n…` : text}</CodeBlockCode>
    </CodeBlock>
  );
}
