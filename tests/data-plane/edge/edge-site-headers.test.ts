import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './edge-client.ts';
import { MemoryPorts, startEdge, type TestEdge } from './edge-fixture.ts';

let running: TestEdge;

beforeAll(async () => {
  const ports = new MemoryPorts();
  const rules = {
    _redirects: '/old /docs\n',
    _headers: [
      '/*',
      '  Access-Control-Allow-Origin: *',
      '  Cache-Control: public, max-age=31536000',
      '  Content-Security-Policy: default-src *',
      '  Content-Type: application/x-other',
      '  Vary: Origin',
      '/docs',
      '  X-Docs: yes',
    ].join('\n'),
  };
  ports.addVersion('v', { 'docs/index.html': 'docs', 'a.txt': 'a', ...rules });
  ports.point('site.test', 'v');
  ports.addVersion('own', { '404.html': 'own page', ...rules });
  ports.point('own.test', 'own');
  running = await startEdge(ports);
});

afterAll(() => running.edge.close());

describe.each(['fast', 'node'] as const)("a site's _headers, over the %s path", (via) => {
  const get = (target: string, headers: Record<string, string> = {}) =>
    ask(running.port, target, headers, { via });

  test('apply to the redirect to a clean address, so that another origin may follow it', async () => {
    const response = await get('/docs');
    expect(response.status).toBe(308);
    expect(response.headers).toMatchObject({
      location: '/docs/',
      'content-length': '0',
      'access-control-allow-origin': '*',
      'x-docs': 'yes',
      vary: 'Origin',
      // A rollback must be able to undo it.
      'cache-control': 'public, max-age=0, must-revalidate',
    });
    expect(response.headers['content-type']).toBeUndefined();
  });

  test('apply to the redirects of the site', async () => {
    const response = await get('/old');
    expect(response.status).toBe(301);
    expect(response.headers).toMatchObject({ location: '/docs', 'access-control-allow-origin': '*' });
    expect(response.headers['x-docs']).toBeUndefined();
  });

  test('apply to a missing page, ours or the site’s, and change nothing of ours', async () => {
    const ours = await get('/nothing');
    expect(ours.status).toBe(404);
    expect(ours.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept-Language, Origin',
    });
    expect(ours.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    const own = await get('/nothing', { Host: 'own.test' });
    expect(own.status).toBe(404);
    expect(own.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache' });
  });

  test('apply to a nonexistent range and a failed condition', async () => {
    const range = await get('/a.txt', { Range: 'bytes=5-' });
    expect(range.status).toBe(416);
    expect(range.headers).toMatchObject({ 'access-control-allow-origin': '*', 'content-range': 'bytes */1' });
    const condition = await get('/a.txt', { 'If-Match': '"other"' });
    expect(condition.status).toBe(412);
    expect(condition.headers['access-control-allow-origin']).toBe('*');
  });
});
