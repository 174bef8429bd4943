import { expect, it } from 'vitest';
import { deadLinkPage } from './dead-link-page.ts';
import { S3Error } from './s3-error.ts';

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-language': 'fr-CA,fr;q=0.9,en;q=0.8',
};
const LINK = '/bucket/letter.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=600';
const expired = new S3Error('AccessDenied', 'Request has <expired>');
const open = { method: 'GET', url: LINK, headers: BROWSER };

it('a person who opens a shared link that has expired is told so in their language', () => {
  const french = deadLinkPage(open, expired);
  expect(french).toMatchObject({ status: 403, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(french?.body).toContain('<h1>Ce lien ne fonctionne pas</h1>');
  expect(french?.body).toContain('AccessDenied: Request has &lt;expired&gt;');
  const english = deadLinkPage({ ...open, headers: { accept: 'text/html' } }, new S3Error('NoSuchKey'));
  expect([english?.status, english?.body]).toEqual([404, expect.stringContaining('This link does not work')]);
});

it('programs, other requests and failures of the service get their response in XML', () => {
  expect(deadLinkPage({ ...open, headers: { accept: '*/*' } }, expired)).toBeNull();
  expect(deadLinkPage({ ...open, headers: {} }, expired)).toBeNull();
  expect(deadLinkPage({ ...open, method: 'PUT' }, expired)).toBeNull();
  expect(deadLinkPage({ ...open, url: '/bucket/letter.pdf' }, expired)).toBeNull();
  expect(deadLinkPage(open, new S3Error('ServiceUnavailable'))).toBeNull();
});
