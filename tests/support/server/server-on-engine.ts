import { startPostgres } from '../runner/postgres-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The databases that the program runs on. */
export const ENGINES = ['SQLite', 'PostgreSQL'] as const;

/** Starts the program on a database of an engine; its `close` ends the database with it. */
export async function startServerOn(
  engine: (typeof ENGINES)[number],
  environment: Record<string, string> = {},
): Promise<TestServer> {
  if (engine === 'SQLite') return startTestServer(environment);
  const { url, stop } = await startPostgres();
  try {
    const server = await startTestServer({ ...environment, DATABASE_URL: url });
    return { ...server, close: () => server.close().finally(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}
