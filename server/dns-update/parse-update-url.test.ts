import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config/config.ts';
import { parseUpdateUrl } from './parse-update-url.ts';

describe('DNS_UPDATE_URL', () => {
  it('provides key, secret and server', () => {
    expect(parseUpdateUrl('dns://Portage.Key.:c2VjcmV0@ns1.example.ca:5300')).toEqual({
      host: 'ns1.example.ca',
      port: 5300,
      keyName: 'portage.key',
      secret: Buffer.from('secret'),
    });
  });

  it('accepts every character of base64, literal and percent-encoded, and defaults to port 53', () => {
    const secret = Buffer.from([0xfb, 0xff, 0xfe, 0x01]);
    const plain = parseUpdateUrl(`dns://key:${secret.toString('base64')}@192.0.2.1`);
    const encoded = parseUpdateUrl(`dns://key:${encodeURIComponent(secret.toString('base64'))}@192.0.2.1`);
    expect(secret.toString('base64')).toMatch(/[+/]/);
    expect(plain).toEqual({ host: '192.0.2.1', port: 53, keyName: 'key', secret });
    expect(encoded).toEqual(plain);
  });

  it('accepts an IPv6 address in brackets', () => {
    expect(parseUpdateUrl('dns://key:c2VjcmV0@[2001:db8::53]:53')).toMatchObject({ host: '2001:db8::53' });
  });

  it.each([
    ['https://key:c2VjcmV0@host', 'must look like'],
    ['dns://host:53', 'must look like'],
    ['dns://key@host', 'must look like'],
    ['dns://key:c2VjcmV0@', 'must look like'],
    ['dns://key:c2VjcmV0@host:53/zone', 'must look like'],
    ['dns://k y:c2VjcmV0@host', 'name of its key'],
    ['dns://key:not base64@host', 'must be base64'],
    ['dns://key:%ZZ@host', 'must be base64'],
    ['dns://key:c2VjcmV0@host:0', 'its port'],
    ['dns://key:c2VjcmV0@host:70000', 'its port'],
  ])('refuses %s with a sentence that names the setting and does not reveal the secret', (url, reason) => {
    expect(() => parseUpdateUrl(url)).toThrow(ConfigError);
    expect(() => parseUpdateUrl(url)).toThrow(/^DNS_UPDATE_URL cannot be used: .*\.$/);
    expect(() => parseUpdateUrl(url)).toThrow(reason);
    expect(() => parseUpdateUrl(url)).not.toThrow('c2VjcmV0');
  });
});
