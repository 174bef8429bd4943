import { useLingui } from '@lingui/react/macro';
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 200;

/** A search field for a list; the search follows when the typing pauses. `value` is the current search. */
export function SearchField(props: {
  value: string;
  label: string;
  onSearch: (text: string) => void;
  maxLength?: number;
}) {
  const { value, label, onSearch, maxLength = 100 } = props;
  const { t } = useLingui();
  const [typed, setTyped] = useState(value);
  const asked = useRef(value);
  const latest = useRef(onSearch);
  latest.current = onSearch;

  // The address changed on its own (Back, a link): the field follows; its own echo is ignored.
  useEffect(() => {
    if (value !== asked.current) {
      asked.current = value;
      setTyped(value);
    }
  }, [value]);
  useEffect(() => {
    const text = typed.trim();
    if (text === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = text;
      latest.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  return (
    <TextInput
      type="search"
      className="screen-only"
      aria-label={label}
      placeholder={label}
      value={typed}
      maxLength={maxLength}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="sm"
            // The theme names every close button in the same way, and would override a property.
            attributes={{ root: { 'aria-label': t`Clear the search` } }}
            onClick={() => setTyped('')}
          />
        )
      }
    />
  );
}
