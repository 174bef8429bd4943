import { describe, expect, it } from 'vitest';
import { matchesQuery } from './search-rules.ts';

describe('what the palette finds', () => {
  it('everything matches before something is typed', () => {
    expect(matchesQuery('', 'Dashboard')).toBe(true);
    expect(matchesQuery('  ', 'Dashboard')).toBe(true);
  });

  it('ignores case, accents and the order of words', () => {
    expect(matchesQuery('parametres', 'Paramètres')).toBe(true);
    expect(matchesQuery('SITE créer', 'Créer un site')).toBe(true);
  });

  it('must contain every word of the query', () => {
    expect(matchesQuery('create bucket', 'Create a site')).toBe(false);
  });
});
