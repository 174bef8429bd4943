import { expect, it, vi } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import { loadConfig } from './config.ts';
import { findSharedDomains, warnAboutSettings } from './warn-about-settings.ts';

const shared = (publicUrl: string, sitesDomain: string, s3Domain: string) =>
  findSharedDomains({ publicUrl, sitesDomain, s3Domain });

it('domains of customers’ pages that share cookies with the console are named', () => {
  const console = 'https://console.example.ca';
  expect(shared(console, 'sites.example.net', 's3.example.net')).toEqual([]);
  expect(shared(console, 'sites.example.ca', 's3.example.ca')).toEqual(['SITES_DOMAIN', 'S3_DOMAIN']);
  expect(shared('https://example.co.uk:8443', 'sites.other.co.uk', 's3.example.co.uk')).toEqual([
    'S3_DOMAIN',
  ]);
});

it('a domain that browsers count as a suffix shares nothing with its neighbours', () => {
  expect(shared('https://console.github.io', 'sites.github.io', 's3.github.io')).toEqual([]);
  expect(shared('http://localhost:3000', 'sites.localhost', 's3.localhost')).toEqual([]);
  expect(shared('http://192.0.2.1', 'sites.localhost', 's3.localhost')).toEqual([]);
});

it('a name server without the addresses of the edge is warned about, where others ask it', () => {
  const warningsOf = (environment: Record<string, string>) => {
    const logger = createLogger('silent');
    const warn = vi.spyOn(logger, 'warn');
    warnAboutSettings(loadConfig(environment), logger, environment);
    return warn.mock.calls.map(([message]) => message);
  };
  const warning = expect.stringMatching(/^EDGE_ADDRESSES is empty/);
  expect(warningsOf({ CNAME_DOMAIN: 'edge.example.ca' })).toEqual([warning]);
  expect(warningsOf({ CNAME_DOMAIN: 'edge.example.ca', EDGE_ADDRESSES: '192.0.2.10' })).toEqual([]);
  expect(warningsOf({ CNAME_DOMAIN: 'edge.example.ca', ROLES: 'console,edge,jobs' })).toEqual([]);
  expect(warningsOf({})).toEqual([]);
});
