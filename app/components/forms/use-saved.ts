import { useTransient } from '../use-transient.ts';

const SAVED_MS = 3000;

/** Returns whether something has just been saved, a function that says so for three seconds, and one that ends it early. */
export function useSaved() {
  return useTransient(SAVED_MS);
}
