import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

/** Sits in front of a server and forwards what is sent to it slowly, some bytes at a time. */
export async function startSlowLine(
  targetUrl: string,
  pace: { bytes: number; everyMs: number },
): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(targetUrl);
  const port = await freePort();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let carried = 0;
    const slow = new Transform({
      highWaterMark: 16 * 1024,
      async transform(chunk: Buffer, _, done) {
        carried += chunk.length;
        if (carried >= pace.bytes) {
          carried = 0;
          await sleep(pace.everyMs);
        }
        done(null, chunk);
      },
    });
    client.pipe(slow).pipe(upstream).pipe(client);
    for (const end of [client, upstream]) end.on('error', () => end.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: targetUrl.replace(`:${target.port}/`, `:${port}/`),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
