import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../logging/logger.ts';
import { inTurn, requireWritable } from '../program/build-turns.ts';
import { matchStamp, readSources, type Sources, stampOf } from '../program/source-stamp.ts';
import { precompressAssets } from './assets.ts';
import { buildStripeStandIn } from './stripe-stand-in.ts';

const run = promisify(execFile);

/** What the built pages depend on, of which app.config.ts names some. Of the services, only the client-safe leaves are in them. */
export const PAGE_SOURCES: Sources = {
  paths: [
    'app',
    'locales',
    'server/services',
    'server/error-codes.ts',
    'server/durations.ts',
    'server/console/client-chunks.ts',
    'server/console/drop-default-colors.ts',
    'server/console/drop-unused-styles.ts',
    'server/console/inline-texts.ts',
    'server/console/late-part-needs.ts',
    'server/console/theme-styles.ts',
    'server/console/without-server-functions.ts',
    'app.config.ts',
    'lingui.config.ts',
    'package-lock.json',
  ],
  isSource(file) {
    if (file.includes('/services/')) return /\/(schema|rules|[a-z-]+-rules)\.ts$/.test(file);
    // The build itself generates the route tree.
    return !file.includes('.test.') && !file.endsWith('routeTree.gen.ts');
  },
};

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
  const sources = readSources(root, PAGE_SOURCES);
  const isFresh = async () =>
    existsSync(build.serverEntry) && (await matchStamp(build.stamp, sources)) !== null;
  if (await isFresh()) return build;
  await requireWritable(root, 'The pages of the console are');
  await inTurn(root, async () => {
    // Another process may have built while this one waited.
    if (await isFresh()) return;
    logger.info('building the console (once per change of its sources)');
    await compile(root);
  });
  return build;
}

/** Builds the pages whether or not they are fresh; a server that starts afterwards uses them. */
export async function buildConsole(root: string): Promise<void> {
  await inTurn(root, () => compile(root));
}

/** The location of a build, and the stamp of its sources. */
function buildOf(root: string) {
  const dist = join(root, 'dist');
  return {
    clientFolder: join(dist, 'client'),
    serverEntry: join(dist, 'server', 'server.js'),
    stamp: join(dist, 'sources.sha256'),
  };
}

async function compile(root: string): Promise<void> {
  const { clientFolder, stamp } = buildOf(root);
  // Changes during the build are not in it.
  const sources = stampOf(readSources(root, PAGE_SOURCES));
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
