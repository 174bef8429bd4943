import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '#db/client.ts';
import { keepPrivate } from '#db/keep-private.ts';
import { makeFolders } from '#db/make-folders.ts';
import { syncNewFolder } from '#db/sync-folder.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { isNodeError } from '../errors.ts';
import { newId } from '../ids.ts';
import { createSealer, type Sealer } from './sealer.ts';

const CHECK_NAME = 'master-key-check';

/**
 * Returns the master key: MASTER_KEY, otherwise the file `master.key` of DATA_DIR, created there (0600) on
 * the first start.
 */
async function readMasterKey(config: Config): Promise<Buffer> {
  const path = keyFileOf(config);
  if (!config.masterKey && !existsSync(path)) await createKeyFile(config.dataDir, path);
  return requireMasterKey(config);
}

/**
 * Creates the key under its name completely or not at all, and durably: nothing may be sealed under a key that a power
 * cut takes away. Of two starts at the same moment, one creates it.
 */
async function createKeyFile(dataDir: string, path: string): Promise<void> {
  makeFolders(dataDir);
  const unfinished = `${path}.${newId()}.tmp`;
  await writeFile(unfinished, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  await link(unfinished, path).catch(async (error: unknown) => {
    if (isNodeError(error) && error.code === 'EEXIST') return;
    // Not every file system supports second names.
    if (!existsSync(path)) await rename(unfinished, path);
  });
  await rm(unfinished, { force: true });
  await syncNewFolder(dataDir);
}

/** @throws ConfigError when there is none */
function requireMasterKey(config: Config): Buffer {
  const key = findMasterKey(config);
  if (key === null) throw new ConfigError('MASTER_KEY cannot be used: the key file in DATA_DIR is gone.');
  return key;
}

const keyFileOf = ({ dataDir }: Config) => join(dataDir, 'master.key');

/** Returns the master key, or null when there is none yet. @throws ConfigError when its file is damaged */
export function findMasterKey(config: Config): Buffer | null {
  if (config.masterKey) return Buffer.from(config.masterKey, 'base64');
  const path = keyFileOf(config);
  if (!existsSync(path)) return null;
  keepPrivate(path);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32)
    throw new ConfigError('MASTER_KEY cannot be used: the key file in DATA_DIR is damaged.');
  return key;
}

/**
 * Returns the sealer while the database cannot be asked: under another key, nothing that is kept opens.
 * @throws ConfigError when there is no key
 */
export function openSealerUnchecked(config: Config): Sealer {
  return createSealer(requireMasterKey(config));
}

/**
 * Returns the sealer after verifying that it opens this database's secrets; on an empty database it leaves a
 * check value for the next start.
 * @throws ConfigError naming MASTER_KEY when the database was written under another key
 */
export async function openSealer(config: Config, db: Db, now: number): Promise<Sealer> {
  const sealer = createSealer(await readMasterKey(config));
  const findCheck = () =>
    db.selectFrom('installation_values').select('value').where('name', '=', CHECK_NAME).executeTakeFirst();
  // Only the first start writes: an edge's handle is read-only.
  if (!(await findCheck())) {
    await db
      .insertInto('installation_values')
      .values({ name: CHECK_NAME, value: sealer.seal('portage', CHECK_NAME), created_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  }
  const check = await findCheck();
  try {
    sealer.open(check?.value ?? '', CHECK_NAME);
  } catch {
    throw new ConfigError("MASTER_KEY cannot be used: it does not open this database's secrets.");
  }
  return sealer;
}
