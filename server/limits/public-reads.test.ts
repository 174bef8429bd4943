import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PublicReads } from './public-reads.ts';

const open = () => new EventEmitter();

describe('reads without a key', () => {
  it('are bounded at a time for each client, and go on when one ends', () => {
    const reads = new PublicReads();
    const held = Array.from({ length: 128 }, open);
    for (const closed of held) expect(reads.admit('open', '192.0.2.1', closed, 0)).toBe(true);
    expect(reads.admit('open', '192.0.2.1', open(), 0)).toBe(false);
    expect(reads.admit('other', '192.0.2.1', open(), 0)).toBe(false);
    expect(reads.admit('open', '192.0.2.2', open(), 0)).toBe(true);
    held[0]?.emit('close');
    expect(reads.admit('open', '192.0.2.1', open(), 0)).toBe(true);
  });

  it('are bounded at a time for each bucket, however many clients there are', () => {
    const reads = new PublicReads();
    for (let at = 0; at < 512; at += 1) {
      expect(reads.admit('open', `192.0.2.${at % 100}`, open(), 0)).toBe(true);
    }
    expect(reads.admit('open', '198.51.100.1', open(), 0)).toBe(false);
    expect(reads.admit('other', '198.51.100.1', open(), 0)).toBe(true);
  });

  it('are bounded in a minute for each client and for each bucket', () => {
    const reads = new PublicReads();
    const once = (bucket: string, address: string, now: number) => {
      const closed = open();
      const isAdmitted = reads.admit(bucket, address, closed, now);
      closed.emit('close');
      return isAdmitted;
    };
    for (let times = 0; times < 6_000; times += 1) once('open', '192.0.2.1', 0);
    expect(once('open', '192.0.2.1', 59_999)).toBe(false);
    expect(once('open', '192.0.2.2', 59_999)).toBe(true);
    expect(once('open', '192.0.2.1', 60_000)).toBe(true);
    for (let times = 0; times < 60_000; times += 1) once('busy', `198.51.${times % 250}.1`, 100_000);
    expect(once('busy', '203.0.113.1', 100_000)).toBe(false);
    expect(once('calm', '203.0.113.1', 100_000)).toBe(true);
  });
});
