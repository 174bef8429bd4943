import { opendir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Executor } from '#db/client.ts';
import { makeFolders } from '#db/make-folders.ts';
import { syncNewFolder } from '#db/sync-folder.ts';
import { type Config, ConfigError } from '#server/config/config.ts';
import { isNodeError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { BLOB_FOLDERS } from './blob-store.ts';
import { PIECES } from './directory/directory-pieces.ts';
import { ignoreMissing } from './directory/local-file.ts';
import { storeFolderOf } from './open-blob-store.ts';

/** The file in a store's folder that says which installation's content is there; an empty one belongs to any. */
const MARK = 'portage-store';
const VALUE_NAME = 'store id';

/** The roles that store or read content; a name server may be where it is not. */
const WITH_CONTENT = ['console', 'edge', 's3', 'jobs'] as const;

/** How long another start may take to write into the mark that it has created. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 20;

type StoreSettings = Pick<Config, 'objectStoreUrl' | 'roles'>;

/**
 * Makes sure that a directory store is the one whose content the database names: the mount point of a disk that
 * is not mounted is an empty folder too, and what is written there is hidden once the disk is back. The first
 * start marks the folder, and so does one after a version that had no marks; of several at once, one does.
 * @throws ConfigError when it is another folder, saying how to proceed
 */
export async function claimStore(config: StoreSettings, db: Db, now: number): Promise<void> {
  const folder = folderInUse(config);
  if (folder === null) return;
  const known = await findStoreId(db);
  const mark = await readMark(folder);
  if (known !== null) {
    if (mark === '') await writeMark(folder, known);
    else requireMark(folder, mark, known);
    return;
  }
  if (mark === null && !(await hasContent(folder)) && (await namesContent(db))) throw notThere(folder);
  const id = mark || (await placeMark(folder, newId()));
  await db
    .insertInto('installation_values')
    .values({ name: VALUE_NAME, value: id, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  // Another start may have been first with another folder.
  requireMark(folder, id, (await findStoreId(db)) ?? id);
}

/**
 * The same for a process of an installation that has been started: it changes nothing.
 * @throws ConfigError when the folder is not, or no longer, the one of this installation
 */
export async function requireOwnStore(config: StoreSettings, executor: Executor): Promise<void> {
  const folder = folderInUse(config);
  const known = folder && (await findStoreId(executor));
  if (!folder || !known) return;
  const mark = await readMark(folder);
  if (mark !== '') requireMark(folder, mark, known);
}

/** Marks the folder that a restore has filled as that of the restored database. */
export async function markRestoredStore(
  config: Pick<Config, 'objectStoreUrl'>,
  executor: Executor,
): Promise<void> {
  const folder = storeFolderOf(config);
  if (folder !== null) await writeMark(folder, (await findStoreId(executor)) ?? '');
}

/** Null where nothing is stored in a folder. */
function folderInUse(config: StoreSettings): string | null {
  return WITH_CONTENT.some((role) => config.roles.has(role)) ? storeFolderOf(config) : null;
}

function requireMark(folder: string, mark: string | null, known: string): void {
  if (mark === known) return;
  if (mark === null) throw notThere(folder);
  throw new ConfigError(
    `OBJECT_STORE_URL cannot be used: ${folder} has the content of another installation. Correct the setting or mount the right disk; if the content of this one is there, empty the file ${join(folder, MARK)}.`,
  );
}

function notThere(folder: string): ConfigError {
  return new ConfigError(
    `OBJECT_STORE_URL cannot be used: the content that the database names is not in ${folder}. Mount its disk; if content is to be stored there from now on, create the folder and in it an empty file ${MARK}.`,
  );
}

async function findStoreId(executor: Executor): Promise<string | null> {
  const row = await executor
    .selectFrom('installation_values')
    .select('value')
    .where('name', '=', VALUE_NAME)
    .executeTakeFirst();
  return row?.value ?? null;
}

/** Null when there is none. @throws ConfigError when it cannot be read */
async function readMark(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, MARK), 'utf8')
    .catch(ignoreMissing)
    .catch((error: unknown) => {
      const reason = isNodeError(error) ? ` (${error.code})` : '';
      throw new ConfigError(
        `OBJECT_STORE_URL cannot be used: this account cannot read ${join(folder, MARK)}${reason}.`,
      );
    });
  return text === null ? null : text.trim();
}

async function writeMark(folder: string, id: string): Promise<void> {
  makeFolders(folder);
  await writeFile(join(folder, MARK), id === '' ? '' : `${id}\n`, { mode: 0o600, flush: true });
  await syncNewFolder(folder);
}

/**
 * Marks a folder that has no mark yet, and returns its mark: that of another start, if it was faster. One that
 * stays empty belongs to any installation.
 */
async function placeMark(folder: string, id: string): Promise<string> {
  makeFolders(folder);
  const isFirst = await writeFile(join(folder, MARK), `${id}\n`, {
    mode: 0o600,
    flush: true,
    flag: 'wx',
  }).then(
    () => true,
    (error: unknown) => {
      if (isNodeError(error) && error.code === 'EEXIST') return false;
      throw error;
    },
  );
  // The database will refuse a folder without its mark.
  await syncNewFolder(folder);
  if (isFirst) return id;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const mark = await readMark(folder);
    if (mark) return mark;
    await sleep(LOOK_EVERY_MS);
  }
  await writeMark(folder, id);
  return id;
}

/** Whether the database names content outside of it. */
async function namesContent(db: Executor): Promise<boolean> {
  const blob = await db.selectFrom('organization_blobs').select('sha256').limit(1).executeTakeFirst();
  if (blob !== undefined) return true;
  const piece = await db
    .selectFrom('object_pieces')
    .select('id')
    .where('content', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return piece !== undefined;
}

/** Whether a folder has any content of sites or buckets. */
async function hasContent(folder: string): Promise<boolean> {
  for (const name of BLOB_FOLDERS) if ((await firstIn(join(folder, name))) !== null) return true;
  const pieces = await opendir(join(folder, PIECES)).catch(ignoreMissing);
  if (pieces === null) return false;
  for await (const { name } of pieces) if ((await firstIn(join(folder, PIECES, name))) !== null) return true;
  return false;
}

async function firstIn(folder: string): Promise<string | null> {
  const entries = await opendir(folder).catch(ignoreMissing);
  if (entries === null) return null;
  for await (const { name } of entries) return name;
  return null;
}
