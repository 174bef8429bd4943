import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ name: string }>();

/**
 * Runs work on behalf of whoever asked for it, such as a client's address or an organization: askers take turns at
 * the connections to a database server. Work that nobody asked for, such as jobs, has no asker.
 */
export function runForAsker<T>(name: string, work: () => T): T {
  return current.run({ name }, work);
}

/** Changes the name of the current asker, once it is known who that is; does nothing without one. */
export function nameAsker(name: string): void {
  const asker = current.getStore();
  if (asker) asker.name = name;
}

/** Returns the name of who asked for the current work; null when nobody did. */
export function currentAsker(): string | null {
  return current.getStore()?.name ?? null;
}
