// The project whose operators are shown. Whoever may not list namespaces types its name.
import { Button, InputGroup, InputGroupItem, MenuToggle, Select, SelectList, SelectOption, TextInput } from '@patternfly/react-core';
import { useMemo, useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useHost } from '../host';
import { nameOf, useWatch } from '../kube/hooks';
import { namespaces } from '../kube/models';
import { useText } from '../shared/i18n';

const MOST = 200;

export function ProjectPicker({ project }: { project?: string }) {
  const t = useText();
  const host = useHost();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const watched = useWatch(useMemo(() => ({ model: namespaces }), []), nameOf);
  const names = useMemo(() => [...watched.items.values()].sort(), [watched.items]);
  const found = names.filter((name) => name.includes(text));
  const go = (name: string | undefined) => {
    setOpen(false);
    setText('');
    void navigate(host.operators(name));
  };

  if (watched.error && names.length === 0) {
    const submit = (event: FormEvent) => {
      event.preventDefault();
      if (text.trim() !== '') go(text.trim());
    };
    return (
      <form onSubmit={submit}>
        <InputGroup>
          <InputGroupItem isFill>
            <TextInput aria-label={t('Project')} placeholder={project ?? t('Project')} value={text} onChange={(_event, value) => setText(value)} />
          </InputGroupItem>
          <InputGroupItem>
            <Button type="submit" variant="control">
              {t('Go')}
            </Button>
          </InputGroupItem>
        </InputGroup>
      </form>
    );
  }
  return (
    <Select
      isOpen={open}
      onOpenChange={setOpen}
      selected={project ?? ''}
      onSelect={(_event, value) => go(value === '' ? undefined : String(value))}
      isScrollable
      toggle={(reference) => (
        <MenuToggle ref={reference} onClick={() => setOpen(!open)} isExpanded={open}>
          {t('Project: {{name}}', { name: project ?? t('all') })}
        </MenuToggle>
      )}
    >
      <TextInput aria-label={t('Find a project')} placeholder={t('Find a project')} value={text} onChange={(_event, value) => setText(value)} />
      <SelectList aria-label={t('Projects')}>
        <SelectOption value="">{t('All projects')}</SelectOption>
        {found.slice(0, MOST).map((name) => (
          <SelectOption key={name} value={name}>
            {name}
          </SelectOption>
        ))}
        {found.length > MOST ? <SelectOption isDisabled>{t('and {{count}} more', { count: found.length - MOST })}</SelectOption> : null}
      </SelectList>
    </Select>
  );
}
