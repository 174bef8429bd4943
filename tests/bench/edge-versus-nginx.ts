import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess } from '#tests/support/end-process.ts';
import { freePort } from '#tests/support/free-port.ts';
import { type BenchResult, median } from './bench-result.ts';
import { startBenchEdge, writeBenchFiles } from './start-bench-edge.ts';
import { type Contender, type Course, findProgram, type Load, loadWithWrk, pinned } from './wrk-load.ts';

const sizes = [
  { name: '1k.bin', label: '1 KiB', bytes: 1024, target: 1 },
  { name: '20k.bin', label: '20 KiB', bytes: 20 * 1024, target: 1 },
  { name: '1m.bin', label: '1 MiB', bytes: 1024 * 1024, target: 1.5 },
] as const;

interface LabelledCourse extends Course {
  readonly label: string;
  /** Of nginx's rate. */
  readonly target: number | null;
}

const courses: readonly LabelledCourse[] = [
  ...sizes.map(
    ({ label, name, target }): LabelledCourse => ({ label, name, scheme: 'http', headers: [], target }),
  ),
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
    await writeBenchFiles(folder, sizes);
    const edge = await startBenchEdge(folder, sizes);
    contenders.push(edge);
    const nginx = await startNginx(folder);
    if (nginx !== null) contenders.push(nginx);
    const results: BenchResult[] = [];
    for (const course of courses) {
      const own: Load[] = [];
      const peer: Load[] = [];
      await loadWithWrk(wrk, edge, course, 1);
      for (let round = 0; round < rounds; round += 1) {
        own.push(await loadWithWrk(wrk, edge, course, secondsPerRound));
        if (nginx !== null) peer.push(await loadWithWrk(wrk, nginx, course, secondsPerRound));
      }
      results.push(...compare(course, own, peer));
    }
    return results;
  } finally {
    for (const { process: child } of contenders) await endProcess(child, 'SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

function compare({ label, target }: LabelledCourse, own: Load[], peer: Load[]): BenchResult[] {
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
  await endProcess(child, 'SIGTERM');
  return null;
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
