import { describe, expect, it } from 'vitest';
import { checkEndpoint, fieldOfRefusal, type TypedEndpoint } from './endpoint-form-errors.ts';

const typed: TypedEndpoint = {
  hostname: 'www.harbour.example',
  origin: 'site',
  siteId: '01jzzzzzzzzzzzzzzzzzzzzzzz',
  redirectTarget: '',
};
const problemsOf = (changes: Partial<TypedEndpoint>) => checkEndpoint({ ...typed, ...changes });

describe('what a new endpoint lacks before it is submitted', () => {
  it('is nothing when the hostname and its origin are there', () => {
    expect(problemsOf({})).toEqual({});
    expect(problemsOf({ origin: 'redirect', redirectTarget: 'https://harbour.example/news' })).toEqual({});
  });

  it('is a hostname, which may be a pasted address or international', () => {
    expect(problemsOf({ hostname: ' ' })).toEqual({ hostname: 'empty' });
    expect(problemsOf({ hostname: 'harbour' })).toEqual({ hostname: 'single_label' });
    expect(problemsOf({ hostname: 'https://CAFÉ.example/' })).toEqual({});
  });

  it('is a site, or an address with a host, depending on the origin', () => {
    expect(problemsOf({ siteId: null })).toEqual({ site_id: 'missing' });
    expect(problemsOf({ siteId: null, origin: 'redirect' })).toEqual({ redirect_target: 'missing' });
    expect(problemsOf({ origin: 'redirect', redirectTarget: '/news' })).toEqual({
      redirect_target: 'relative',
    });
  });

  it('is shown for all fields at once', () => {
    expect(problemsOf({ hostname: '', siteId: null })).toEqual({ hostname: 'empty', site_id: 'missing' });
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
});
