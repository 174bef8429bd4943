import { z } from 'zod';

const RECENT_MAX = 5;
const recentSchema = z.array(z.string()).catch([]);

const keyOf = (organizationId: string) => `palette-recent:${organizationId}`;

/** Returns the ids of the entries chosen last in this browser, the latest first. */
export function readRecent(organizationId: string): string[] {
  try {
    return recentSchema.parse(JSON.parse(window.localStorage.getItem(keyOf(organizationId)) ?? '[]'));
  } catch {
    // Storage may be forbidden: then nothing is remembered.
    return [];
  }
}

/** Remembers a chosen entry. */
export function rememberRecent(organizationId: string, id: string): void {
  const others = readRecent(organizationId).filter((other) => other !== id);
  try {
    window.localStorage.setItem(keyOf(organizationId), JSON.stringify([id, ...others].slice(0, RECENT_MAX)));
  } catch {
    // Then the entry is not remembered.
  }
}
