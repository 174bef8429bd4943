import { describe, expect, it } from 'vitest';
import { BATCH_BYTES_MAX, BATCH_FILES_MAX, planUploads, SINGLE_BYTES_MIN } from './plan-uploads.ts';

function hashed(sha256: string, size: number) {
  return { path: `${sha256}.bin`, sha256, file: { size } as File };
}

describe('planUploads', () => {
  it('sends only what is missing, and equal contents once', () => {
    const files = [hashed('a', 1), hashed('b', 1), { ...hashed('a', 1), path: 'copy.bin' }];
    const tasks = planUploads(files, ['a']);
    expect(tasks.map((task) => task.files.map((file) => file.path))).toEqual([['a.bin']]);
  });

  it('sends large contents separately, the largest first, and small ones together', () => {
    const files = [
      hashed('s1', 10),
      hashed('l1', SINGLE_BYTES_MIN),
      hashed('s2', 20),
      hashed('l2', SINGLE_BYTES_MIN * 2),
    ];
    const tasks = planUploads(files, ['s1', 'l1', 's2', 'l2']);
    expect(tasks.map((task) => [task.kind, task.files.map((file) => file.sha256)])).toEqual([
      ['single', ['l2']],
      ['single', ['l1']],
      ['batch', ['s1', 's2']],
    ]);
  });

  it('limits a batch by files and by bytes, and loses nothing', () => {
    const many = Array.from({ length: BATCH_FILES_MAX * 2 + 1 }, (_, index) => hashed(`m${index}`, 1));
    const heavy = Array.from({ length: 9 }, (_, index) => hashed(`h${index}`, SINGLE_BYTES_MIN - 1));
    const files = [...many, ...heavy];
    const tasks = planUploads(
      files,
      files.map((file) => file.sha256),
    );
    for (const task of tasks) {
      expect(task.files.length).toBeLessThanOrEqual(BATCH_FILES_MAX);
      expect(task.bytes).toBeLessThanOrEqual(BATCH_BYTES_MAX);
    }
    expect(tasks.flatMap((task) => task.files).length).toBe(files.length);
  });
});
