import { useLingui } from '@lingui/react/macro';
import { type ComboboxItem, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';

/** How many entries of a search are shown. */
export const SEARCHED_MAX = 50;
const DEBOUNCE_MS = 150;

/**
 * What is typed into a {@link SearchedSelect}, and the search that it makes: after a choice, the field contains the name of that and no
 * search.
 */
export function useSearchedSelect() {
  const [chosen, setChosen] = useState<ComboboxItem | null>(null);
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const searchBeside = (current: ComboboxItem | null) =>
    typed.trim() === current?.label.trim() ? '' : debounced;
  return { chosen, setChosen, setTyped, searchBeside };
}

/** A required choice of one of many, which the server finds by what is typed. */
export function SearchedSelect(props: {
  label: string;
  placeholder: string;
  nothingFound: string;
  state: ReturnType<typeof useSearchedSelect>;
  /** What is chosen; null without a choice. */
  current: ComboboxItem | null;
  search: string;
  found: readonly ComboboxItem[];
  query: { isFetching: boolean; error: unknown };
  value: string | null;
  onChange: (value: string | null) => void;
  error: string | null;
}) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const { current, search, found, query, state } = props;
  const isListed = found.some(({ value }) => value === current?.value);
  return (
    <Select
      label={props.label}
      placeholder={props.placeholder}
      required
      searchable
      data={current !== null && !isListed && search === '' ? [current, ...found] : found}
      // The server has searched, with its own rules for case and accents.
      filter={({ options }) => options}
      value={props.value}
      onChange={(value, option) => {
        state.setChosen(option ? { value: option.value, label: option.label } : null);
        props.onChange(value);
      }}
      onSearchChange={state.setTyped}
      nothingFoundMessage={query.isFetching ? t`Searching…` : props.nothingFound}
      error={props.error ?? (query.error ? describe(query.error) : null)}
      maxDropdownHeight={200}
    />
  );
}
