import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#tests/support/free-port.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import type { BenchResult } from './bench-result.ts';

const run = promisify(execFile);
const LABELS = Array.from({ length: 100 }, (_, index) => `challenge${index}`);
const SECONDS_PER_ROUND = 1;
const ROUNDS = 2;

interface Contender {
  port: number;
  child: ChildProcess;
}

/**
 * Queries per second that the name server answers on one core, compared with Knot on the same core: addresses
 * from memory, and challenge values, which are read from the database for every query. Empty without dnsperf.
 */
export async function benchDns(): Promise<BenchResult[]> {
  if (!existsSync('/usr/bin/dnsperf')) return [];
  const folder = await mkdtemp(join(tmpdir(), 'dns-bench-'));
  const contenders: Contender[] = [];
  try {
    const own = await startOwn(folder);
    contenders.push(own);
    const knot = existsSync('/usr/sbin/knotd') ? await startKnot(folder) : null;
    if (knot) contenders.push(knot);
    const results: BenchResult[] = [];
    for (const [what, type, zone] of [
      ['challenge values', 'TXT', 'acme.example.ca'],
      ['addresses', 'A', 'edge.example.ca'],
    ] as const) {
      const questions = join(folder, type);
      await writeFile(questions, LABELS.map((label) => `${label}.${zone} ${type}\n`).join(''));
      const rates: number[] = [];
      const peerRates: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.push(await ask(own, questions));
        if (knot) peerRates.push(await ask(knot, questions));
      }
      results.push(compare(`dns ${what}`, Math.max(...rates), Math.max(0, ...peerRates)));
    }
    return results;
  } finally {
    for (const { child } of contenders) await endProcess(child, 'SIGTERM');
    await removeFolder(folder);
  }
}

function compare(name: string, value: number, peerValue: number): BenchResult {
  const result: BenchResult = { name, value: Math.round(value), unit: 'questions/s' };
  if (peerValue === 0) return result;
  const ratio = Math.round((value / peerValue) * 100) / 100;
  return { ...result, peer: 'knot', peerValue: Math.round(peerValue), ratio };
}

/** @throws when a query is lost or answered with an error */
async function ask({ port }: Contender, questions: string): Promise<number> {
  const load = ['-s', '127.0.0.1', '-p', String(port), '-d', questions, '-l', String(SECONDS_PER_ROUND)];
  const [program = '', ...rest] = [...onCore(1), 'dnsperf', ...load, '-q', '50', '-e'];
  const { stdout } = await run(program, rest);
  const rate = Number(/Queries per second:\s*([\d.]+)/.exec(stdout)?.[1] ?? 0);
  const hasOnlyAnswers = /Response codes:\s*NOERROR \d+ \(100\.00%\)/.test(stdout);
  if (rate === 0 || !hasOnlyAnswers) throw new Error(`dnsperf met errors: ${stdout}`);
  return rate;
}

async function startOwn(folder: string): Promise<Contender> {
  const port = await freePort();
  const script = join(import.meta.dirname, 'dns-server.ts');
  const child = spawnOnCore(process.execPath, [script, String(port), join(folder, 'db.sqlite'), ...LABELS]);
  if (child.stdout) await once(child.stdout, 'data');
  return { port, child };
}

/** One worker for udp, with the same names. */
async function startKnot(folder: string): Promise<Contender> {
  const port = await freePort();
  for (const name of ['run', 'storage']) await mkdir(join(folder, name));
  const head = '@ 3600 SOA ns hostmaster 1 3600 600 604800 0\n@ 3600 NS ns\nns A 192.0.2.1\n';
  await writeFile(
    join(folder, 'acme'),
    `$ORIGIN acme.example.ca.\n${head}${LABELS.map((label) => `${label} 0 TXT ${'v'.repeat(43)}\n`).join('')}`,
  );
  await writeFile(join(folder, 'edge'), `$ORIGIN edge.example.ca.\n${head}* 300 A 192.0.2.1\n`);
  const configuration = join(folder, 'knot.conf');
  await writeFile(
    configuration,
    `server:
  rundir: "${folder}/run"
  listen: "127.0.0.1@${port}"
  udp-workers: 1
  tcp-workers: 1
database:
  storage: "${folder}/storage"
log:
  - target: stdout
    any: info
zone:
  - domain: acme.example.ca
    file: "${folder}/acme"
  - domain: edge.example.ca
    file: "${folder}/edge"
`,
  );
  const child = spawnOnCore('/usr/sbin/knotd', ['-c', configuration]);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('server started')) resolve();
    });
    child.once('exit', () => reject(new Error('knotd ended')));
  });
  return { port, child };
}

function spawnOnCore(program: string, parameters: readonly string[]): ChildProcess {
  const [command = program, ...rest] = [...onCore(0), program, ...parameters];
  return spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The command prefix that pins it to one core, where supported. */
function onCore(core: 0 | 1): string[] {
  return existsSync('/usr/bin/taskset') ? ['taskset', '-c', String(core)] : [];
}

if (import.meta.main) {
  for (const { name, value, unit, peer, peerValue, ratio } of await benchDns()) {
    process.stdout.write(
      `${name}: ${value} ${unit}${peer ? `, ${peer} ${peerValue}, ratio ${ratio}` : ''}\n`,
    );
  }
}
