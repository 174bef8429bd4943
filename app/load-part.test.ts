import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadPart } from './load-part.ts';

describe('a part of the console', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that never comes is given up after a minute, and another one can be loaded', async () => {
    const outcome = loadPart(() => new Promise(() => undefined)).catch(String);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toContain('A part cannot be loaded');
    expect(await loadPart(async () => 'part')).toBe('part');
  });

  it('that has come leaves no timer behind', async () => {
    await loadPart(async () => 'part');
    expect(vi.getTimerCount()).toBe(0);
  });
});
