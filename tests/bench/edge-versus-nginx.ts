import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import type { BenchResult } from './bench-result.ts';
import { startNginx } from './nginx-peer.ts';
import { type LabelledCourse, race } from './race.ts';
import { startBenchEdge, writeBenchFiles } from './start-bench-edge.ts';
import { type Contender, findProgram } from './wrk-load.ts';

const sizes = [
  { name: '1k.bin', label: '1 KiB', bytes: 1024, target: 1 },
  { name: '20k.bin', label: '20 KiB', bytes: 20 * 1024, target: 1 },
  { name: '1m.bin', label: '1 MiB', bytes: 1024 * 1024, target: 1.5 },
] as const;

const courses: readonly LabelledCourse[] = [
  ...sizes.map(({ label, name, target }): LabelledCourse => ({ label, name, scheme: 'http', target })),
  { label: 'https 1 KiB', name: '1k.bin', scheme: 'https', target: 1 },
  {
    label: 'https 1 KiB, a full handshake each',
    name: '1k.bin',
    scheme: 'handshakes',
    target: null,
  },
];

/**
 * Requests per second of the edge on one core, 64 keep-alive connections, warm, without compression, compared
 * with nginx (sendfile, one worker, the same core) on the same files, over http and over https with the same
 * ECDSA P-256 certificate. The two take turns, so that a busy machine slows both. Empty without wrk.
 */
export async function benchEdge(rounds = 5, secondsPerRound = 2): Promise<BenchResult[]> {
  if (findProgram('wrk') === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'edge-bench-'));
  const contenders: Contender[] = [];
  try {
    await writeBenchFiles(folder, sizes);
    const edge = await startBenchEdge(folder, sizes);
    contenders.push(edge);
    const nginx = await startNginx(folder);
    if (nginx !== null) contenders.push(nginx);
    return await race('edge', { own: edge, peer: nginx }, courses, { rounds, secondsPerRound });
  } finally {
    for (const { process: child } of contenders) await endProcess(child, 'SIGTERM');
    await removeFolder(folder);
  }
}

if (import.meta.main) {
  for (const { name, value, unit, peer, peerValue, ratio } of await benchEdge()) {
    process.stdout.write(
      `${name}: ${value} ${unit}${peer ? `, ${peer} ${peerValue}, ratio ${ratio}` : ''}\n`,
    );
  }
}
