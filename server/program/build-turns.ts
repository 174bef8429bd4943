import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { withFileLock } from '../file-lock.ts';

/** Runs a build in a checkout, one at a time: two of them would overwrite each other. */
export function inTurn<T>(root: string, build: () => Promise<T>): Promise<T> {
  return withFileLock(join(root, 'dist.lock'), build);
}

/**
 * @throws ConfigError when the user who runs the server may not build, because the installation belongs to
 * another user. `what` is not built: a subject with its verb.
 */
export async function requireWritable(root: string, what: string): Promise<void> {
  await access(root, constants.W_OK).catch(() => {
    throw new ConfigError(
      `${what} not built, or older than the code, and ${root} cannot be written. ` +
        'Run `npm run build` there as its owner.',
    );
  });
}
