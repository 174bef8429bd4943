import { lazy, Suspense, useEffect } from 'react';
import { watchTyping } from '../../components/typed-text.ts';
import { useSessionEnded } from './ended-session.ts';

/** The dialog comes when a session has ended under somebody's hands: no page waits for it. */
const SignInAgain = lazy(() => import('./sign-in-again.tsx'));

/** Where somebody whose session has ended is asked to sign in again; stands once, at the root. */
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
