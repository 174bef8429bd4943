import { sql } from 'kysely';
import type { App } from '../context.ts';

/** Returns which dependencies answer: the database and the object store (`/readyz`). */
export async function checkReadiness(
  app: App,
): Promise<{ isReady: boolean; checks: Record<string, 'ok' | 'failed'> }> {
  const probe = async (name: string, check: Promise<unknown>) =>
    [
      name,
      await check.then(
        () => 'ok' as const,
        () => 'failed' as const,
      ),
    ] as const;
  const results = await Promise.all([
    probe('database', sql`select 1`.execute(app.db)),
    probe('store', app.blobs.check()),
  ]);
  return { isReady: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
}
