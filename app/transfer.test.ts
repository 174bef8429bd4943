import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { transfer } from './transfer.ts';

/** A browser's request, as far as it is used: the test says what happens to it. */
class FakeRequest {
  static last: FakeRequest;
  readonly upload: Partial<Record<'onprogress' | 'onload', (event: { loaded: number }) => void>> = {};
  status = 0;
  responseText = '';
  declare onload: () => void;
  declare onerror: () => void;
  declare onabort: () => void;
  declare onprogress: () => void;
  declare onloadend: () => void;
  constructor() {
    FakeRequest.last = this;
  }
  open() {}
  send() {}
  setRequestHeader() {}
  getResponseHeader = () => '"tag"';
  abort() {
    this.onabort();
    this.onloadend();
  }
  respond(status: number, text: string) {
    Object.assign(this, { status, responseText: text });
    this.onload();
    this.onloadend();
  }
}

const MINUTE = 60_000;

describe('a transfer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('XMLHttpRequest', FakeRequest);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const begin = (signal = new AbortController().signal) => {
    const sent: number[] = [];
    const outcome = transfer({
      ...{ method: 'PUT', url: '/file', body: 'text', signal },
      onBytes: (bytes) => sent.push(bytes),
    }).catch((error: unknown) => String(error));
    return { outcome, sent, request: FakeRequest.last };
  };

  it('tells how many bytes have been sent, and what the response is', async () => {
    const { outcome, sent, request } = begin();
    request.upload.onprogress?.({ loaded: 4 });
    request.respond(403, 'no');
    expect(await outcome).toEqual({ status: 403, text: 'no', etag: '"tag"' });
    expect(sent).toEqual([4]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails as a network does when no byte moves for a minute, however long it has been moving', async () => {
    const { outcome, request } = begin();
    for (let loaded = 1; loaded <= 5; loaded += 1) {
      vi.advanceTimersByTime(MINUTE - 1);
      request.upload.onprogress?.({ loaded });
    }
    vi.advanceTimersByTime(MINUTE);
    expect(await outcome).toBe('TypeError: the network fell silent');
  });

  it('gives the server five minutes to store what has arrived', async () => {
    const { outcome, request } = begin();
    request.upload.onload?.({ loaded: 4 });
    vi.advanceTimersByTime(5 * MINUTE - 1);
    request.respond(200, '{}');
    expect(await outcome).toMatchObject({ status: 200 });
    const late = begin();
    late.request.upload.onload?.({ loaded: 4 });
    vi.advanceTimersByTime(5 * MINUTE);
    expect(await late.outcome).toBe('TypeError: the network fell silent');
  });

  it('has nothing asked of another origin beforehand when nobody looks at its progress', async () => {
    const { signal } = new AbortController();
    const outcome = transfer({ method: 'POST', url: '/file', body: 'text', signal }).catch(String);
    expect(FakeRequest.last.upload).toEqual({});
    vi.advanceTimersByTime(5 * MINUTE);
    expect(await outcome).toBe('TypeError: the network fell silent');
  });

  it('ends with the reason of whoever aborts it', async () => {
    const ending = new AbortController();
    const { outcome } = begin(ending.signal);
    ending.abort('no longer wanted');
    expect(await outcome).toBe('no longer wanted');
    expect(vi.getTimerCount()).toBe(0);
  });
});
