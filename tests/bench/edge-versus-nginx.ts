import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFallbackCertificate } from '#server/edge/fallback-certificate.ts';
import { freePort } from '#tests/support/free-port.ts';
import type { BenchResult } from './bench-result.ts';

interface Contender {
  readonly port: number;
  readonly securePort: number;
  readonly process: ChildProcess;
  /** The process that answers: nginx's worker, not its master. */
  readonly workerId: number;
}

interface Load {
  readonly requestsPerSecond: number;
  /** Processor time of the server for one request; steadier than a rate while others use the machine. */
  readonly microsecondsPerRequest: number;
}

const run = promisify(execFile);
const sizes = [
  { name: '1k.bin', label: '1 KiB', bytes: 1024, target: 1 },
  { name: '20k.bin', label: '20 KiB', bytes: 20 * 1024, target: 1 },
  { name: '1m.bin', label: '1 MiB', bytes: 1024 * 1024, target: 1.5 },
] as const;

interface Course {
  readonly label: string;
  readonly name: string;
  readonly scheme: 'http' | 'https';
  readonly headers: readonly string[];
  /** Of nginx's rate. */
  readonly target: number | null;
}

const courses: readonly Course[] = [
  ...sizes.map(({ label, name, target }): Course => ({ label, name, scheme: 'http', headers: [], target })),
  { label: 'https 1 KiB', name: '1k.bin', scheme: 'https', headers: [], target: 1 },
  {
    label: 'https 1 KiB, a full handshake each',
    name: '1k.bin',
    scheme: 'https',
    headers: ['Connection: close'],
    target: null,
  },
];

/**
 * Requests per second of the edge on one core, 64 keep-alive connections, warm, without compression, beside nginx (sendfile, one
 * worker, the same core) on the same files, over http and over https with the same ECDSA P-256 certificate. The two take turns, so
 * that a busy machine slows both. Empty without wrk.
 */
export async function benchEdge(rounds = 5, secondsPerRound = 2): Promise<BenchResult[]> {
  const wrk = findProgram('wrk');
  if (wrk === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'edge-bench-'));
  const contenders: Contender[] = [];
  try {
    for (const { name, bytes } of sizes) await writeFile(join(folder, name), randomBytes(bytes));
    const certificate = await makeFallbackCertificate(['bench.test']);
    await writeFile(join(folder, 'certificate.pem'), certificate.chain);
    await writeFile(join(folder, 'key.pem'), certificate.privateKey);
    const edge = await startEdgeProcess(folder);
    contenders.push(edge);
    const nginx = await startNginx(folder);
    if (nginx !== null) contenders.push(nginx);
    const results: BenchResult[] = [];
    for (const course of courses) {
      const own: Load[] = [];
      const peer: Load[] = [];
      await load(wrk, edge, course, 1);
      for (let round = 0; round < rounds; round += 1) {
        own.push(await load(wrk, edge, course, secondsPerRound));
        if (nginx !== null) peer.push(await load(wrk, nginx, course, secondsPerRound));
      }
      results.push(...compare(course, own, peer));
    }
    return results;
  } finally {
    for (const { process: child } of contenders) await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
}

function compare({ label, target }: Course, own: Load[], peer: Load[]): BenchResult[] {
  const rate = median(own.map((sample) => sample.requestsPerSecond));
  const cost = median(own.map((sample) => sample.microsecondsPerRequest));
  const rates: BenchResult = { name: `edge ${label}`, value: Math.round(rate), unit: 'requests/s' };
  const costs: BenchResult = {
    name: `edge ${label}, processor time`,
    value: round2(cost),
    unit: 'µs/request',
  };
  if (peer.length > 0) {
    const peerRate = median(peer.map((sample) => sample.requestsPerSecond));
    const peerCost = median(peer.map((sample) => sample.microsecondsPerRequest));
    const ratio = round2(
      median(own.map((sample, at) => sample.requestsPerSecond / (peer[at]?.requestsPerSecond ?? 1))),
    );
    Object.assign(rates, {
      peer: 'nginx',
      peerValue: Math.round(peerRate),
      ratio,
      ...(target === null ? {} : { target: `>= ${target} of nginx` }),
    });
    Object.assign(costs, { peer: 'nginx', peerValue: round2(peerCost), ratio: round2(cost / peerCost) });
  }
  return [rates, costs];
}

async function load(
  wrk: string,
  { port, securePort, workerId }: Contender,
  { name, scheme, headers }: Course,
  seconds: number,
): Promise<Load> {
  const before = processorTicks(workerId);
  const address = `${scheme}://127.0.0.1:${scheme === 'http' ? port : securePort}/${name}`;
  const fields = ['Host: bench.test', ...headers].flatMap((header) => ['-H', header]);
  const command = [...pinned(1), wrk, '-t1', '-c64', `-d${seconds}`, ...fields, address];
  const { stdout } = await run(command[0] ?? wrk, command.slice(1));
  const ticks = processorTicks(workerId) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const rate = Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1] ?? 0);
  if (requests === 0 || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk met errors: ${stdout}`);
  return { requestsPerSecond: rate, microsecondsPerRequest: (ticks * 10_000) / requests };
}

/** User and system time so far, in hundredths of a second; 0 where the system does not tell. */
function processorTicks(processId: number): number {
  const path = `/proc/${processId}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

async function startEdgeProcess(folder: string): Promise<Contender> {
  const port = await freePort();
  const securePort = await freePort();
  const script = join(import.meta.dirname, 'edge-server.ts');
  const files = sizes.map(({ name, bytes }) => `${name}=${bytes}`);
  const command = [...pinned(0), process.execPath, script, String(port), folder, ...files];
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, EDGE_SECURE_PORT: String(securePort) },
  });
  if (child.stdout === null) throw new Error('the edge has no output');
  await once(child.stdout, 'data');
  // taskset replaces itself, so the process is the edge either way.
  return { port, securePort, process: child, workerId: child.pid ?? 0 };
}

async function startNginx(folder: string): Promise<Contender | null> {
  const nginx = findProgram('nginx');
  if (nginx === null) return null;
  const port = await freePort();
  const securePort = await freePort();
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/t;`,
  );
  const configuration = `
worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; etag on; keepalive_requests 1000000000;
  default_type application/octet-stream; ${scratch.join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}; }
  server {
    listen 127.0.0.1:${securePort} ssl; root ${folder}; ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;
  }
}`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  const command = [
    ...pinned(0),
    nginx,
    '-p',
    folder,
    '-e',
    `${folder}/error.log`,
    '-c',
    `${folder}/nginx.conf`,
  ];
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: 'ignore' });
  const childrenOf = `/proc/${child.pid}/task/${child.pid}/children`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/1k.bin`).then(
      (response) => response.ok,
      () => false,
    );
    const worker = existsSync(childrenOf) ? Number(readFileSync(childrenOf, 'utf8').trim().split(' ')[0]) : 0;
    if (isUp) return { port, securePort, process: child, workerId: worker };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop(child);
  return null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The command's prefix that keeps it on one core, where that can be said. */
function pinned(core: 0 | 1): string[] {
  const taskset = findProgram('taskset');
  return taskset === null ? [] : [taskset, '-c', String(core)];
}

function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

if (import.meta.main) {
  for (const { name, value, unit, peer, peerValue, ratio } of await benchEdge()) {
    process.stdout.write(
      `${name}: ${value} ${unit}${peer ? `, ${peer} ${peerValue}, ratio ${ratio}` : ''}\n`,
    );
  }
}
