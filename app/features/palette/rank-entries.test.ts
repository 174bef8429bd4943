import { describe, expect, it } from 'vitest';
import { isCloseMatch, rankEntries } from './rank-entries.ts';

const ENTRIES = [
  { label: 'Dashboard' },
  { label: 'Credentials', keywords: 'token key secret' },
  { label: 'Create site' },
  { label: 'Create a bucket' },
  { label: 'Sign out', keywords: 'logout log off' },
  { label: 'Paramètres' },
  { label: 'Lighthouse', detail: 'lighthouse.example' },
  { label: 'Shop 4000' },
];
const found = (query: string) => rankEntries(query, ENTRIES).map(({ label }) => label);

describe('what the palette finds', () => {
  it('is everything before something is typed', () => {
    expect(found('  ')).toHaveLength(ENTRIES.length);
  });

  it.each([
    ['parametres', 'Paramètres'],
    ['SITE create', 'Create site'],
    ['token', 'Credentials'],
    ['logout', 'Sign out'],
    ['crd', 'Credentials'],
    ['dashbaord', 'Dashboard'],
    ['lihgt', 'Lighthouse'],
    ['cs', 'Create site'],
  ])('for %s is first %s', (query, label) => {
    expect(found(query)[0]).toBe(label);
  });

  it('has every word of the query', () => {
    expect(found('create bucket')).toEqual(['Create a bucket']);
    expect(found('no such thing')).toEqual([]);
    expect(found('!!')).toEqual([]);
  });

  it('never has another number', () => {
    expect(found('shop 4000')).toEqual(['Shop 4000']);
    expect(found('shop 4001')).toEqual([]);
  });
});

it.each([
  ['dash', true],
  ['logout', true],
  ['light example', true],
  ['lihgthouse', false],
  ['crd', false],
])('%s is close to what it finds: %s', (query, isClose) => {
  expect(rankEntries(query, ENTRIES).map((entry) => isCloseMatch(query, entry))).toEqual([isClose]);
});
