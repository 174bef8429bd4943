import { describe, expect, it } from 'vitest';
import {
  isReservedSiteName,
  isRestorable,
  nameChangeOf,
  readableSiteName,
  SITE_NAME_MAX,
  SITE_UNDO_MS,
  sanitizeSiteName,
  suggestSiteName,
} from './rules.ts';

describe('a site name in the address', () => {
  it.each([
    ['My Blog', 'myblog'],
    ['  --Été 2026!-- ', 't2026'],
    ['a'.repeat(80), 'a'.repeat(63)],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
    ['日本', ''],
  ])('%s becomes %s', (typed, address) => {
    expect(sanitizeSiteName(typed)).toBe(address);
  });

  it.each([
    ['Blog', null],
    ['', null],
    ['a'.repeat(63), null],
    ['my blog', 'characters'],
    ['-blog', 'ends'],
    [`-${'a'.repeat(63)}`, 'ends'],
    ['a'.repeat(64), 'length'],
    [`${'a'.repeat(62)}-b`, 'length'],
  ])('differs from %s because of %s', (typed, change) => {
    expect(nameChangeOf(typed)).toBe(change);
  });

  it.each([
    ["Régates de l'Île d'Orléans!", 'regates-de-lile-dorleans'],
    ['My Blog', 'my-blog'],
    ['Café  -- Été', 'cafe-ete'],
    ['blog', 'blog'],
    ['日本', ''],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('for %s is suggested as %s', (typed, address) => {
    expect(readableSiteName(typed)).toBe(address);
  });

  it('is reserved for words of the platform, other scripts and the preview separator', () => {
    expect(['www', 'xn--caf-dma', 'a--b', 'blog'].map(isReservedSiteName)).toEqual([true, true, true, false]);
  });
});

describe('a suggested name', () => {
  it.each([
    ['blog', 1, 'blog'],
    ['blog', 2, 'blog-2'],
    ['www', 1, 'www-site'],
    ['www', 3, 'www-site-3'],
    ['a--b', 1, 'a-b'],
    ['xn--caf', 1, 'caf'],
    ['xn--www', 1, 'www-site'],
  ])('for %s in attempt %i is %s', (wanted, attempt, suggestion) => {
    expect(suggestSiteName(wanted, attempt)).toBe(suggestion);
  });

  it('is never reserved and never longer than a label', () => {
    for (const wanted of ['a'.repeat(63), 'www', 'xn--', 'a----b', `${'b'.repeat(60)}-cc`]) {
      for (const attempt of [1, 2, 20]) {
        const suggestion = suggestSiteName(wanted, attempt);
        expect(isReservedSiteName(suggestion)).toBe(false);
        expect(suggestion.length).toBeLessThanOrEqual(SITE_NAME_MAX);
        expect(sanitizeSiteName(suggestion)).toBe(suggestion);
      }
    }
  });
});

it('a deleted site can be restored until seven days have passed', () => {
  expect(isRestorable(0, SITE_UNDO_MS - 1)).toBe(true);
  expect(isRestorable(0, SITE_UNDO_MS)).toBe(false);
});
