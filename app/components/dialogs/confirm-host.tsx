import { type ReactNode, useSyncExternalStore } from 'react';
import { useLoadedWhen } from '../lazy-parts/use-loaded-when.ts';

/** A question that must be confirmed before an action. */
export interface Question {
  title: string;
  body: ReactNode;
  confirm: string;
  isDestructive?: boolean;
}

/** A question on the screen, with the function that answers it. */
export interface OpenQuestion extends Question {
  /** What had the focus when it was asked. */
  opener: Element | null;
  answer: (isConfirmed: boolean) => void;
}

/** The dialog is loaded with the first question: no page waits for it. */
const loadDialog = () => import('./confirm-dialog.tsx');

let open: OpenQuestion | null = null;
const listeners = new Set<() => void>();

function setOpen(question: OpenQuestion | null): void {
  open = question;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks in a dialog; resolves to whether the person confirmed. Closing it in any other way is a no. */
export function askConfirmation(question: Question): Promise<boolean> {
  return new Promise((resolve) => setOpen({ ...question, opener: document.activeElement, answer: resolve }));
}

/** Where questions appear; mounted once, at the root. */
export function ConfirmHost() {
  const question = useSyncExternalStore(
    subscribe,
    () => open,
    () => null,
  );
  const ConfirmDialog = useLoadedWhen(question !== null, loadDialog, () => {
    question?.answer(false);
    setOpen(null);
  });
  if (!question || !ConfirmDialog) return null;
  return <ConfirmDialog question={question} onClosed={() => setOpen(null)} />;
}
