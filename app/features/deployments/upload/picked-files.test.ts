import { describe, expect, it } from 'vitest';
import { commonTopFolder, isLeftOut, toPickedFolder } from './picked-files.ts';

const picked = (...paths: string[]) => paths.map((path) => ({ path, file: new File([path], 'x') }));

describe('toPickedFolder', () => {
  it('returns the content of the single folder that was picked', () => {
    const { files } = toPickedFolder(picked('dist/index.html', 'dist/assets/app.js'));
    expect(files.map((file) => file.path)).toEqual(['index.html', 'assets/app.js']);
  });

  it('strips only one folder, and none when files are next to it', () => {
    expect(toPickedFolder(picked('dist/docs/a.html')).files[0]?.path).toBe('docs/a.html');
    expect(toPickedFolder(picked('dist/a.html', 'b.html')).files.map((file) => file.path)).toEqual([
      'dist/a.html',
      'b.html',
    ]);
  });

  it('leaves out version control and junk files, counts them, and keeps .well-known', () => {
    const { files, leftOut } = toPickedFolder(
      picked('site/.git/HEAD', 'site/.DS_Store', 'site/.well-known/security.txt', 'site/index.html'),
    );
    expect(files.map((file) => file.path)).toEqual(['.well-known/security.txt', 'index.html']);
    expect(leftOut).toBe(2);
  });

  it('ignores junk next to the folder when it looks for the common one', () => {
    expect(toPickedFolder(picked('.DS_Store', 'dist/index.html')).files[0]?.path).toBe('index.html');
  });
});

describe('commonTopFolder', () => {
  it('does not mistake a longer name for the folder', () => {
    expect(commonTopFolder(['a/x', 'ab/y'])).toBeNull();
    expect(commonTopFolder([])).toBeNull();
    expect(commonTopFolder(['index.html'])).toBeNull();
  });
});

describe('isLeftOut', () => {
  it('compares whole segments', () => {
    expect(isLeftOut('a/.gitignore')).toBe(false);
    expect(isLeftOut('.git/config')).toBe(true);
    expect(isLeftOut('img/Thumbs.db')).toBe(true);
  });
});
