import { describe, expect, it } from 'vitest';
import { findUnknownSettings } from './unknown-settings.ts';

const found = (...names: string[]) =>
  findUnknownSettings(Object.fromEntries(names.map((name) => [name, 'x']))).map(
    ({ name, closest }) => `${name}: ${closest}`,
  );

describe('variables that look like settings', () => {
  it('are reported with the setting of the most similar name', () => {
    expect(found('PUBLIC_ULR', 'DATA_DIRR', 'DATABASEURL')).toEqual([
      'DATABASEURL: DATABASE_URL',
      'DATA_DIRR: DATA_DIR',
      'PUBLIC_ULR: PUBLIC_URL',
    ]);
  });

  it('are recognized by their prefix', () => {
    expect(found('OIDC_SECRET')).toHaveLength(1);
    expect(found('STRIPE_KEY')).toHaveLength(1);
    expect(found('LIMIT_SITE')).toEqual(['LIMIT_SITE: LIMIT_SITES']);
  });

  it('are not variables of other programs', () => {
    expect(found('PATH', 'HOME', 'MAIL', 'NODE_OPTIONS', 'npm_config_cache', 'LANG', 'HOSTNAME')).toEqual([]);
    expect(found('DATABASE_URL', 'S3_URL')).toEqual([]);
    expect(found('A'.repeat(10_000))).toEqual([]);
  });
});
