import type { BenchResult } from './bench-result.ts';
import {
  deployArchive,
  deployFolder,
  type LargeDeploy,
  type LargeDeployFigures,
  measureLargeDeploy,
  withArchive,
  withManyFiles,
} from './large-deploys.ts';

const FILES = 100_000;

/** How long deploys of 100,000 small files take, and how long others wait meanwhile. */
export async function benchLargeDeploys(files = FILES): Promise<BenchResult[]> {
  return withManyFiles(files, async (folder) => [
    ...(await measure('with the command line', deployFolder(folder), files)),
    ...(await withArchive(folder, (archive) =>
      measure('as one tar.gz', deployArchive(archive, files), files),
    )),
  ]);
}

async function measure(how: string, deploy: LargeDeploy, files: number): Promise<BenchResult[]> {
  const { seconds, edge, console, blockedCpuMs } = await measureLargeDeploy(deploy);
  const name = `${files.toLocaleString('en-CA')} files ${how}`;
  return [
    { name, value: seconds, unit: 's', target: '< 20 s' },
    waitOf(`${name}, longest wait of another site’s visitor`, edge),
    waitOf(`${name}, longest wait at the console`, console),
    { name: `${name}, longest turn of any process`, value: blockedCpuMs, unit: 'ms' },
  ];
}

function waitOf(name: string, { longestMs, controlLongestMs }: LargeDeployFigures['edge']): BenchResult {
  return {
    name,
    value: longestMs,
    unit: 'ms',
    peer: 'an idle server beside it',
    peerValue: controlLongestMs,
    target: '< 50 ms',
  };
}
