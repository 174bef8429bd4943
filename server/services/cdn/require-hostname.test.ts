import { describe, expect, it } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { requireHostname } from './require-hostname.ts';

const config = loadConfig({
  PUBLIC_URL: 'https://console.portage.example:8443',
  SITES_DOMAIN: 'sites.example.ca:8080',
  CNAME_DOMAIN: 'edge.example.ca',
  ACME_ZONE: 'acme.example.ca',
  DNS_NAME_SERVERS: 'ns1.portage.example',
  S3_DOMAIN: 's3.example.ca',
  S3_URL: 'https://objects.portage.example',
});

describe('requireHostname', () => {
  it('returns the normalized form', () => {
    expect(requireHostname(config, 'https://WWW.example.ca/')).toBe('www.example.ca');
  });

  it('refuses an invalid hostname with a code, and with a message for people who read the API’s answer', () => {
    expect(() => requireHostname(config, ' *.example.ca')).toThrow(
      expect.objectContaining({
        code: 'hostname_invalid',
        params: {
          hostname: '*.example.ca',
          problem: 'wildcard',
          reason: expect.stringContaining('wildcard'),
        },
      }),
    );
  });

  it('reserves the names of this installation and everything below its domains', () => {
    const reserved = [
      'sites.example.ca',
      'blog.sites.example.ca',
      'a.b.sites.example.ca',
      'EDGE.example.ca.',
      'x.edge.example.ca',
      'x.acme.example.ca',
      'console.portage.example',
      'ns1.portage.example',
      'bucket.s3.example.ca',
      'objects.portage.example',
      'localhost',
    ];
    for (const hostname of reserved) {
      expect(() => requireHostname(config, hostname), hostname).toThrow(
        expect.objectContaining({ code: 'hostname_reserved' }),
      );
    }
    const free = ['www.console.portage.example', 'mysites.example.ca', 'example.ca', 'shop.localhost'];
    for (const hostname of free) expect(requireHostname(config, hostname)).toBe(hostname);
  });

  it('refuses names that are public suffixes', () => {
    for (const hostname of ['qc.ca', 'co.uk', '公司.cn']) {
      expect(() => requireHostname(config, hostname), hostname).toThrow(
        expect.objectContaining({ params: expect.objectContaining({ problem: 'public_suffix' }) }),
      );
    }
    expect(requireHostname(config, 'example.qc.ca')).toBe('example.qc.ca');
  });

  it('refuses names of this machine when an external authority would have to issue certificates', () => {
    const acme = loadConfig({
      ACME_DIRECTORY_URL: 'https://ca.example/directory',
      ACME_ZONE: 'acme.example.ca',
    });
    expect(() => requireHostname(acme, 'shop.localhost')).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ problem: 'special_use' }) }),
    );
  });
});
