import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PATH_BYTES_MAX } from '../../shared/path-rules.ts';
import { checkManifest, checkPath } from './manifest-rules.ts';

/** Text made of the pieces used to attack paths. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '/',
        '//',
        '\\',
        '\0',
        'a',
        'A',
        'é',
        'e\u0301',
        'C:',
        '\u0085',
        '\ud800',
        '%2e',
        ' ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('paths', () => {
  it('an accepted path can never leave the site, and checking it again changes nothing', () => {
    fc.assert(
      fc.property(hostileText, (given) => {
        const checked = checkPath(given);
        if (!checked.ok) return;
        const { path } = checked;
        expect(path).toBe(path.normalize('NFC'));
        expect(path.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(path)).toBeLessThanOrEqual(PATH_BYTES_MAX);
        expect(path).not.toMatch(/\p{Cc}|\\/u);
        expect(new URL(`file:///site/${path.split('/').map(encodeURIComponent).join('/')}`).pathname).toMatch(
          /^\/site\/./,
        );
        for (const segment of path.split('/')) expect(['', '.', '..']).not.toContain(segment);
        expect(checkPath(path)).toEqual({ ok: true, path });
      }),
      { numRuns: 2000 },
    );
  });

  it('ordinary names are accepted unchanged', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9_@~-][A-Za-z0-9 _.@~()[\]-]{0,20}$/);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const path = segments.join('/');
        expect(checkPath(path)).toEqual({ ok: true, path });
      }),
    );
  });

  it.each([
    ['', 'empty'],
    ['/a', 'absolute'],
    ['C:/a', 'absolute'],
    ['a\\b', 'backslash'],
    ['a\nb', 'control'],
    ['a//b', 'empty_segment'],
    ['a/', 'empty_segment'],
    ['__proto__', 'reserved'],
    [`a${'\u0315\u0316'.repeat(16)}`, 'stacked_marks'],
    ['./a', 'dot_segment'],
    ['a/..', 'dot_segment'],
    ['\ud800', 'not_text'],
    ['é'.repeat(513), 'too_long'],
  ])('%j is refused: %s', (path, problem) => {
    expect(checkPath(path)).toEqual({ ok: false, problem });
  });

  it('exactly the longest path is accepted', () => {
    expect(checkPath('é'.repeat(512)).ok).toBe(true);
  });
});

describe('manifests', () => {
  const limits = { filesMax: 50, fileBytesMax: 100, versionBytesMax: 1000 };
  const file = (path: string, size = 1) => ({ path, sha256: 'a'.repeat(63) + size, size });

  it('accepted files are sorted, within the limits, and have no two paths that one file system would merge', () => {
    const paths = fc.array(fc.constantFrom('a', 'A', 'b', 'é', 'É', 'e\u0301', 'dir/a', 'DIR/a', 'dir/b'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(paths, (given) => {
        const checked = checkManifest(
          given.map((path) => file(path)),
          limits,
        );
        const written = new Set(given.map((path) => path.normalize('NFC')));
        const keys = new Set([...written].map((path) => path.toLowerCase()));
        if (given.length === 0) expect(checked).toMatchObject({ problem: { code: 'manifest_empty' } });
        else if (keys.size < given.length) {
          const reasons = [
            ...(written.size < given.length ? ['path_repeated'] : []),
            ...(keys.size < written.size ? ['path_collision'] : []),
          ];
          expect(reasons).toContain(checked.ok ? null : checked.problem.code);
        } else expect(checked).toMatchObject({ ok: true, totalBytes: given.length });
        if (checked.ok) {
          const stored = checked.files.map((entry) => entry.path);
          expect(stored).toEqual([...stored].sort());
        }
      }),
    );
  });

  it.each([
    ['a', 'a/b'],
    ['a', 'a/b/c/d'],
    ['A', 'a/b'],
    ['x/a', 'x/a/b'],
  ])('%j cannot exist next to %j: a file is not a folder', (one, other) => {
    for (const paths of [
      [one, 'a-b', 'a.b', 'x/a-b', other],
      [other, 'a!', one],
    ]) {
      const checked = checkManifest(
        paths.map((path) => file(path)),
        limits,
      );
      expect(checked).toMatchObject({
        problem: { code: 'path_under_file', params: { path: other, other: one } },
      });
    }
  });

  it('of any size: an existing collision is found, and no other', () => {
    const segment = fc.constantFrom('a', 'b', 'A', 'a-', 'a!', 'ab');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 40 }), (paths) => {
        const keys = paths.map((each) => each.toLowerCase());
        const isTwice = new Set(keys).size < keys.length;
        const isUnderFile = keys.some((key) => keys.some((other) => key.startsWith(`${other}/`)));
        const checked = checkManifest(
          paths.map((each) => file(each)),
          limits,
        );
        expect(checked.ok).toBe(!isTwice && !isUnderFile);
      }),
    );
  });

  it('a colon is an ordinary character of a name', () => {
    expect(checkManifest([file('a:b.txt'), file('x/c:d')], limits)).toMatchObject({ ok: true });
  });

  it('one hash cannot have two sizes', () => {
    const sha256 = 'b'.repeat(64);
    const checked = checkManifest(
      [
        { path: 'a', sha256, size: 1 },
        { path: 'b', sha256, size: 2 },
      ],
      limits,
    );
    expect(checked).toMatchObject({ ok: false, problem: { code: 'size_mismatch' } });
  });

  it('a path in an error shows no control characters', () => {
    const checked = checkManifest([file('a\u001b[31m')], limits);
    expect(checked).toMatchObject({ problem: { code: 'unsafe_path', params: { path: 'a\\u001b[31m' } } });
  });
});
