// The name of an object of a namespace: chosen where the user may list such objects, else typed.
import { FormGroup, FormHelperText, FormSelect, FormSelectOption, HelperText, HelperTextItem, TextInput } from '@patternfly/react-core';
import { useAnswer } from '../kube/hooks';
import type { Model } from '../kube/types';
import { useText } from '../shared/i18n';

const MOST = 500;

interface NameFieldProps {
  label: string;
  model: Model;
  namespace: string;
  value: string;
  onChange: (name: string) => void;
}

export function NameField({ label, model, namespace, value, onChange }: NameFieldProps) {
  const t = useText();
  const listed = useAnswer(
    async (cluster, signal) => {
      const table = await cluster.table(model, namespace, { limit: MOST, signal });
      return { names: (table.rows ?? []).map((row) => row.object?.metadata.name ?? '').filter(Boolean), more: !!table.metadata?.continue };
    },
    [model.plural, namespace],
  );
  const id = `steward-name-${model.plural}`;
  const names = listed.value?.names ?? [];
  if (listed.error || listed.loading || listed.value?.more || names.length === 0) {
    return (
      <FormGroup label={label} fieldId={id} isRequired>
        <TextInput id={id} value={value} onChange={(_event, text) => onChange(text.trim())} />
        <FormHelperText>
          <HelperText>
            <HelperTextItem>{listed.loading ? t('Loading') : (listed.error?.message ?? (names.length === 0 ? t('There is none in this project.') : t('There are too many to choose from.')))}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
    );
  }
  return (
    <FormGroup label={label} fieldId={id} isRequired>
      <FormSelect id={id} value={value} onChange={(_event, text) => onChange(text)}>
        <FormSelectOption value="" label={t('Choose one')} isPlaceholder />
        {[...new Set([...names, ...(value ? [value] : [])])].map((name) => (
          <FormSelectOption key={name} value={name} label={name} />
        ))}
      </FormSelect>
    </FormGroup>
  );
}
