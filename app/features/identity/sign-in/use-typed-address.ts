import { type FormEvent, type RefObject, useEffect, useState } from 'react';

/**
 * What was typed last into the address of a form here. Only the memory of the page keeps it: it is in no
 * address, log or storage. The server never sets it, so that both render the same first page.
 */
let lastTyped = '';

/**
 * Carries the address of an account along between the forms of signing in, and back again; `suggested` is
 * for the first of them.
 */
export function useTypedAddress(field: RefObject<HTMLInputElement | null>, suggested = '') {
  const [initial] = useState(lastTyped || suggested);
  useEffect(() => {
    // It may have been typed before the page became interactive.
    lastTyped = field.current?.value ?? lastTyped;
  }, [field]);
  const onInput = (event: FormEvent<HTMLInputElement>) => {
    lastTyped = event.currentTarget.value;
  };
  return { initial, onInput };
}

/** Returns the address of the sign-in, with what was typed last suggested in its form. */
export function signInWithTypedAddress(): string {
  return lastTyped === '' ? '/auth/login' : `/auth/login?login_hint=${encodeURIComponent(lastTyped)}`;
}
