import { describe, expect, it } from 'vitest';
import { checkEndpoint, fieldOfRefusal, type TypedEndpoint, wordsOfRefusal } from './endpoint-form-errors.ts';

const typed: TypedEndpoint = {
  hostname: 'www.harbour.example',
  origin: 'site',
  siteId: '01jzzzzzzzzzzzzzzzzzzzzzzz',
  redirectTarget: '',
};
const fieldsOf = (changes: Partial<TypedEndpoint>) => Object.keys(checkEndpoint({ ...typed, ...changes }));

describe('what a new endpoint lacks before anything is sent', () => {
  it('is nothing when the hostname and its origin are there', () => {
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ origin: 'redirect', redirectTarget: 'https://harbour.example/news' })).toEqual([]);
  });

  it('is a hostname, which may be a pasted address or international', () => {
    expect(fieldsOf({ hostname: ' ' })).toEqual(['hostname']);
    expect(fieldsOf({ hostname: 'harbour' })).toEqual(['hostname']);
    expect(fieldsOf({ hostname: 'https://CAFÉ.example/' })).toEqual([]);
  });

  it('is a site, or an address with a host, whichever origin is chosen', () => {
    expect(fieldsOf({ siteId: null })).toEqual(['site_id']);
    expect(fieldsOf({ siteId: null, origin: 'redirect' })).toEqual(['redirect_target']);
    expect(fieldsOf({ origin: 'redirect', redirectTarget: '/news' })).toEqual(['redirect_target']);
  });

  it('is told for all fields at once', () => {
    expect(fieldsOf({ hostname: '', siteId: null })).toEqual(['hostname', 'site_id']);
  });
});

describe('where a refusal of the server is shown', () => {
  it('is beside the field that it is about', () => {
    expect(fieldOfRefusal({ code: 'hostname_taken', fields: [] })).toBe('hostname');
    expect(fieldOfRefusal({ code: 'site_not_found', fields: [] })).toBe('site_id');
    expect(fieldOfRefusal({ code: 'redirect_loop', fields: [] })).toBe('redirect_target');
    expect(fieldOfRefusal({ code: 'invalid_input', fields: [{ path: 'hostname', message: '' }] })).toBe(
      'hostname',
    );
  });

  it('is above the form for everything else', () => {
    expect(fieldOfRefusal({ code: 'internal', fields: [] })).toBeNull();
    expect(fieldOfRefusal({ code: 'invalid_input', fields: [{ path: 'hsts', message: '' }] })).toBeNull();
  });

  it('has closer words where the server names the problem', () => {
    const wordsOf = (problem: string) =>
      wordsOfRefusal({ code: 'hostname_invalid', params: { hostname: 'co.uk', problem } })?.message;
    expect(wordsOf('public_suffix')).toContain('Everybody can register names below this one');
    expect(wordsOf('toString')).toBeUndefined();
    expect(
      wordsOfRefusal({ code: 'hostname_taken', params: { hostname: 'www.harbour.example' } }),
    ).toBeNull();
  });
});
