import { createHash } from 'node:crypto';

/** Enough for every query that the program prepares; names are only given to texts that it holds itself. */
const names = new Map<string, string>();

/**
 * Has PostgreSQL keep a statement that runs again and again: each connection parses it once and plans it a few times, which takes
 * several times as long as running a look-up. The name is made of the text, so that one name never stands for two.
 */
export function keepStatement(text: string): void {
  names.set(text, `portage_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
}

/** Returns the name under which connections keep a statement, or undefined for one that they do not keep. */
export function keptStatementName(text: string): string | undefined {
  return names.get(text);
}

/**
 * Whether a kept statement could not run as it was kept: a pooler in between gave us a connection that others use too, or a column
 * was added to what it returns.
 */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const isChanged = error.code === '0A000' && error.message.includes('cached plan');
  return isChanged || error.code === '26000' || error.code === '42P05';
}
