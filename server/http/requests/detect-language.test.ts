import { describe, expect, it } from 'vitest';
import { detectLanguage } from './detect-language.ts';

const nothing = { preference: null, cookie: undefined, acceptLanguage: null };

describe('the language of a page', () => {
  it('is the person’s preference before everything else', () => {
    expect(detectLanguage({ preference: 'fr-CA', cookie: 'en-CA', acceptLanguage: 'en' })).toBe('fr-CA');
  });
  it('is the stored choice before the browser', () => {
    expect(detectLanguage({ ...nothing, cookie: 'fr-CA', acceptLanguage: 'en-CA' })).toBe('fr-CA');
  });
  it('is what another program requests, before the browser and after the stored choice', () => {
    const asked = { ...nothing, asked: 'de fr-CA fr en', acceptLanguage: 'en-CA' };
    expect(detectLanguage(asked)).toBe('fr-CA');
    expect(detectLanguage({ ...asked, cookie: 'en-CA' })).toBe('en-CA');
    expect(detectLanguage({ ...asked, asked: '<script>alert(1)</script>' })).toBe('en-CA');
  });
  it('is the browser’s preferred of the two, by quality', () => {
    expect(detectLanguage({ ...nothing, acceptLanguage: 'de, en;q=0.5, fr-FR;q=0.8' })).toBe('fr-CA');
    expect(detectLanguage({ ...nothing, acceptLanguage: 'fr;q=0, en' })).toBe('en-CA');
  });
  it('is en-CA when nothing is known', () => {
    expect(detectLanguage(nothing)).toBe('en-CA');
  });
  it('is never a value that looks like script', () => {
    expect(detectLanguage({ ...nothing, cookie: '"><script>alert(1)</script>' })).toBe('en-CA');
  });
});
