import { describe, expect, it } from 'vitest';
import { readDropped, takeDropped } from './read-dropped.ts';

function fileEntry(fullPath: string): FileSystemEntry {
  const file = (done: (file: File) => void) => done(new File([fullPath], fullPath));
  return { isFile: true, isDirectory: false, fullPath, file } as unknown as FileSystemEntry;
}

/** A folder that returns its entries in portions of two, as browsers do with hundreds. */
function folderEntry(fullPath: string, children: FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    const left = [...children];
    return { readEntries: (done: (entries: FileSystemEntry[]) => void) => done(left.splice(0, 2)) };
  };
  return { isFile: false, isDirectory: true, fullPath, createReader } as unknown as FileSystemEntry;
}

describe('readDropped', () => {
  it('finds every file in nested folders, however many portions they come in', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => fileEntry(`/dist/deep/${name}.txt`));
    const drop = [folderEntry('/dist', [fileEntry('/dist/index.html'), folderEntry('/dist/deep', names)])];
    const counts: number[] = [];
    const found = await readDropped({ entries: drop, files: [] }, (count) => counts.push(count));
    expect(found.map((file) => file.path)).toEqual([
      'dist/index.html',
      ...['a', 'b', 'c', 'd', 'e'].map((name) => `dist/deep/${name}.txt`),
    ]);
    expect(counts).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('accepts a file that comes without an entry', async () => {
    const file = new File(['x'], 'index.html');
    const items = [
      { webkitGetAsEntry: () => null, getAsFile: () => file },
      { webkitGetAsEntry: () => fileEntry('/a.css'), getAsFile: () => null },
      { webkitGetAsEntry: () => null, getAsFile: () => null },
    ] as unknown as DataTransferItem[];
    const found = await readDropped(takeDropped(items), () => undefined);
    expect(found.map((picked) => picked.path)).toEqual(['index.html', 'a.css']);
  });

  it('reports what cannot be read', async () => {
    const broken = {
      isFile: true,
      fullPath: '/gone.txt',
      file: (_: unknown, failed: (error: Error) => void) => failed(new Error('gone')),
    } as unknown as FileSystemEntry;
    await expect(readDropped({ entries: [broken], files: [] }, () => undefined)).rejects.toThrow('gone');
  });
});
