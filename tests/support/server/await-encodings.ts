import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { pollUntil } from '../poll-until.ts';
import type { RunningServer } from './test-server.ts';

/**
 * Waits until a server has made all copies of what is sealed, and its edge serves an encoded copy for this
 * address.
 */
export async function awaitEncodings(server: RunningServer, host: string, path: string): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await pollUntil(
      () =>
        db
          .selectFrom('site_versions')
          .select('id')
          .where('sealed_at', 'is not', null)
          .where('encoded_at', 'is', null)
          .execute(),
      (waiting) => waiting.length === 0,
    );
  } finally {
    await db.destroy();
  }
  await pollUntil(
    async () => {
      const { headers } = await server.edge(host, path, { headers: { 'accept-encoding': 'br' } });
      return headers['content-encoding'];
    },
    (encoding) => encoding === 'br',
  );
}
