import { describe, expect, it } from 'vitest';
import { BODY_BYTES_MAX } from '#server/http/bodies/body-limits.ts';
import { manifestParts } from './manifest-parts.ts';

const hashed = (path: string) => ({ path, file: new File(['x'], 'x'), sha256: 'a'.repeat(64) });

describe('the manifest of a dropped folder', () => {
  it('is one part when it is small', () => {
    expect(manifestParts([hashed('a'), hashed('b')])).toEqual([
      { a: { sha256: 'a'.repeat(64), size: 1 }, b: { sha256: 'a'.repeat(64), size: 1 } },
    ]);
  });

  it('is split into parts that fit a call, and no file is lost', () => {
    const files = Array.from({ length: 6000 }, (_, index) =>
      hashed(`${'é'.repeat(index % 400)}/${index}.html`),
    );
    const parts = manifestParts(files);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      const body = { 0: { json: { site_id: 'x'.repeat(26), version_id: 'x'.repeat(26), files: part } } };
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(BODY_BYTES_MAX.trpc);
    }
    expect(parts.flatMap((part) => Object.keys(part))).toEqual(files.map((file) => file.path));
  });
});
