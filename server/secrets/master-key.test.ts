import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import { ConfigError, loadConfig } from '../config/config.ts';
import { openSealer } from './master-key.ts';

let dataDir: string;
let db: Db;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portage-key-'));
  db = openDatabase(`sqlite:${join(dataDir, 'test.sqlite')}`);
  await migrateToLatest(db);
});
afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true, force: true });
});

const config = (more: Record<string, string> = {}) => loadConfig({ DATA_DIR: dataDir, ...more });

describe('the master key', () => {
  it('is created on the first start, readable only by its owner, and used again on the next', async () => {
    const sealed = (await openSealer(config(), db, 1)).seal('secret', 'row');
    const { mode } = await stat(join(dataDir, 'master.key'));
    expect(mode & 0o777).toBe(0o600);
    expect((await openSealer(config(), db, 2)).open(sealed, 'row')).toBe('secret');
  });

  it('has survived a power cut before anything is sealed under it', async () => {
    const { survives } = await watchSyncs();
    await openSealer(config(), db, 1);
    expect(await survives(join(dataDir, 'master.key'))).toBe(true);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('master.key'))).toEqual(['master.key']);
  });

  it('is one key when several starts create it at the same moment', async () => {
    const sealers = await Promise.all([1, 2, 3].map((now) => openSealer(config(), db, now)));
    const [sealed] = sealers.map((sealer) => sealer.seal('secret', 'row'));
    for (const sealer of sealers) expect(sealer.open(sealed ?? '', 'row')).toBe('secret');
  });

  it('comes from MASTER_KEY when it is set, and no file is created', async () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    await openSealer(config({ MASTER_KEY: key }), db, 1);
    await expect(readFile(join(dataDir, 'master.key'))).rejects.toThrow('ENOENT');
  });

  it("is refused when it does not open the database's secrets", async () => {
    await openSealer(config(), db, 1);
    const other = config({ MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
    await expect(openSealer(other, db, 2)).rejects.toThrow(ConfigError);
    await expect(openSealer(other, db, 2)).rejects.toThrow(/^MASTER_KEY cannot be used/);
  });

  it('is refused when its file is damaged', async () => {
    await writeFile(join(dataDir, 'master.key'), 'half a key\n');
    await expect(openSealer(config(), db, 1)).rejects.toThrow(/^MASTER_KEY cannot be used/);
  });
});
