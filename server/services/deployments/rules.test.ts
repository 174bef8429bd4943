import { describe, expect, it } from 'vitest';
import { archiveTypeOf, isCompressible, previewLabel, rollbackRefusal, versionState } from './rules.ts';

describe('the state of a version', () => {
  const at = '2026-03-01T12:00:00.000Z';
  it.each([
    [
      { sealed_at: null, reverted_at: null, suspended_at: null, is_current: false },
      'open',
      'version_not_sealed',
    ],
    [
      { sealed_at: at, reverted_at: null, suspended_at: null, is_current: true },
      'current',
      'version_is_current',
    ],
    [
      { sealed_at: at, reverted_at: at, suspended_at: null, is_current: false },
      'reverted',
      'version_reverted',
    ],
    [{ sealed_at: at, reverted_at: null, suspended_at: null, is_current: false }, 'other', null],
    [{ sealed_at: at, reverted_at: null, suspended_at: at, is_current: false }, 'other', 'version_suspended'],
  ])('%o is %s', (version, state, reason) => {
    expect(versionState(version)).toBe(state);
    expect(rollbackRefusal(version)).toBe(reason);
  });
});

describe('preview hostnames', () => {
  const id = '01kh0000000000000000000000';
  it('contain the id and the name, and fit a label', () => {
    expect(previewLabel(id, 'blog')).toBe(`${id}--blog`);
    const long = previewLabel(id, 'x'.repeat(63));
    expect(long).toHaveLength(63);
    expect(previewLabel(id, `${'x'.repeat(34)}-yyy`)).toBe(`${id}--${'x'.repeat(34)}`);
  });
});

describe('content types', () => {
  it.each([
    ['text/html; charset=utf-8', true],
    ['application/json', true],
    ['image/svg+xml; charset=utf-8', true],
    ['application/wasm', true],
    ['font/woff2', false],
    ['image/png', false],
    ['application/zip', false],
    ['application/octet-stream', false],
  ])('%s: compressed %s', (type, expected) => {
    expect(isCompressible(type)).toBe(expected);
  });

  it('name the archives that can be deployed', () => {
    expect(archiveTypeOf('application/zip')).toBe('zip');
    expect(archiveTypeOf('application/gzip')).toBe('tar.gz');
    expect(archiveTypeOf('toString')).toBeNull();
  });
});
