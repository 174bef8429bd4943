import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '#db/make-folders.ts';
import { syncNewFolder } from '#db/sync-folder.ts';
import type { App } from '#server/context.ts';
import { withFileLock } from '#server/file-lock.ts';
import { newId } from '#server/ids.ts';
import { openDirectoryStore } from '#server/store/directory/directory-store.ts';
import { copyContent, removeUnnamed } from './copy-content.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import { describeSnapshot, snapshotDatabase } from './snapshot-database.ts';

/** Where content is kept in a folder of backups. */
export const CONTENT = 'content';

/** What a backup contains, and what it could not find. */
export interface BackupReport extends Manifest {
  folder: string;
  /** Content that rows refer to and the store does not have. */
  missing: string[];
  /** Files of the previous backup that this one does not need. */
  removed: number;
}

/**
 * Backs up an installation to a folder while it runs: the database as it is at one moment, and all content
 * that it refers to. Content never changes, so a folder with an earlier backup is only added to; that backup
 * stays complete until this one is. The key that opens the secrets in the database is not included. A second
 * backup waits for the first to finish.
 */
export async function backUp(app: App, folder: string): Promise<BackupReport> {
  makeFolders(folder);
  return withFileLock(join(folder, 'backup.lock'), () => writeBackup(app, folder));
}

async function writeBackup({ config, db, blobs, sealer, clock }: App, folder: string): Promise<BackupReport> {
  const store = await openDirectoryStore(join(folder, CONTENT));
  const now = new Date(clock.now());
  // Copy the bulk first, so that little is left to copy between the snapshot and the moment when its content
  // is safe. What is deployed meanwhile is copied then, and what is removed meanwhile stays for at least an
  // hour.
  await copyContent(db, blobs, store);
  const mark = `${now.toISOString().replace(/\W/g, '-')}-${newId().slice(-6)}`;
  const snapshot = await snapshotDatabase(config.databaseUrl, folder, mark);
  try {
    const { missing, ...content } = await copyContent(snapshot.reader, blobs, store);
    const manifest: Manifest = {
      format: 1,
      created_at: now.toISOString(),
      key_id: sealer.keyId,
      database: await describeSnapshot(folder, snapshot),
      content: { ...content, missing: missing.length },
    };
    await syncNewFolder(folder);
    await writeManifest(folder, manifest);
    await removeOldDatabases(folder, snapshot.file);
    return { ...manifest, folder, missing, removed: await removeUnnamed(snapshot.reader, store) };
  } finally {
    await snapshot.close();
  }
}

/** The names that `writeBackup` gives to databases; the folder may contain files of other programs. */
const DATABASE = /^database-\d{4}-\d{2}-\d{2}T[\w-]+\.(sqlite|jsonl\.gz)$/;

/** Databases of earlier backups, and of one that was interrupted. */
async function removeOldDatabases(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (DATABASE.test(name) && name !== current) await rm(join(folder, name), { force: true });
  }
}
