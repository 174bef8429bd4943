import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '#db/client.ts';
import { openLocalAuthority } from '#server/certificate-authority/local-authority.ts';
import { loadConfig } from '#server/config/config.ts';
import { openSealer } from '#server/secrets/master-key.ts';

/** What is in the database of a test before it begins: the schema, or also what a first start writes. */
export type Template = 'migrated' | 'prepared';

/** When the clock of a test begins. */
export const TEST_CLOCK_START = Date.UTC(2026, 2, 1, 12);

const KEY = Buffer.alloc(32, 'the master key of tests').toString('base64');

/** Returns the template for a program with these settings: what a first start writes depends on some of them. */
export function templateFor({ MASTER_KEY, PRODUCT_NAME }: Record<string, string> = {}): Template {
  return MASTER_KEY || PRODUCT_NAME ? 'migrated' : 'prepared';
}

/**
 * Writes to a migrated database what the first start of an installation writes: the check of its master key and the
 * root of its own certificates. They take a third of the time in which a test makes its app, and a sixth of that in
 * which the program starts.
 */
export async function prepareInstallation(db: Db): Promise<void> {
  const config = loadConfig({ MASTER_KEY: KEY });
  const sealer = await openSealer(config, db, TEST_CLOCK_START);
  const clock = { now: () => TEST_CLOCK_START };
  await openLocalAuthority({ db, sealer, clock, productName: config.productName });
}

/** Writes the master key of a prepared database to the folder of its data. */
export function writePreparedKey(dataDir: string): Promise<void> {
  return writeFile(join(dataDir, 'master.key'), `${KEY}\n`, { mode: 0o600 });
}
