import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '#tests/support/app/test-database.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { startDatabaseProxy } from '#tests/support/server/database-proxy.ts';
import { openDatabase } from './client.ts';
import { listen } from './listen.ts';

it.runIf(engine === 'postgres')('notices are heard again after the connection was lost', async () => {
  const { url, drop } = await createTestDatabase();
  const db = openDatabase(url);
  const heard = vi.fn();
  const stop = listen(url, 'news', heard, 10);
  onTestFinished(async () => {
    await stop();
    await db.destroy();
    await drop();
  });
  const hearOne = async () => {
    heard.mockClear();
    await expect
      .poll(async () => {
        await sql`select pg_notify('news', '')`.execute(db);
        return heard.mock.calls.length;
      })
      .toBeGreaterThan(0);
  };
  await hearOne();
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen%'`.execute(db);
  await hearOne();
});

it.runIf(engine === 'postgres')(
  'a server that no longer answers holds up nobody who stops listening',
  async () => {
    const { url, drop } = await createTestDatabase();
    const proxy = await startDatabaseProxy(url);
    const db = openDatabase(url);
    const heard = vi.fn();
    const stop = listen(proxy.url, 'news', heard);
    onTestFinished(async () => {
      await proxy.close();
      await db.destroy();
      await drop();
    });
    await expect
      .poll(async () => {
        await sql`select pg_notify('news', '')`.execute(db);
        return heard.mock.calls.length;
      })
      .toBeGreaterThan(0);
    proxy.isSilent = true;
    await stop();
  },
);

it('a server that cannot be reached is asked again, until one stops listening', async () => {
  const heard = vi.fn();
  const stop = listen('postgres://portage@127.0.0.1:1/portage', 'news', heard, 10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await stop();
  expect(heard).not.toHaveBeenCalled();
});
