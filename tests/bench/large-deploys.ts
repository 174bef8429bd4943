import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { watchProcesses } from '#tests/fuzz/process-watch.ts';
import { startVisitor, type VisitorFigures } from '#tests/fuzz/visitor.ts';
import { type DeploySite, registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startServer, type TestServer } from '#tests/support/server/test-server.ts';

const run = promisify(execFile);
const FILES_PER_FOLDER = 500;
/** Half of them text below the encoding threshold, half bytes that do not compress. */
const FILE_BYTES = 700;
/** Nearly the longest allowed path. */
const LONG_PATH_BYTES = 1000;
const NAME_BYTES_MAX = 240;

/** The result of one large deploy, and its effect on others. */
export interface LargeDeployFigures {
  seconds: number;
  /** When each step began, in seconds since the start. */
  steps: { name: string; at: number }[];
  /** Longest block of any process's event loop, in processor time of its thread, and in wall time. */
  blockedCpuMs: number;
  blockedWallMs: number;
  /** The longest blocks and when they ended, in seconds since the start. */
  blocks: { cpuMs: number; at: number }[];
  /** Of the largest process. */
  rssBytes: number;
  /** Processor time of the busiest event loop, and of all processes. */
  loopCpuSeconds: number;
  processCpuSeconds: number;
  /** Of another customer's site, and of the console's `/healthz`. */
  edge: VisitorFigures;
  console: VisitorFigures;
}

export type LargeDeploy = (
  site: DeploySite,
  server: TestServer,
  note: (step: string) => void,
) => Promise<void>;

/** Runs one deploy against a separate server, next to a visitor of the edge and one of the console. */
export async function measureLargeDeploy(
  deploy: LargeDeploy,
  environment: Record<string, string> = {},
): Promise<LargeDeployFigures> {
  const watch = await watchProcesses();
  const { NODE_OPTIONS = '', ...settings } = environment;
  const server = await startServer({
    PROCESSES: 'auto',
    LOG_LEVEL: 'warn',
    API_REQUESTS_PER_MINUTE: '1000000000',
    ...watch.environment,
    NODE_OPTIONS: `${watch.environment.NODE_OPTIONS} ${NODE_OPTIONS}`.trim(),
    ...settings,
  });
  try {
    const deployer = await registerDeployer(server);
    const visited = await deployer.createSite('visited');
    await visited.deploy({ 'index.html': '<h1>visited</h1>' });
    const site = await deployer.createSite('large');
    const stopEdge = await startVisitor(server.edgePort, visited.host, '/');
    const stopConsole = await startVisitor(server.consolePort, 'localhost', '/healthz');
    await wait(1000);

    const startedAt = Date.now();
    const steps: LargeDeployFigures['steps'] = [];
    await deploy(site, server, (name) => steps.push({ name, at: (Date.now() - startedAt) / 1000 }));
    const seconds = (Date.now() - startedAt) / 1000;
    requireStatus(await site.client('GET', `${site.path}/versions`), 200);
    // The first visit loads the view.
    const first = await server.edge(site.host, '/f0/0.txt');
    if (first.status >= 500) throw new Error(`the site answered ${first.status}`);
    await wait(500);

    const [edge, console] = await Promise.all([stopEdge(), stopConsole()]);
    const reports = await watch.reportsSince(startedAt);
    const most = (of: (report: (typeof reports)[number]) => number) => Math.max(0, ...reports.map(of));
    const spent = [...Map.groupBy(reports, ({ pid }) => pid).values()].map((own) => {
      const [first, last] = [own[0], own.at(-1)];
      if (!first || !last) return { loop: 0, process: 0 };
      return {
        loop: (last.loopCpuMs - first.loopCpuMs) / 1000,
        process: (last.processCpuMs - first.processCpuMs) / 1000,
      };
    });
    return {
      seconds,
      steps,
      loopCpuSeconds: Math.max(...spent.map(({ loop }) => loop)),
      processCpuSeconds: spent.reduce((sum, { process }) => sum + process, 0),
      blockedCpuMs: most((report) => report.blockedCpuMs),
      blockedWallMs: most((report) => report.blockedWallMs),
      blocks: reports
        .sort((a, b) => b.blockedCpuMs - a.blockedCpuMs)
        .slice(0, 5)
        .map(({ blockedCpuMs, at }) => ({ cpuMs: blockedCpuMs, at: (at - startedAt) / 1000 })),
      rssBytes: most((report) => report.rssBytes),
      edge,
      console,
    };
  } finally {
    await server.stop();
    await server.close();
    await watch.close();
  }
}

/** Returns a deploy of a folder with the command line. */
export function deployFolder(folder: string): LargeDeploy {
  return async (site, server, note) => {
    const [publicKey = '', secretKey = ''] = site.authorization.replace('Bearer ', '').split(':');
    const child = spawn(process.execPath, ['cli/portage.mjs', 'deploy', folder, '--site', site.id], {
      env: {
        PATH: process.env.PATH ?? '',
        PORTAGE_URL: server.consoleUrl,
        PORTAGE_PUBLIC_KEY: publicKey,
        PORTAGE_SECRET_KEY: secretKey,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    const lines = createInterface(child.stderr);
    lines.on('line', (line) => {
      said.push(line);
      if (!line.includes(' of ')) note(line);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`the command line ended with ${code}:\n${said.join('\n')}`);
  };
}

/** Returns a deploy of a tar.gz in one request. */
export function deployArchive(path: string, files: number): LargeDeploy {
  return async (site, _server, note) => {
    note('Sending the archive');
    const sent = site.client('POST', `${site.path}/versions`, {
      body: await openAsBlob(path),
      headers: { 'content-type': 'application/gzip' },
    });
    let isOver = false;
    const watching = watchSteps(site, files, note, () => isOver);
    const response = await sent.finally(() => {
      isOver = true;
    });
    await watching;
    requireStatus(response, 201);
  };
}

/** Derives the progress of an archive from the list of versions. */
async function watchSteps(
  site: DeploySite,
  files: number,
  note: (step: string) => void,
  isOver: () => boolean,
): Promise<void> {
  let said = '';
  while (!isOver()) {
    const response = await site.client('GET', `${site.path}/versions`);
    const [version] = JSON.parse(response.text) as { file_count: number }[];
    const step = !version ? '' : version.file_count < files ? 'Writing the manifest' : 'Storing and sealing';
    if (step !== said) note(step);
    said = step;
    await wait(250);
  }
}

/** Passes on a temporary folder of small files of different content, and removes it afterwards. */
export async function withManyFiles<T>(
  count: number,
  work: (folder: string) => Promise<T>,
  { hasLongPaths = false } = {},
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'portage-large-'));
  try {
    await writeManyFiles(root, count, hasLongPaths);
    return await work(root);
  } finally {
    await removeFolder(root);
  }
}

async function writeManyFiles(root: string, count: number, hasLongPaths: boolean): Promise<void> {
  for (let start = 0; start < count; start += FILES_PER_FOLDER) {
    const name = `f${start / FILES_PER_FOLDER}`;
    const path = hasLongPaths ? longFolder(name) : name;
    await mkdir(join(root, path), { recursive: true });
    const indexes = Array.from(
      { length: Math.min(FILES_PER_FOLDER, count - start) },
      (_, index) => start + index,
    );
    await Promise.all(indexes.map((index) => writeSmallFile(join(root, path), index)));
  }
}

function longFolder(name: string): string {
  const lengthMax = LONG_PATH_BYTES - '/000000.txt'.length;
  let path = name;
  while (lengthMax - path.length > 1) {
    path += `/${'d'.repeat(Math.min(NAME_BYTES_MAX, lengthMax - path.length - 1))}`;
  }
  return path;
}

function writeSmallFile(folder: string, index: number): Promise<void> {
  const isText = index % 2 === 0;
  const content = isText ? `${index} `.repeat(FILE_BYTES / 8) : randomBytes(FILE_BYTES);
  return writeFile(join(folder, `${index}.${isText ? 'txt' : 'bin'}`), content);
}

/** Passes on the path of a tar.gz of a folder, next to the folder, and removes it afterwards. */
export async function withArchive<T>(folder: string, work: (archive: string) => Promise<T>): Promise<T> {
  const archive = `${folder}.tar.gz`;
  try {
    await run('tar', ['-C', folder, '-czf', archive, '.'], { env: { ...process.env, GZIP: '-1' } });
    return await work(archive);
  } finally {
    await rm(archive, { force: true });
  }
}
