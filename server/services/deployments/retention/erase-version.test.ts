import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isPostgres } from '#db/client.ts';
import { sha256Of } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../../sites/create-site.ts';
import { addVersionFiles } from '../manifests/add-version-files.ts';
import { openVersion } from '../open-version.ts';
import { deleteFiles, eraseVersion } from './erase-version.ts';

/** More than two slices. */
const FILES = 1_200;

async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { id: site_id } = await createSite(context, { name: 'blog' });
  const entry = { sha256: sha256Of('x'), size: 1 };
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`f/${index}`, entry]));
  const open = async () => {
    const { id: version_id } = await openVersion(context, { site_id });
    await addVersionFiles(context, { site_id, version_id, files });
    return version_id;
  };
  const count = async () => {
    const rows = await app.db.selectFrom('version_files').select('version_id').execute();
    return Object.fromEntries(
      [...Map.groupBy(rows, (row) => row.version_id)].map(([id, { length }]) => [id, length]),
    );
  };
  return { db: app.db, open, count };
}

describe('the manifest of a version', () => {
  it('is removed as a whole, and no other is', async () => {
    const { db, open, count } = await prepare();
    const [kept, dropped] = [await open(), await open()];
    await eraseVersion(db, dropped);
    expect(await count()).toEqual({ [kept]: FILES });
    expect(await db.selectFrom('site_versions').select('id').execute()).toEqual([{ id: kept }]);
  });

  it('is never compared row by row, although the statistics of PostgreSQL do not know it yet', async () => {
    const { db, open } = await prepare();
    await open();
    if (isPostgres(db)) await sql`analyze version_files`.execute(db);
    const unknown = await open();
    const paths = Array.from({ length: 500 }, (_, index) => `f/${index}`);
    const { sql: text, ...query } = deleteFiles(db, unknown, paths).compile();
    const explain = isPostgres(db) ? 'explain' : 'explain query plan';
    const { rows } = await db.executeQuery({ ...query, sql: `${explain} ${text}` });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/Nested Loop|Join|SCAN/);
  });
});
