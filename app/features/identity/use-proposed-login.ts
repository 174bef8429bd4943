import { type ChangeEvent, type FocusEvent, type MouseEvent, useRef } from 'react';
import { suggestLogin } from '#server/services/identity/rules.ts';

/**
 * Proposes a user name made from the address while that is typed, until the person types a user name. A proposal is
 * selected whenever its field is entered, so that what is typed replaces it and is never joined to it.
 */
export function useProposedLogin(email: string) {
  const initial = suggestLogin(email);
  const login = useRef<HTMLInputElement>(null);
  const proposal = useRef(initial);
  const isTyped = useRef(false);
  const isEntered = useRef(false);
  // What was typed before the page was alive is not the proposal either.
  const isProposed = (value: string) => !isTyped.current && value === proposal.current;
  const selectProposal = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    if (isProposed(input.value)) input.select();
  };
  return {
    initial,
    emailProps: {
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const input = login.current;
        if (!input || !isProposed(input.value)) return;
        proposal.current = suggestLogin(event.currentTarget.value);
        input.value = proposal.current;
      },
    },
    loginProps: {
      ref: login,
      onChange: () => {
        isTyped.current = true;
      },
      onFocus: (event: FocusEvent<HTMLInputElement>) => {
        isEntered.current = true;
        selectProposal(event);
      },
      // The click that enters the field puts the caret somewhere after the focus; a later click may.
      onClick: (event: MouseEvent<HTMLInputElement>) => {
        if (isEntered.current) selectProposal(event);
        isEntered.current = false;
      },
    },
  };
}
