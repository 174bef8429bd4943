import { expect, it } from 'vitest';
import { addressToVisit } from './address-to-visit.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
const SITE = { id: 'blog', subdomain_url: 'https://blog.sites.example' };
const endpoint = (site_id: string, name: string, proven_at: string | null) => ({
  site_id,
  url: `https://${name}`,
  proven_at,
  bundle: null,
});
const live = (site_id: string, name: string) => endpoint(site_id, name, '2026-11-20T08:00:00.000Z');

it('leads to the first working endpoint of the site', () => {
  const endpoints = [
    live('shop', 'shop.example'),
    endpoint('blog', 'waits.example', null),
    live('blog', 'first.example'),
    live('blog', 'second.example'),
  ];
  expect(addressToVisit(SITE, endpoints, NOW)).toBe('https://first.example');
});

it('leads to the first endpoint while none works', () => {
  const endpoints = [endpoint('shop', 'shop.example', null), endpoint('blog', 'waits.example', null)];
  expect(addressToVisit(SITE, endpoints, NOW)).toBe('https://waits.example');
});

it('leads to the site’s own address if it has no endpoint, or none is known', () => {
  expect(addressToVisit(SITE, [live('shop', 'shop.example')], NOW)).toBe(SITE.subdomain_url);
  expect(addressToVisit(SITE, undefined, NOW)).toBe(SITE.subdomain_url);
});
