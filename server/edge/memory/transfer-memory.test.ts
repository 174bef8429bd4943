import { describe, expect, test } from 'vitest';
import {
  LARGEST_PIECE_BYTES,
  SMALLEST_PIECE_BYTES,
  type Transfer,
  TransferMemory,
} from './transfer-memory.ts';

const limits = {
  transferBytesMax: 1024 * 1024,
  transferBytesPerAddressMax: 512 * 1024,
  transferBytesPerConnectionMax: 256 * 1024,
  staleMs: 5_000,
};

function prepare(own: Partial<typeof limits> = {}) {
  const clock = { now: 0 };
  const ended: string[] = [];
  const memory = new TransferMemory({ ...limits, ...own }, () => clock.now);
  /** As many responses of one connection as are accepted. */
  const fill = (address: string): Transfer[] => {
    const connection = memory.connection();
    const begun: Transfer[] = [];
    for (;;) {
      const transfer = connection.begin(address, () => ended.push(address));
      if (transfer === null) return begun;
      begun.push(transfer);
    }
  };
  /** As many connections as get anything. */
  const exhaust = (address: string) => {
    while (fill(address).length > 0);
  };
  return { clock, ended, memory, fill, exhaust };
}

describe('unaccepted responses', () => {
  test('never hold more than the limits of a connection, an address and the process', () => {
    const { memory, fill, exhaust } = prepare();
    const [first, second] = [fill('a'), fill('a')];
    expect(memory.bytesUsed).toBeLessThanOrEqual(limits.transferBytesPerAddressMax);
    expect(first.length).toBeGreaterThan(5);
    expect(second.length).toBeGreaterThan(5);
    exhaust('a');
    expect(memory.bytesUsed).toBeLessThanOrEqual(limits.transferBytesPerAddressMax);
    for (const address of ['b', 'c', 'd', 'e', 'f']) exhaust(address);
    expect(memory.bytesUsed).toBeLessThanOrEqual(limits.transferBytesMax);
  });

  test('get smaller pieces the less room is left, and always one', () => {
    const { memory } = prepare({ transferBytesPerConnectionMax: limits.transferBytesMax });
    const connection = memory.connection();
    const alone = connection.begin('a', () => {});
    for (let count = 0; count < 10; count += 1) alone?.moved(1);
    expect(alone?.isQuick).toBe(true);
    const sizes = Array.from({ length: 20 }, () => alone?.take() ?? 0);
    expect(Math.max(...sizes)).toBeLessThan(LARGEST_PIECE_BYTES);
    expect(sizes.at(-1)).toBe(SMALLEST_PIECE_BYTES);
  });

  test('make room for others once nothing was accepted for a while, longest first', () => {
    const { clock, ended, fill, exhaust } = prepare();
    const [oldest, moving] = fill('a');
    exhaust('a');
    clock.now = 4_000;
    moving?.moved(3_000);
    expect(fill('a').length).toBe(0);
    clock.now = 5_000;
    expect(fill('a').length).toBeGreaterThan(0);
    expect(ended.length).toBeGreaterThan(0);
    const before = ended.length;
    oldest?.end();
    expect(ended.length).toBe(before);
    moving?.take();
    expect(moving?.movedAt).toBe(4_000);
  });

  test('of one address leave the others alone', () => {
    const { fill, exhaust } = prepare();
    exhaust('a');
    expect(fill('b').length).toBeGreaterThan(5);
  });
});

test('get larger pieces for a fast client, and smaller ones for a slow one', () => {
  const { memory } = prepare({
    transferBytesMax: 2 ** 30,
    transferBytesPerAddressMax: 2 ** 30,
    transferBytesPerConnectionMax: 2 ** 30,
  });
  const transfer = memory.connection().begin('a', () => {});
  const sizes: number[] = [];
  for (const ms of [1, 1, 1, 1, 2_000, 2_000, 2_000, 2_000, 2_000]) {
    const size = transfer?.take() ?? 0;
    sizes.push(size / 1024);
    transfer?.give(size);
    transfer?.moved(ms);
  }
  expect(sizes).toEqual([16, 32, 64, 128, 128, 64, 32, 16, 8]);
});

test('hold nothing after their end, whatever is released later', () => {
  const { memory } = prepare();
  const transfer = memory.connection().begin('a', () => {});
  const size = transfer?.take() ?? 0;
  expect(memory.bytesUsed).toBeGreaterThan(size);
  transfer?.end();
  transfer?.give(size);
  transfer?.end();
  expect(memory.bytesUsed).toBe(0);
});
