import { expect, it } from 'vitest';
import { bucketNameProblem, isObjectKey, isPageOrigin } from './rules.ts';

it('the name of a bucket is a hostname label or several, and what is wrong with any other is told', () => {
  for (const name of ['abc', 'my-photos.2026', 'a.b', '0x0', '2026', '2026.11', 'a'.repeat(63)]) {
    expect([name, bucketNameProblem(name)]).toEqual([name, null]);
  }
  const wrong = {
    length: ['', 'ab', 'a'.repeat(64)],
    characters: ['Photos', 'été', 'my_photos', '-photos', 'photos.', 'my photos'],
    dots: ['my..photos', 'my.-photos', 'my-.photos'],
    address: ['192.0.2.1', '2026.11.26.1'],
  };
  for (const [problem, names] of Object.entries(wrong)) {
    for (const name of names) expect([name, bucketNameProblem(name)]).toEqual([name, problem]);
  }
});

it('the origin of a page is a scheme and a host, in any case, and nothing more', () => {
  for (const origin of ['https://example.ca', 'http://localhost:3000', 'HTTPS://Example.ca']) {
    expect([origin, isPageOrigin(origin)]).toEqual([origin, true]);
  }
  for (const other of [
    '',
    'example.ca',
    'https://example.ca/',
    'https://example.ca/a',
    'https://*.example.ca:1x',
    'null',
    'ftp://example.ca',
  ]) {
    expect([other, isPageOrigin(other)]).toEqual([other, false]);
  }
});

it('a key has at most 1,024 bytes of UTF-8, and no zero', () => {
  for (const key of ['a', 'a/../b', 'x'.repeat(1_024), 'é'.repeat(512)]) {
    expect([key, isObjectKey(key)]).toEqual([key, true]);
  }
  for (const other of ['x'.repeat(1_025), 'é'.repeat(513), 'a\0b', '\ud800']) {
    expect([other, isObjectKey(other)]).toEqual([other, false]);
  }
});
