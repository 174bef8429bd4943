import { describe, expect, it } from 'vitest';
import { createSealer } from './sealer.ts';

describe('a sealer', () => {
  const sealer = createSealer(Buffer.alloc(32, 1));

  it('opens what it sealed, for the row it was sealed for', () => {
    expect(sealer.open(sealer.seal('hunter2', 'row-1'), 'row-1')).toBe('hunter2');
  });

  it('does not open a text moved to another row', () => {
    expect(() => sealer.open(sealer.seal('hunter2', 'row-1'), 'row-2')).toThrow();
  });

  it('does not open a text sealed under another master key', () => {
    expect(() => createSealer(Buffer.alloc(32, 2)).open(sealer.seal('a', 'r'), 'r')).toThrow('another key');
  });

  it('does not open a changed text', () => {
    const sealed = sealer.seal('hunter2', 'row-1');
    const flipped = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    expect(() => sealer.open(flipped, 'row-1')).toThrow();
  });
});
