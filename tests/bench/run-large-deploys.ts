import { parseArgs } from 'node:util';
import { ensureConsoleBuild } from '#server/console/page-build/build-console.ts';
import { createLogger } from '#server/logging/logger.ts';
import {
  deployArchive,
  deployFolder,
  type LargeDeployFigures,
  measureLargeDeploy,
  withArchive,
  withManyFiles,
} from './large-deploys.ts';

/**
 * `npm run bench:deploys -- [--only folder,archive,paths] [--files N] [--profile folder]`: deploys 100,000
 * small files with the command line and as a tar.gz, and 20,000 with the longest allowed paths, and prints
 * how long each took and its effect on others. With `--profile` the server writes a CPU profile.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'folder,archive,paths' },
    files: { type: 'string', default: '100000' },
    profile: { type: 'string' },
  },
});
const print = (text: string) => process.stdout.write(`${text}\n`);
const only = values.only.split(',');
const files = Number(values.files);
const environment: Record<string, string> =
  values.profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` };
await ensureConsoleBuild(process.cwd(), createLogger('warn'));

const isWanted = (name: string) => only.includes(name);
if (isWanted('folder') || isWanted('archive')) {
  await withManyFiles(files, async (folder) => {
    if (isWanted('folder')) {
      const title = `${files} files by the command line`;
      print(describe(title, await measureLargeDeploy(deployFolder(folder), environment)));
    }
    if (isWanted('archive')) {
      await withArchive(folder, async (archive) => {
        const title = `${files} files as one tar.gz`;
        print(describe(title, await measureLargeDeploy(deployArchive(archive, files), environment)));
      });
    }
  });
}
if (isWanted('paths')) {
  const deployLongPaths = async (folder: string) => {
    const title = `${files / 5} files with paths of a thousand bytes by the command line`;
    print(describe(title, await measureLargeDeploy(deployFolder(folder), environment)));
  };
  await withManyFiles(files / 5, deployLongPaths, { hasLongPaths: true });
}

function describe(title: string, figures: LargeDeployFigures): string {
  const { seconds, steps, blockedCpuMs, blockedWallMs, rssBytes, loopCpuSeconds, processCpuSeconds, edge } =
    figures;
  const visitor = (name: string, of: LargeDeployFigures['edge']) =>
    `  ${name}: p50 ${of.p50Ms.toFixed(1)} ms, p99 ${of.p99Ms.toFixed(1)} ms, longest ${of.longestMs.toFixed(0)} ms ` +
    `(an idle server beside it ${of.controlLongestMs.toFixed(0)} ms), ${of.failures.length} failed of ${of.visits}`;
  return [
    `${title}: ${seconds.toFixed(1)} s`,
    `  ${steps.map(({ name, at }) => `${at.toFixed(1)} s ${name}`).join(', ')}`,
    `  longest block ${blockedCpuMs.toFixed(0)} ms of processor time, ${blockedWallMs.toFixed(0)} ms by the clock; ` +
      `${loopCpuSeconds.toFixed(1)} s of processor time in the loop, ${processCpuSeconds.toFixed(1)} s in all; ` +
      `memory ${Math.round(rssBytes / 1024 ** 2)} MiB at most`,
    `  longest blocks: ${figures.blocks.map(({ cpuMs, at }) => `${cpuMs.toFixed(0)} ms at ${at.toFixed(1)} s`).join(', ')}`,
    visitor('another site', edge),
    visitor('the console', figures.console),
    ...edge.failures.slice(0, 3),
  ].join('\n');
}
