import { describe, expect, it } from 'vitest';
import { filterEndpoints } from './search-rules.ts';

const ENDPOINTS = [
  { hostname: 'www.harbour.example', site_name: 'Café du port', redirect_target: null },
  { hostname: 'old.harbour.example', site_name: null, redirect_target: 'https://www.harbour.example/' },
  { hostname: 'blog.xn--caf-dma.example', site_name: 'Blog', redirect_target: null },
];
const found = (search: string) => filterEndpoints(ENDPOINTS, search).map(({ hostname }) => hostname);

describe('searching endpoints', () => {
  it('finds all of them before anything is typed', () => {
    expect(found('')).toHaveLength(3);
  });

  it('matches the hostname, the site and the redirect target, ignoring case and accents', () => {
    expect(found('HARBOUR')).toEqual(['www.harbour.example', 'old.harbour.example']);
    expect(found('cafe du')).toEqual(['www.harbour.example']);
    expect(found('old www')).toEqual(['old.harbour.example']);
    expect(found('nowhere')).toEqual([]);
  });

  it('also matches a hostname as people write it', () => {
    expect(found('blog.café')).toEqual(['blog.xn--caf-dma.example']);
    expect(found('xn--caf')).toEqual(['blog.xn--caf-dma.example']);
  });
});
