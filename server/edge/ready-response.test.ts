import { expect, test } from 'vitest';
import { Manifest } from './manifest.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import { EdgeClock, type ReadyVariant, readyVariant, rememberResponse, stampDate } from './ready-response.ts';
import { compileHeaders } from './rules/header-rules.ts';
import { compileRedirects } from './rules/redirect-rules.ts';
import type { SiteView } from './site-view.ts';

const start = Date.UTC(2026, 0, 1);

function remembered(size: number, budget = new MemoryBudget(10_000_000)) {
  let now = start;
  const clock = new EdgeClock(() => now);
  const files = new Manifest();
  const view: SiteView = {
    siteId: 's',
    isPreview: false,
    strictTransportSeconds: 0,
    versionId: 'v',
    bytes: 0,
    rules: { files, findRedirect: compileRedirects([]), spaFallback: false },
    applyHeaders: compileHeaders([]),
    lastModified: '',
    responses: new Map(),
    copiesAfter: null,
  };
  const body = { bytes: size, wasUsed: false, body: Buffer.alloc(size, 'b'), evict: () => {} };
  const headers = ['ETag', '"x"', 'Content-Type', 'text/plain', 'Content-Length', String(size)];
  rememberResponse(
    view,
    budget,
    '/a',
    { path: '/', encoding: 'identity', encodings: 0, etag: '"x"', headers, body },
    clock,
  );
  const response = view.responses.get('/a');
  const variant = response === undefined ? null : readyVariant(response, 'br');
  const later = () => {
    now += 1_000;
    clock.tick();
  };
  return { view, clock, variant, later, body };
}

function required(variant: ReadyVariant | null): ReadyVariant {
  if (variant === null) throw new Error('the response was not kept');
  return variant;
}

test('a small body is joined to its head, a large one is shared', () => {
  const small = required(remembered(10).variant);
  expect(small.wire.toString()).toBe(
    `HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nETag: "x"\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n${'b'.repeat(10)}`,
  );
  expect(small.notModified.toString()).toBe(
    'HTTP/1.1 304 Not Modified\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nETag: "x"\r\n\r\n',
  );
  const { variant, body } = remembered(500_000);
  expect(required(variant).body).toBe(body);
  expect(required(variant).wire.toString()).toMatch(/\r\n\r\n$/);
});

test('a new date is written in place, but never into bytes that a slow connection still holds', () => {
  const { variant, clock, later } = remembered(10);
  const ready = required(variant);
  const first = ready.wire;
  later();
  stampDate(ready, clock);
  expect(ready.wire).toBe(first);
  expect(first.toString()).toContain('Date: Thu, 01 Jan 2026 00:00:01 GMT\r\n');
  ready.isHeld = true;
  later();
  stampDate(ready, clock);
  expect(first.toString()).toContain('00:00:01 GMT');
  expect(ready.wire.toString()).toContain('00:00:02 GMT');
  expect(ready.notModified.toString()).toContain('00:00:02 GMT');
});

test('a response that exceeds the budget is not kept', () => {
  expect(remembered(10, new MemoryBudget(100)).view.responses.size).toBe(0);
});
