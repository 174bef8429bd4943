import { describe, expect, it } from 'vitest';
import { fileNameOf, foldersOf, nameOf } from './key-names.ts';

describe('names of keys', () => {
  it('are the part after the folder', () => {
    expect(nameOf('a/b/c.txt', 'a/b/')).toBe('c.txt');
    expect(nameOf('a/b/', 'a/')).toBe('b');
    expect(nameOf('a//', 'a/')).toBe('/');
    expect(fileNameOf('a/b/c.txt')).toBe('c.txt');
    expect(fileNameOf('a/b/')).toBe('b');
    expect(fileNameOf('/')).toBe('/');
  });

  it('show no ending that they do not have', () => {
    expect(fileNameOf('a/invoice\u202efdp.exe')).toBe('invoice\ufffdfdp.exe');
    expect(nameOf('a/\u2067b/', 'a/')).toBe('\ufffdb');
  });

  it('are in the folders above them', () => {
    expect(foldersOf('')).toEqual([]);
    expect(foldersOf('a/b/')).toEqual(['a/', 'a/b/']);
    expect(foldersOf('/a/')).toEqual(['/', '/a/']);
  });
});
