import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '#server/config/config-error.ts';
import { withFileLock } from '#server/file-lock.ts';
import type { Logger } from '../logging/logger.ts';
import { precompressAssets } from './assets.ts';
import { isStamped, readSources, stampOf } from './source-stamp.ts';
import { buildStripeStandIn } from './stripe-stand-in.ts';

const run = promisify(execFile);

/** The folders of a built console. */
export interface ConsoleBuild {
  clientFolder: string;
  serverEntry: string;
}

/**
 * Builds the pages when they are missing or older than their sources (`npm start` on a fresh checkout), and
 * returns where they are. The sources' hash is stored next to the build.
 */
export async function ensureConsoleBuild(root: string, logger: Logger): Promise<ConsoleBuild> {
  const build = buildOf(root);
  const sources = readSources(root);
  const isFresh = async () => existsSync(build.serverEntry) && (await isStamped(build.stamp, sources));
  if (await isFresh()) return build;
  await requireWritable(root);
  await withFileLock(build.lock, async () => {
    // Another process may have built while this one waited.
    if (await isFresh()) return;
    logger.info('building the console (once per change of its sources)');
    await compile(root);
  });
  return build;
}

/**
 * @throws ConfigError when the user who runs the server may not build, because the installation belongs to
 * another user
 */
async function requireWritable(root: string): Promise<void> {
  await access(root, constants.W_OK).catch(() => {
    throw new ConfigError(
      `The pages of the console are not built, or older than the code, and ${root} cannot be written. ` +
        'Run `npm run build` there as its owner.',
    );
  });
}

/**
 * Builds the pages whether or not they are fresh (`npm run build`); a server that starts afterwards uses
 * them.
 */
export async function buildConsole(root: string): Promise<void> {
  await withFileLock(buildOf(root).lock, () => compile(root));
}

/**
 * The location of a build, the hash of its sources, and the lock: two builds of one checkout would overwrite
 * each other.
 */
function buildOf(root: string) {
  const dist = join(root, 'dist');
  return {
    clientFolder: join(dist, 'client'),
    serverEntry: join(dist, 'server', 'server.js'),
    stamp: join(dist, 'sources.sha256'),
    lock: `${dist}.lock`,
  };
}

async function compile(root: string): Promise<void> {
  const { clientFolder, stamp } = buildOf(root);
  // Changes during the build are not in it.
  const sources = stampOf(readSources(root));
  // With this Node: the one that a shell finds may be older.
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  await run(process.execPath, [vite, 'build', '--config', 'app.config.ts', '--logLevel', 'warn'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    maxBuffer: 16 * 1024 * 1024,
  });
  await precompressAssets(clientFolder);
  await buildStripeStandIn(root);
  await writeFile(stamp, sources);
}
