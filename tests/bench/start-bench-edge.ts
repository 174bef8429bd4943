import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFallbackCertificate } from '#server/edge/tls/fallback-certificate.ts';
import { freePort } from '#tests/support/free-port.ts';
import { type Contender, pinned } from './wrk-load.ts';

/**
 * Writes what an edge of {@link startBenchEdge} serves: files of random bytes, and a certificate with its
 * key.
 */
export async function writeBenchFiles(
  folder: string,
  files: readonly { name: string; bytes: number }[],
): Promise<void> {
  for (const { name, bytes } of files) await writeFile(join(folder, name), randomBytes(bytes));
  const certificate = await makeFallbackCertificate(['bench.test']);
  await writeFile(join(folder, 'certificate.pem'), certificate.chain);
  await writeFile(join(folder, 'key.pem'), certificate.privateKey);
}

/** Starts an edge on a folder in a separate process, on the first core, and waits until it listens. */
export async function startBenchEdge(
  folder: string,
  files: readonly { name: string; bytes: number }[],
  environment: Record<string, string> = {},
): Promise<Contender> {
  const port = await freePort();
  const securePort = await freePort();
  const script = join(import.meta.dirname, 'edge-server.ts');
  const names = files.map(({ name, bytes }) => `${name}=${bytes}`);
  const command = [...pinned(0), process.execPath, script, String(port), folder, ...names];
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment, EDGE_SECURE_PORT: String(securePort) },
  });
  if (child.stdout === null) throw new Error('the edge has no output');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the edge ended with ${code}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  // From here on it ends when told to.
  ended.catch(() => undefined);
  // taskset replaces itself, so the process is the edge either way.
  return { port, securePort, process: child, workerIds: [child.pid ?? 0], host: 'bench.test' };
}
