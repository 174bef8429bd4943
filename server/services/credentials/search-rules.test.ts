import { describe, expect, it } from 'vitest';
import { filterCredentials } from './search-rules.ts';

const CREDENTIALS = [
  { name: 'Déploiements', description: 'On every push', public_key: 'ptgpk_A1', scopes: [] },
  { name: 'Backups', description: null, public_key: 'ptgpk_B2', scopes: [{ resource_name: 'Été' }] },
  { name: 'Gone', description: null, public_key: 'ptgpk_C3', scopes: [{ resource_name: null }] },
];
const found = (search: string) => filterCredentials(CREDENTIALS, search).map(({ name }) => name);

describe('searching credentials', () => {
  it('finds all of them before anything is typed', () => {
    expect(found('')).toHaveLength(3);
  });

  it('matches the name, the description, the public key and the resources, ignoring case and accents', () => {
    expect(found('deploiements push')).toEqual(['Déploiements']);
    expect(found('PTGPK_b2')).toEqual(['Backups']);
    expect(found('ete')).toEqual(['Backups']);
    expect(found('null')).toEqual([]);
  });
});
