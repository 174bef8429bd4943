import { expect, it } from 'vitest';
import { checkLimits } from './check-limits.ts';

const picked = (path: string, size: number) => ({ path, file: new File(['x'.repeat(size)], path) });
const limits = { files: 3, file_bytes: 10, version_bytes: 20 };

it.each([
  [['a', 'b', 'c', 'd'].map((path) => picked(path, 1)), 'limit_files', { limit: 3 }],
  [[picked('a', 1), picked('film.bin', 11)], 'limit_file_bytes', { path: 'film.bin', limit: 10 }],
  [['a', 'b', 'c'].map((path) => picked(path, 7)), 'limit_version_bytes', { limit: 20 }],
])(
  'files that the server would refuse are refused before they are read, by the same words',
  (files, code, params) => {
    let refusal: unknown;
    try {
      checkLimits(files, limits);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ shape: { code, params } });
  },
);

it('accepts files within the limits, and all files when the limits are unknown', () => {
  checkLimits([picked('film.bin', 1000)], null);
  checkLimits([picked('a', 10), picked('b', 10)], limits);
});
