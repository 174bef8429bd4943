import { createHash } from 'node:crypto';

/** Enough for every query that the program prepares; only texts in the program itself get names. */
const names = new Map<string, string>();

/**
 * Makes PostgreSQL keep a frequently used statement: each connection parses it once and plans it a few times,
 * which takes several times as long as running a lookup. The name is derived from the text, so one name never
 * stands for two statements.
 */
export function keepStatement(text: string): void {
  names.set(text, `portage_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
}

/** Returns the name under which connections keep a statement, or undefined when they do not keep it. */
export function keptStatementName(text: string): string | undefined {
  return names.get(text);
}

/**
 * Whether a kept statement could not run: a pooler in between gave us a connection shared with others, or a
 * column was added to its result.
 */
export function isLostStatement(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const isChanged = error.code === '0A000' && error.message.includes('cached plan');
  return isChanged || error.code === '26000' || error.code === '42P05';
}
