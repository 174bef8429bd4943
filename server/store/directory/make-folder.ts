import { mkdir } from 'node:fs/promises';
import { isNodeError, serviceUnavailable } from '#server/errors.ts';

/**
 * Creates a folder in an existing one, unless it exists. What a start creates is not created again: a disk that is
 * no longer mounted leaves its mount point, and what is written there is hidden once the disk is back.
 * @throws service_unavailable when the folder around it is gone
 */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (isNodeError(error) && error.code === 'ENOENT') throw serviceUnavailable(error);
    if (!isNodeError(error) || error.code !== 'EEXIST') throw error;
  });
}
