// A filter by some of several values.
import { Badge, MenuToggle, Select, SelectList, SelectOption } from '@patternfly/react-core';
import { useState } from 'react';

interface ChooserProps {
  label: string;
  values: string[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

export function Chooser({ label, values, chosen, onChange }: ChooserProps) {
  const [open, setOpen] = useState(false);
  return (
    <Select
      role="menu"
      isOpen={open}
      onOpenChange={setOpen}
      selected={chosen}
      onSelect={(_event, value) => onChange(chosen.includes(String(value)) ? chosen.filter((each) => each !== value) : [...chosen, String(value)])}
      toggle={(reference) => (
        <MenuToggle ref={reference} onClick={() => setOpen(!open)} isExpanded={open} isDisabled={values.length === 0 && chosen.length === 0}>
          {label} {chosen.length > 0 ? <Badge isRead>{chosen.length}</Badge> : null}
        </MenuToggle>
      )}
    >
      <SelectList>
        {[...new Set([...values, ...chosen])].map((value) => (
          <SelectOption key={value} value={value} hasCheckbox isSelected={chosen.includes(value)}>
            {value}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
