import { type ChangeEvent, type FocusEvent, type MouseEvent, useEffect, useRef, useState } from 'react';

/**
 * Suggests the value of one field, derived from another while that is typed, until the person types into the
 * field itself. A suggestion is selected whenever its field is entered, so that typing replaces it instead of
 * extending it. `shown` is the field's current value, for a preview.
 */
export function useProposal(suggest: (source: string) => string, initialSource = '') {
  const initial = suggest(initialSource);
  const field = useRef<HTMLInputElement>(null);
  const proposal = useRef(initial);
  const isTyped = useRef(false);
  const isEntered = useRef(false);
  const [shown, setShown] = useState(initial);
  // What was typed before the page was interactive is not a suggestion either.
  const isProposed = (value: string) => !isTyped.current && value === proposal.current;
  const selectProposal = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    if (isProposed(input.value)) input.select();
  };
  useEffect(() => setShown(field.current?.value ?? ''), []);
  return {
    initial,
    shown,
    sourceProps: {
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const input = field.current;
        if (!input || !isProposed(input.value)) return;
        proposal.current = suggest(event.currentTarget.value);
        input.value = proposal.current;
        setShown(input.value);
      },
    },
    fieldProps: {
      ref: field,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        isTyped.current = true;
        setShown(event.currentTarget.value);
      },
      onFocus: (event: FocusEvent<HTMLInputElement>) => {
        isEntered.current = true;
        selectProposal(event);
      },
      // The click that enters the field moves the caret after the focus; a later click may.
      onClick: (event: MouseEvent<HTMLInputElement>) => {
        if (isEntered.current) selectProposal(event);
        isEntered.current = false;
      },
    },
  };
}
