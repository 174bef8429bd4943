import { describe, expect, it } from 'vitest';
import { organizationOfReturn, returnPathIn } from './return-path.ts';

const ID = '01JQ0000000000000000000000';

describe('the return path from onboarding', () => {
  it('names the organization whose billing is set up', () => {
    expect(organizationOfReturn(`/${ID}/sites?create=true`)).toBe(ID);
    expect(organizationOfReturn(`/${ID}`)).toBe(ID);
    expect(organizationOfReturn(undefined)).toBeNull();
  });

  it('leads into that organization only', () => {
    expect(returnPathIn(ID, `/${ID}/sites?create=true`)).toBe(`/${ID}/sites?create=true`);
    expect(returnPathIn('other', `/${ID}/sites`)).toBeNull();
    expect(returnPathIn(ID, undefined)).toBeNull();
  });

  it('is omitted when it is the dashboard', () => {
    expect(returnPathIn(ID, `/${ID}`)).toBeNull();
    expect(returnPathIn(ID, `/${ID}/`)).toBeNull();
  });

  it.each([
    '//evil.example/x',
    'https://evil.example',
    `/${ID}\\evil`,
    `/${ID}/..//evil.example`,
    `/${ID}/\u0000`,
    '/',
    `/${ID}/${'x'.repeat(2000)}`,
  ])('is never %s', (address) => {
    expect(organizationOfReturn(address)).toBeNull();
    expect(returnPathIn(ID, address)).toBeNull();
  });
});
