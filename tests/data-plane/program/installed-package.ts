import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteFiles } from '#tests/support/client/deploy-client.ts';

/**
 * Returns every file of an installed package by its slash-separated path: a real site or library, as its
 * authors made it.
 */
export async function readInstalledPackage(name: string): Promise<SiteFiles> {
  const root = join(process.cwd(), 'node_modules', name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files: SiteFiles = {};
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length + 1).replaceAll('\\', '/')] = await readFile(path);
  }
  return files;
}
