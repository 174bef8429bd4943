import { expect, test } from 'vitest';
import { cacheControlOf, isFingerprinted } from './cache-policy.ts';

test.each([
  'assets/index-BxK3d9_z.js',
  'assets/index-DAq5Kt1T.css',
  'assets/app.3f9a1c2b.js',
  'assets/app.3f9a1c2b.js.map',
  'static/js/main.8a7f3e21.chunk.js',
  'static/media/logo.6ce24c58023cc2f8fd88fe9d219db6c6.svg',
  'chunk-4XWZ7QK2.js',
  'fonts/inter-latin.9d5f0cc0b1f2a3e4.woff2',
  '3f9a1c2b4d5e6f70.png',
  '_next/static/chunks/main.js',
  '_app/immutable/entry/start.js',
])('%s has a fingerprint', (path) => {
  expect(isFingerprinted(path)).toBe(true);
});

test.each([
  'index.html',
  'page.3f9a1c2b.html',
  'app.js',
  'my-component.js',
  'app-settings.css',
  'vendor.bootstrap.min.css',
  'report-20240115.pdf',
  'photo.20240115a.jpg',
  'screen-1920x1080.png',
  'screen-1280x720.png',
  'logo-MyCompany.png',
  'icon-FullName.svg',
  'galaxy-Galaxy10.jpg',
  'hero-iPhone14.jpg',
  'jquery-3.7.1.min.js',
  'three.module.min.js',
  'README-Kubernetes.txt',
  'deadbeef.txt',
  'invoice-12345678.pdf',
  'user-profile_card.css',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-es-bundle-core.js',
  '3f9a1c2b4d5e6f70',
  'LICENSE',
])('%s has none', (path) => {
  expect(isFingerprinted(path)).toBe(false);
});

test('pages are always revalidated, fingerprinted files never, the others every time', () => {
  expect(cacheControlOf('index.html', 'text/html; charset=utf-8')).toBe('no-cache');
  expect(cacheControlOf('a.3f9a1c2b.js', 'text/javascript; charset=utf-8')).toBe(
    'public, max-age=31536000, immutable',
  );
  expect(cacheControlOf('a.js', 'text/javascript; charset=utf-8')).toBe('public, max-age=0, must-revalidate');
});
