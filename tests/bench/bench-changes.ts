import { mkdtemp } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { type BenchResult, median } from './bench-result.ts';
import { writeBenchFiles } from './start-bench-edge.ts';
import { startWholeProgram } from './whole-program.ts';

const FILE = { name: '1k.bin', bytes: 1024 };
/** Connections spread over the edges by the kernel: more than enough to reach each of two. */
const VISITORS = 12;
const CHANGES = 40;
const PAUSE_MS = 2;
const PATH = '/mark.txt';

/**
 * How long after the response to a publish the last of many visitors, on connections to all edge processes,
 * still gets the previous content; a visitor sends a request every {@link PAUSE_MS} milliseconds.
 */
export async function benchChanges(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'changes-bench-'));
  try {
    await writeBenchFiles(folder, [FILE]);
    const { server, deployer } = await startWholeProgram(folder, [FILE.name]);
    try {
      const site = await deployer.createSite('Changes');
      const visitors = Array.from({ length: VISITORS }, () => openVisitor(server.edgePort, site.host));
      const delays: number[] = [];
      for (let change = 0; change < CHANGES; change += 1) {
        const mark = `mark ${change}`;
        await site.deploy({ 'mark.txt': mark });
        const answeredAt = performance.now();
        const seenAt = await Promise.all(visitors.map(({ waitFor }) => waitFor(mark)));
        delays.push(Math.max(...seenAt) - answeredAt);
      }
      for (const { close } of visitors) close();
      const name = 'answer of a publish to its version at every edge process';
      return [
        { name: `${name}, median`, value: median(delays), unit: 'ms', target: '< 50 ms' },
        { name: `${name}, longest of ${CHANGES}`, value: Math.max(...delays), unit: 'ms', target: '< 50 ms' },
      ];
    } finally {
      await server.close();
    }
  } finally {
    await removeFolder(folder);
  }
}

/** A visitor with one connection, which stays at the edge process that accepted it. */
function openVisitor(port: number, host: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const headers = { host: `${host}:${port}` };
      const sent = request({ agent, host: '127.0.0.1', port, path: PATH, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end();
    });
  return {
    /** Returns when it first got this text. */
    async waitFor(mark: string): Promise<number> {
      while ((await ask()) !== mark) await sleep(PAUSE_MS);
      return performance.now();
    },
    close: () => agent.destroy(),
  };
}

if (import.meta.main) {
  for (const { name, value, unit } of await benchChanges()) {
    process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}\n`);
  }
}
