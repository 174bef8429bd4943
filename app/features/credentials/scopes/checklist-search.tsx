import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

/** The search field of a checklist. */
export function ChecklistSearch(props: { label: string; value: string; onChange: (typed: string) => void }) {
  return (
    <TextInput
      size="xs"
      mb="xs"
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      // The form around it would be submitted.
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
    />
  );
}
