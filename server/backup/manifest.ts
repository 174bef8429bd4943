import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder } from '#db/sync-folder.ts';
import { ConfigError } from '#server/config/config-error.ts';
import { isNodeError } from '#server/errors.ts';

const FILE = 'backup.json';
const count = z.number().int().nonnegative();

/** The description of a backup. It is written last: a folder without it contains no complete backup. */
const manifestSchema = z.object({
  format: z.literal(1),
  created_at: z.iso.datetime(),
  /** Identifies the master key without revealing it. */
  key_id: z.string(),
  database: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    /** In the same folder. */
    file: z.string().regex(/^database-[\w-]+\.(sqlite|jsonl\.gz)$/),
    bytes: count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** The newest migration that has been applied. */
    migration: z.string(),
    /** Rows by table. */
    rows: z.record(z.string(), count),
  }),
  content: z.object({ blobs: count, pieces: count, bytes: count, missing: count }),
});
export type Manifest = z.infer<typeof manifestSchema>;

/**
 * Reads the manifest in a folder.
 * @throws ConfigError when it is not a complete backup, or is from a newer program
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const manifest = await findManifest(folder);
  if (manifest === null)
    throw new ConfigError(`${folder} contains no complete backup: there is no ${FILE} in it.`);
  return manifest;
}

/** The same, or null when there is none yet. */
async function findManifest(folder: string): Promise<Manifest | null> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error: unknown) => {
    if (isNodeError(error) && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${join(folder, FILE)} is damaged, or from a newer version of this program.`);
  }
}

/** Replaces the previous manifest, durably. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, FILE);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}
