import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { blobName } from '#server/store/blob-store.ts';
import { deployTestFiles, manifestOf, sha256Of } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SCRUB_EVERY_MS } from '../../scrub/rules.ts';
import { createSite } from '../../sites/create-site.ts';
import { createCopyRepair } from '../encodings/copy-repair.ts';

import { openVersion } from '../open-version.ts';
import { LOST_FILES_JOB } from '../rules.ts';
import { noteLostFile, scrubFiles } from './scrub-files.ts';

const going = () => new AbortController().signal;
const FILES = { 'index.html': 'whole', 'changed.txt': 'right', 'cut.txt': 'longer', 'lost.txt': 'gone' };

async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  await deployTestFiles(context, site.id, FILES);
  const fileOf = (content: string) =>
    join(app.config.dataDir, 'blobs', blobName(sha256Of(content), 'identity'));
  const findings = async () =>
    (
      await app.db
        .selectFrom('stuck_work')
        .select('error')
        .where('job', '=', LOST_FILES_JOB)
        .orderBy('error')
        .execute()
    ).map(({ error }) => error);
  const missing = async () =>
    (await openVersion(context, { site_id: site.id, files: manifestOf(FILES) })).missing;
  return { app, context, site, fileOf, findings, missing };
}

describe('the scrub of what sites have deployed', () => {
  it('rereads everything periodically and reports nothing wrong with intact content', async () => {
    const { app, context, findings } = await prepare();
    expect(await scrubFiles(context, going())).toBe(4);
    expect(await scrubFiles(context, going())).toBe(0);
    app.clock.advance(SCRUB_EVERY_MS);
    expect(await scrubFiles(context, going())).toBe(4);
    expect(await findings()).toEqual([]);
  });

  it('reports which file is missing, truncated or changed, and the next deploy mends it', async () => {
    const { app, context, site, fileOf, findings, missing } = await prepare();
    await writeFile(fileOf('right'), 'wrong');
    await writeFile(fileOf('longer'), 'long');
    await rm(fileOf('gone'));
    expect(await missing()).toEqual([]);
    await scrubFiles(context, going());
    expect(await findings()).toEqual([
      expect.stringMatching(
        /stored content has changed: the file "changed.txt" of version 1 of the site blog/,
      ),
      expect.stringMatching(/stored content is cut after 4 of 6 bytes: the file "cut.txt"/),
      expect.stringMatching(/stored content is missing: the file "lost.txt"/),
    ]);
    const lost = ['right', 'longer', 'gone'].map(sha256Of).sort();
    expect((await missing()).sort()).toEqual(lost);

    await deployTestFiles(context, site.id, FILES);
    expect(await findings()).toEqual([]);
    expect(await missing()).toEqual([]);
    app.clock.advance(SCRUB_EVERY_MS);
    expect(await scrubFiles(context, going())).toBe(4);
    expect(await findings()).toEqual([]);
  });

  it('takes content back that an operator has restored', async () => {
    const { app, context, fileOf, findings, missing } = await prepare();
    await rm(fileOf('gone'));
    await scrubFiles(context, going());
    expect(await missing()).toEqual([sha256Of('gone')]);
    await writeFile(fileOf('gone'), 'gone');
    app.clock.advance(2 * 60_000);
    await scrubFiles(context, going());
    expect(await findings()).toEqual([]);
    expect(await missing()).toEqual([]);
  });
});

describe('a file that an edge could not serve', () => {
  it('is recorded if it has changed', async () => {
    const { app, fileOf, findings, missing } = await prepare();
    await writeFile(fileOf('right'), 'wrong');
    expect(await noteLostFile(app, sha256Of('right'))).toBe(true);
    expect(await findings()).toEqual([
      expect.stringContaining('stored content has changed: the file "changed.txt"'),
    ]);
    expect(await missing()).toEqual([sha256Of('right')]);
  });

  it('is recorded if it is really gone', async () => {
    const { app, fileOf, findings, missing } = await prepare();
    expect(await noteLostFile(app, sha256Of('whole'))).toBe(false);
    expect(await noteLostFile(app, sha256Of('of nobody'))).toBe(false);
    await rm(fileOf('gone'));
    createCopyRepair(app).repair(sha256Of('gone'));
    await expect.poll(findings).toEqual([expect.stringContaining('the file "lost.txt" of version 1')]);
    expect(await missing()).toEqual([sha256Of('gone')]);
  });

  it('is checked and recorded once, however often it and others are reported', async () => {
    const { app, fileOf, findings } = await prepare();
    await rm(fileOf('gone'));
    await rm(fileOf('right'));
    const opened = vi.spyOn(app.blobs, 'open');
    const repairer = createCopyRepair(app);
    repairer.repair(sha256Of('gone'));
    await expect.poll(findings).toHaveLength(1);
    repairer.repair(sha256Of('right'));
    await expect.poll(findings).toHaveLength(2);
    expect(opened.mock.calls.filter(([sha256]) => sha256 === sha256Of('gone'))).toHaveLength(1);
    expect(await noteLostFile(app, sha256Of('gone'))).toBe(true);
    const rows = await app.db.selectFrom('stuck_work').select(['attempts']).execute();
    expect(rows).toEqual([{ attempts: 1 }, { attempts: 1 }]);
  });
});
