import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isPostgres } from '#db/client.ts';
import { DAY_MS } from '#server/durations.ts';
import { deployTestFiles, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { listLimits } from '../../limits/list-limits.ts';
import { createEdgePorts } from '../../serving/edge-ports.ts';
import { createSite } from '../../sites/create-site.ts';
import { getSite } from '../../sites/get-site.ts';
import { updateSite } from '../../sites/update-site.ts';
import { collectGarbage } from '../blobs/collect-garbage.ts';
import { listVersions } from '../list-versions.ts';
import { rollbackSite } from '../rollback-site.ts';
import { previewRetention } from './preview-retention.ts';
import { removeOldVersions } from './remove-old-versions.ts';

const jobOf = (app: TestApp) => ({
  app,
  actor: { kind: 'job', name: 'remove-old-versions' } as const,
  requestId: '',
  address: '',
});

/** A site with this many versions, a day apart, each with its own content and some that all share. */
async function prepare(count: number) {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const site_id = site.id;
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const files = { 'index.html': `own ${number}`, 'style.css': 'of all' };
    ids.push((await deployTestFiles(context, site_id, files)).version_id);
    app.clock.advance(DAY_MS);
  }
  const numbers = async () => {
    const { items } = await listVersions(context, { site_id });
    return items.map(({ number }) => number);
  };
  return { app, context, site_id, ids, numbers, job: jobOf(app) };
}

it('the bytes of many files are counted exactly, with the rest of a version that one statement does not read', async () => {
  const { app, context, site_id, ids } = await prepare(4);
  app.clock.advance(30 * DAY_MS);
  const FILES = 1_500;
  for (const version_id of ids.slice(0, 3)) {
    const rows = Array.from({ length: FILES }, (_, file) => ({
      version_id,
      path: `many/${file}.txt`,
      // The first hundred are in all of them.
      sha256: sha256Of(`${file < 100 ? '' : version_id} ${file}`),
      size: 3,
      content_type: 'text/plain',
    }));
    await app.db.insertInto('version_files').values(rows).execute();
  }
  const own = 3 * 'own 1'.length;
  const bytes = 3 * (3 * (FILES - 100) + 100) + own;
  const preview = await previewRetention(context, { site_id, keep_versions: 1, keep_days: 0 });
  expect(preview).toEqual({ versions: 3, bytes });
});

describe('old versions of a site', () => {
  it('are kept as the site has chosen; others are removed with their content and preview, and recorded', async () => {
    const { app, context, site_id, ids, numbers, job } = await prepare(6);
    expect(await removeOldVersions(job)).toEqual({ removed: 0 });
    const retention = { keep_versions: 2, keep_days: 0 };
    // Those replaced in the last seven days are still needed by open pages.
    await updateSite(context, { site_id, ...retention });
    expect(await removeOldVersions(job)).toEqual({ removed: 0 });
    app.clock.advance(7 * DAY_MS);
    const bytes = 4 * 'own 1'.length;
    expect(await previewRetention(context, { site_id, ...retention })).toEqual({ versions: 4, bytes });
    const within = await previewRetention(context, { site_id, keep_versions: 1, keep_days: 12 });
    expect(within).toMatchObject({ versions: 1 });
    expect(await removeOldVersions(job)).toEqual({ removed: 4 });
    expect(await numbers()).toEqual([6, 5]);
    expect(await getSite(context, { site_id })).toMatchObject({ removed_versions: 4 });
    expect(await previewRetention(context, { site_id, ...retention })).toEqual({ versions: 0, bytes: 0 });
    const ports = createEdgePorts(app);
    const gone = await ports.resolveHost(`${ids[0]}--blog.sites.localhost`);
    expect(gone).toMatchObject({ kind: 'preview', versionId: null });
    expect(await ports.resolveHost(`${ids[0]}--nosuch.sites.localhost`)).toBeNull();
    expect(await ports.resolveHost(`${ids[5]}--blog.sites.localhost`)).toMatchObject({ versionId: ids[5] });
    const events = await app.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'before', 'after'])
      .where('action', '=', 'version.remove')
      .execute();
    expect(events).toEqual([
      {
        actor_kind: 'job',
        before: JSON.stringify({ numbers: [1, 2, 3, 4] }),
        after: JSON.stringify(retention),
      },
    ]);
    const [before] = await storedBytes(context);
    await collectGarbage(job);
    const [after, versions] = await storedBytes(context);
    expect([before - after, versions]).toEqual([bytes, 2]);
  });

  it('stay while they are current, are being uploaded, or were sealed in the days that are kept', async () => {
    const { app, context, site_id, ids, numbers, job } = await prepare(4);
    await rollbackSite(context, { site_id, version_id: ids[0] ?? '' });
    const open = await uploadTestVersion(context, site_id, { 'index.html': 'open' });
    app.clock.advance(10 * DAY_MS);
    await updateSite(context, { site_id, keep_versions: 1, keep_days: 12 });
    // 4 is the newest, 1 current, 3 was sealed 12 days ago or less; 2 is removed although it was reverted,
    // and 5 is open.
    expect(await removeOldVersions(job)).toEqual({ removed: 1 });
    expect(await numbers()).toEqual([5, 4, 3, 1]);
    expect(open).toBeTruthy();
  });

  it('are removed one by one, and one that cannot be deleted does not block the others', async () => {
    const { app, context, site_id, ids, job, numbers } = await prepare(5);
    app.clock.advance(100 * DAY_MS);
    await updateSite(context, { site_id, keep_versions: 1 });
    const poison = ids[1] ?? '';
    const refuse = {
      sqlite: `create trigger poison before delete on version_files when old.version_id = '${poison}'
        begin select raise(abort, 'poison'); end`,
      postgres: `create function poison() returns trigger language plpgsql as
        $$ begin if old.version_id = '${poison}' then raise exception 'poison'; end if; return old; end $$;
        create trigger poison before delete on version_files for each row execute function poison()`,
    };
    await sql.raw(isPostgres(app.db) ? refuse.postgres : refuse.sqlite).execute(app.db);
    expect(await removeOldVersions(job)).toEqual({ removed: 4 });
    const left = await app.db.selectFrom('site_versions').select('id').orderBy('number').execute();
    expect(left.map(({ id }) => id)).toEqual([poison, ids[4]]);
    expect(await numbers()).toEqual([5]);
    await sql
      .raw(isPostgres(app.db) ? 'drop trigger poison on version_files' : 'drop trigger poison')
      .execute(app.db);
    app.clock.advance(7 * DAY_MS);
    expect(await removeOldVersions(job)).toEqual({ removed: 0 });
    expect(await app.db.selectFrom('site_versions').select('id').execute()).toHaveLength(1);
  });

  it('are either rolled back to or removed when both happen at once', async () => {
    const { app, context, site_id, ids, numbers, job } = await prepare(3);
    app.clock.advance(100 * DAY_MS);
    await updateSite(context, { site_id, keep_versions: 1 });
    const [rolledBack] = await atOnce<unknown>(app, [
      () => rollbackSite(context, { site_id, version_id: ids[0] ?? '' }),
      () => removeOldVersions(job),
    ]);
    const site = await getSite(context, { site_id });
    const kept = await numbers();
    if (rolledBack?.status === 'fulfilled') {
      expect([site.current_version_id, kept.includes(1)]).toEqual([ids[0], true]);
    } else {
      expect([site.current_version_id, kept]).toEqual([ids[2], [3]]);
    }
  });
});

async function storedBytes(context: Parameters<typeof listLimits>[0]): Promise<[number, number]> {
  const uses = new Map((await listLimits(context)).map(({ name, used }) => [name, used]));
  return [uses.get('stored_bytes') ?? 0, uses.get('versions') ?? 0];
}
