import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isOutage } from '#server/outage.ts';
import { S3_BOUNDS, unlessSilent, uploadMs } from './s3-calls.ts';

const BOUNDS = { silenceMs: 1_000, slowest: { bytes: 1_000, inMs: 200 } };

/** A body of which this many bytes arrive every few milliseconds. */
function arriving(bytes: number, everyMs: number, times: number): PassThrough {
  const body = new PassThrough();
  const send = async () => {
    for (let count = 0; count < times && !body.destroyed; count += 1) {
      await sleep(everyMs);
      body.write(Buffer.alloc(bytes));
    }
    body.end();
  };
  void send();
  return body;
}

async function read(body: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

describe('the body of an S3 engine', () => {
  it('that comes a byte at a time is broken off, and counts as an outage', async () => {
    const body = arriving(1, 5, 2_000);
    const begunAt = performance.now();
    const error = await read(unlessSilent(body, BOUNDS)).catch((thrown: unknown) => thrown);
    expect(isOutage(error)).toBe(true);
    expect(performance.now() - begunAt).toBeLessThan(BOUNDS.silenceMs);
    expect(body.destroyed).toBe(true);
  });

  it('that comes slowly, and faster than the slowest allowed, arrives whole', async () => {
    expect(await read(unlessSilent(arriving(500, 20, 40), BOUNDS))).toBe(20_000);
  });

  it('is not broken off by a reader that takes a byte now and then', async () => {
    const passed = unlessSilent(Readable.from([Buffer.alloc(200_000), Buffer.alloc(300)]), BOUNDS);
    let bytes = 0;
    for await (const chunk of passed) {
      await sleep(2 * BOUNDS.slowest.inMs);
      bytes += chunk.length;
    }
    expect(bytes).toBe(200_300);
  });
});

it('an upload may take as long as the slowest transfer of its size, and some time for the response', () => {
  expect(uploadMs(0, S3_BOUNDS)).toBe(12_000);
  expect(uploadMs(1024 ** 2, S3_BOUNDS)).toBe(12_000 + 64 * 15_000);
  expect(() => AbortSignal.timeout(uploadMs(1024 ** 4, S3_BOUNDS))).not.toThrow();
});
