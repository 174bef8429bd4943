import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isNodeError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { precompressAssets } from './assets.ts';

const run = promisify(execFile);

/** What the built pages depend on; a change in any of it makes the build stale. */
const SOURCES = [
  'app',
  'locales',
  'server/services',
  'server/error-codes.ts',
  'app.config.ts',
  'lingui.config.ts',
  'package-lock.json',
];

const LOCK_RETRY_MS = 200;

/** The folders of a built console. */
export interface ConsoleBuild {
  clientFolder: string;
  serverEntry: string;
}

/**
 * Builds the pages when they are missing or older than their sources (`npm start` on a fresh checkout), and returns where
 * they are. The sources' hash lies beside the build.
 */
export async function ensureConsoleBuild(root: string, logger: Logger): Promise<ConsoleBuild> {
  const dist = join(root, 'dist');
  const build = { clientFolder: join(dist, 'client'), serverEntry: join(dist, 'server', 'server.js') };
  const stamp = join(dist, 'sources.sha256');
  const current = await hashSources(root);
  const isFresh = async () =>
    existsSync(build.serverEntry) && (await readFile(stamp, 'utf8').catch(() => '')) === current;
  if (await isFresh()) return build;
  return withBuildLock(dist, async () => {
    // Another process may have built while this one waited.
    if (await isFresh()) return build;
    logger.info('building the console (once per change of its sources)');
    const vite = join(root, 'node_modules', '.bin', 'vite');
    await run(vite, ['build', '--config', 'app.config.ts', '--logLevel', 'warn'], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      maxBuffer: 16 * 1024 * 1024,
    });
    await precompressAssets(build.clientFolder);
    await writeFile(stamp, current);
    return build;
  });
}

/** Runs `work` in one process at a time: two that start on one checkout would build into each other's folder. */
async function withBuildLock<T>(dist: string, work: () => Promise<T>): Promise<T> {
  const lock = `${dist}.lock`;
  await takeLock(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  for (;;) {
    try {
      await writeFile(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (!isNodeError(error) || error.code !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    // A holder that died left its lock behind.
    if (holder > 0 && !isRunning(holder)) await rm(lock, { force: true });
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function hashSources(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null);
    const files = entries
      ? entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      : [path];
    for (const file of files.filter(isSource).sort()) {
      hash
        .update(file.slice(root.length))
        .update('\0')
        .update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

/** Of the services only the client-safe leaves are in the pages; the route tree is made by the build itself. */
function isSource(file: string): boolean {
  if (file.includes('/services/')) return /\/(schema|rules|[a-z-]+-rules)\.ts$/.test(file);
  return !file.includes('.test.') && !file.endsWith('routeTree.gen.ts');
}
