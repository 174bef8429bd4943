import { describe, expect, it } from 'vitest';
import { suggestHandle } from './suggest-handle.ts';

describe('the handle suggested for an organization', () => {
  it.each([
    ['Rivières & Cie', 'rivieres-cie'],
    ['  ACME  Inc. ', 'acme-inc'],
    ['Team @ Home', 'team-home'],
    ['x'.repeat(100), 'x'.repeat(39)],
  ])('is derived from %j', (name, handle) => {
    expect(suggestHandle(name)).toBe(handle);
  });

  it.each(['', '東京', '🛶', 'a', 'New', 'Settings'])('is left to the person for %j', (name) => {
    expect(suggestHandle(name)).toBe('');
  });
});
