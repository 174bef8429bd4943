import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import type { BenchResult } from './bench-result.ts';
import { startNginx } from './nginx-peer.ts';
import { type LabelledCourse, race } from './race.ts';
import { writeBenchFiles } from './start-bench-edge.ts';
import { startWholeProgram, type WholeProgram } from './whole-program.ts';
import type { Contender } from './wrk-load.ts';

const FILES = [
  { name: '1k.bin', bytes: 1024 },
  { name: '20k.bin', bytes: 20 * 1024 },
  { name: '1m.bin', bytes: 1024 * 1024 },
];
const COURSES: readonly LabelledCourse[] = [
  { label: '1 KiB', name: '1k.bin', scheme: 'http', target: 1.1 },
  { label: '20 KiB', name: '20k.bin', scheme: 'http', target: 1.1 },
  { label: '1 MiB', name: '1m.bin', scheme: 'http', target: 1 },
  { label: 'https 1 KiB', name: '1k.bin', scheme: 'https', target: 1 },
  {
    label: 'https 1 KiB, a full handshake each',
    name: '1k.bin',
    scheme: 'handshakes',
    target: 0.8,
  },
  { label: 'HTTP/2 1 KiB', name: '1k.bin', scheme: 'http2', target: 1 },
];
/** Processes release what their start has left behind within this time. */
const SETTLE_MS = 30_000;

/**
 * The memory of the idle program, and what all its edges serve compared with nginx with one worker per core.
 */
export async function benchProgram(rounds = 5, secondsPerRound = 2): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'program-bench-'));
  let nginx: Contender | null = null;
  let program: WholeProgram | null = null;
  try {
    await writeBenchFiles(folder, FILES);
    program = await startWholeProgram(
      folder,
      FILES.map(({ name }) => name),
    );
    await sleep(SETTLE_MS);
    const memory = {
      name: 'idle program, memory of all processes (PSS)',
      value: program.memory(),
      unit: 'MiB',
      target: '< 450 MiB on two cores',
    };
    nginx = await startNginx(folder, 'auto');
    const pair = { own: program.target, peer: nginx };
    return [memory, ...(await race('program', pair, COURSES, { rounds, secondsPerRound }))];
  } finally {
    if (nginx !== null) await endProcess(nginx.process, 'SIGTERM');
    await program?.server.close();
    await removeFolder(folder);
  }
}

if (import.meta.main) {
  for (const { name, value, unit, peerValue, ratio } of await benchProgram()) {
    process.stdout.write(`${name}: ${value} ${unit}, nginx ${peerValue}, ratio ${ratio}\n`);
  }
}
