import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../logging/logger.ts';
import { inTurn, requireWritable } from '../../program/build-turns.ts';
import { earlierBuilds, findBuild, keepBuild } from '../../program/kept-builds.ts';
import { readSources, type Sources } from '../../program/source-stamp.ts';
import { precompressAssets } from '../assets.ts';
import { pagePlaces } from '../page-places.ts';
import { buildStripeStandIn } from '../stripe-stand-in.ts';

const run = promisify(execFile);

/** What the built pages depend on, of which app.config.ts names some. Of the services, only the client-safe leaves are in them. */
export const PAGE_SOURCES: Sources = {
  paths: [
    'app',
    'locales',
    'server/services',
    'server/error-codes.ts',
    'server/durations.ts',
    'server/console/page-build/client-chunks.ts',
    'server/console/page-build/drop-default-colors.ts',
    'server/console/page-build/drop-schema-words.ts',
    'server/console/page-build/drop-unused-styles.ts',
    'server/console/page-build/inline-texts.ts',
    'server/console/page-build/lazy-part-needs.ts',
    'server/console/page-build/theme-styles.ts',
    'server/console/page-build/without-server-functions.ts',
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

/** A built console. */
export interface ConsoleBuild {
  /** Tells it from other builds. */
  name: string;
  folder: string;
  clientFolder: string;
  serverEntry: string;
}

/**
 * Builds the pages when they are missing or older than their sources (`npm start` on a fresh checkout), and
 * returns where they are. Each build has a folder named after its sources, and two before it stay for the pages that are open.
 */
export async function ensureConsoleBuild(root: string, logger: Logger): Promise<ConsoleBuild> {
  const find = () => findBuild(pagePlaces(root), readSources(root, PAGE_SOURCES));
  const found = await find();
  if (found !== null) return buildIn(found);
  await requireWritable(root, 'The pages of the console are');
  return inTurn(root, async () => {
    // Another process may have built while this one waited.
    const foundLater = await find();
    if (foundLater !== null) return buildIn(foundLater);
    logger.info('building the console (once per change of its sources)');
    return buildIn(await build(root));
  });
}

/**
 * Returns the pages that a start was prepared with, also when the sources have changed since, as in an upgrade
 * before the processes are replaced. Where there are none, or they are gone, returns those of the current sources.
 */
export async function openConsoleBuild(
  root: string,
  prepared: string | null,
  logger: Logger,
): Promise<ConsoleBuild> {
  if (prepared !== null && existsSync(prepared)) return buildIn(prepared);
  return ensureConsoleBuild(root, logger);
}

/** Builds the pages, unless these sources have been built before; a server that starts afterwards uses them. */
export async function buildConsole(root: string): Promise<void> {
  await inTurn(root, () => build(root));
}

/** Returns the folders of the scripts and styles of the builds before one, as far as they are still there. */
export async function earlierClientFolders(build: ConsoleBuild): Promise<string[]> {
  const earlier = await earlierBuilds(join(build.clientFolder, '..'));
  return earlier.map((folder) => buildIn(folder).clientFolder);
}

function buildIn(folder: string): ConsoleBuild {
  return {
    name: basename(folder),
    folder,
    clientFolder: join(folder, 'client'),
    serverEntry: join(folder, 'server', 'server.js'),
  };
}

function build(root: string): Promise<string> {
  return keepBuild(pagePlaces(root), readSources(root, PAGE_SOURCES), (folder) => compile(root, folder));
}

async function compile(root: string, folder: string): Promise<void> {
  // With this Node: the one that a shell finds may be older.
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--config', 'app.config.ts', '--logLevel', 'warn', '--outDir', folder];
  await run(process.execPath, [vite, 'build', ...options], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    maxBuffer: 16 * 1024 * 1024,
  });
  await precompressAssets(buildIn(folder).clientFolder);
  await buildStripeStandIn(root, folder);
}
