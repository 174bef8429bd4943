import { describe, expect, test } from 'vitest';
import { Manifest } from './manifest.ts';
import type { EdgeFile } from './ports.ts';

const file: EdgeFile = { sha256: 'a', size: 1, contentType: 'text/html', brotliSize: null, gzipSize: null };

function manifestOf(...paths: string[]): Manifest {
  return Manifest.of(paths.map((path) => [path, file] as const));
}

describe('the nearest page for missing files', () => {
  test.each([
    [['404.html'], '/a/b/c', '404.html'],
    [['404.html', 'a/404.html'], '/a/b/c', 'a/404.html'],
    [['404.html', 'a/404.html'], '/ab/c', '404.html'],
    [['404.html', 'a/404.html'], '/a', '404.html'],
    [['404.html', 'a/404.html'], '/a/', 'a/404.html'],
    [['b/404.html', 'a/b/404.html'], '/a/b/c/d', 'a/b/404.html'],
    [['b/404.html'], '/a/b/c', null],
    [['my404.html'], '/a', null],
  ])('of %j for %s is %s', (paths, asked, page) => {
    expect(manifestOf(...paths).nearestNotFoundPage(asked)).toBe(page);
  });

  test('is found without checking every folder of a path that a visitor made up', () => {
    const manifest = manifestOf('404.html', 'a/404.html', 'a/a/a/404.html');
    const deep = `${'/a'.repeat(2_000)}/x`;
    const started = performance.now();
    for (let round = 0; round < 10_000; round += 1) {
      expect(manifest.nearestNotFoundPage(deep)).toBe('a/a/a/404.html');
    }
    // Folder by folder it takes two minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

test('any name is a name: those that objects inherit are files only where they were deployed', () => {
  const names = ['constructor', 'a.constructor', 'x/__proto__', 'toString', 'hasOwnProperty'];
  for (const name of names) expect(new Manifest().get(name)).toBeUndefined();
  const manifest = manifestOf(...names);
  for (const name of names) expect(manifest.get(name)).toMatchObject({ size: 1 });
});

test('a manifest knows roughly how much memory it takes', () => {
  const count = 20_000;
  const manifest = manifestOf(...Array.from({ length: count }, (_, at) => `assets/file-${at}.js`));
  expect(manifest.bytes).toBeGreaterThan(count * 250);
  expect(manifest.bytes).toBeLessThan(count * 400);
});
