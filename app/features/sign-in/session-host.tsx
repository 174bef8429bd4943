import { Suspense, useEffect } from 'react';
import { watchTyping } from '../../components/forms/unsaved-work.ts';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { useSessionEnded } from './ended-session.ts';

/** The dialog is loaded when a session has ended while in use: no page waits for it. */
const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'), { isQuiet: true });

/** Asks people whose session has ended to sign in again; mounted once, at the root. */
export function SessionHost() {
  const isOver = useSessionEnded();
  useEffect(watchTyping, []);
  if (!isOver) return null;
  return (
    <Suspense fallback={null}>
      <SignInAgain />
    </Suspense>
  );
}
