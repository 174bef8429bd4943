import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the names in a folder durable: after a power cut, a file that was synced may still be without its name. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The same for a folder that may itself be new: its own name is made durable as well. If this process may not open the
 * folder around it, that was prepared by its owner.
 */
export async function syncNewFolder(path: string): Promise<void> {
  await syncFolder(path);
  await syncFolder(dirname(path)).catch(() => undefined);
}
