import { createTRPCUntypedClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AppRouter } from '#server/routers/app-router.ts';
import { CallError } from './call-error.ts';
import { createHttpCalls } from './http-calls.ts';
import { foreignTextOf, isUnreachable } from './i18n/errors/read-error.ts';
import type { Calls } from './trpc.ts';
import { transformer } from './wire-values.ts';

interface Sent {
  address: string;
  method: string;
  type: string | null;
  body: string | null;
}

type OnEnd = (end: (reason: unknown) => void) => void;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Stands for a time limit that passes at once. */
function endSoon(): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException('It took too long.', 'TimeoutError')));
  return limit.signal;
}

/** Lets every request be answered by one function, and returns what is sent. */
function answerWith(answer: (calls: number) => Response | Promise<Response>): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (address: string, request: RequestInit) => {
    request.signal?.throwIfAborted();
    const type = new Headers(request.headers).get('content-type');
    sent.push({ address, method: request.method ?? 'GET', type, body: request.body?.toString() ?? null });
    return answer(new URL(address, 'http://here').pathname.split(',').length);
  });
  return sent;
}

/** A response of what stands between the browser and us. */
const failed = (body: string, statusText: string) => new Response(body, { status: 502, statusText });

const echo = (calls: number) =>
  Response.json(Array.from({ length: calls }, (_, index) => ({ result: { data: { json: index } } })));

function libraryCalls(): Calls {
  const link = httpBatchLink<AppRouter>({ url: '/api/trpc', transformer, maxURLLength: 4000 });
  const client = createTRPCUntypedClient<AppRouter>({ links: [link] });
  return {
    query: (path, input) => client.query(path, input),
    mutation: (path, input) => client.mutation(path, input),
  };
}

describe('calls over HTTP', () => {
  it('are sent and answered like those of @trpc/client', async () => {
    const sent = answerWith(echo);
    const made = [];
    for (const calls of [libraryCalls(), createHttpCalls()]) {
      const responses = await Promise.all([
        calls.query('user.me', undefined),
        calls.query('sites.list', { organization_id: 'org', search: 'été & Co' }),
        ...Array.from({ length: 60 }, (_, index) => calls.query('sites.get', { site_id: `site-${index}` })),
        calls.mutation('sites.create', { name: 'Régates' }),
      ]);
      made.push({
        answers: responses,
        sent: sent
          .splice(0)
          .map((each) => JSON.stringify(each))
          .sort(),
      });
    }
    const [theirs, ours] = made;
    expect(ours).toEqual(theirs);
    expect(ours?.sent.length).toBeGreaterThan(2);
  });

  it('a query alone may be longer than a batch', async () => {
    const sent = answerWith(echo);
    const long = 'x'.repeat(5000);
    const calls = createHttpCalls();
    await Promise.all([calls.query('user.me', undefined), calls.query('sites.list', { search: long })]);
    expect(sent.map(({ address }) => address.includes(long))).toEqual([false, true]);
  });

  it('tell a refusal with what the server said of it', async () => {
    const data = {
      code: 'NOT_FOUND',
      httpStatus: 404,
      error: { code: 'not_found', message: 'No such site.' },
    };
    const error = { json: { message: 'No such site.', code: -32004, data } };
    answerWith(() => Response.json([{ error }], { status: 404 }));
    for (const [calls, failure] of [
      [libraryCalls(), TRPCClientError],
      [createHttpCalls(), CallError],
    ] as const) {
      const thrown = await calls.query('sites.get', {}).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(failure);
      expect(thrown).toMatchObject({ name: 'TRPCClientError', message: 'No such site.', data });
    }
  });

  it.each([
    ['a page of a proxy', () => failed('<html>', 'Bad Gateway'), false, 'HTTP 502: Bad Gateway'],
    [
      'a sentence of a proxy',
      () => failed('no healthy upstream', 'Bad Gateway'),
      false,
      'no healthy upstream',
    ],
    ['an empty response over HTTP/2', () => failed('', ''), false, 'HTTP 502'],
    ['JSON of something else', () => failed('{"oops":true}', 'Bad Gateway'), false, 'HTTP 502: Bad Gateway'],
    ['fewer answers than questions', () => Response.json([]), false, null],
    ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), true, null],
  ])('tell apart whether there was a response, and which: %s', async (_, response, isAway, status) => {
    answerWith(response);
    const thrown = await createHttpCalls()
      .query('user.me', undefined)
      .catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(CallError);
    expect(isUnreachable(thrown)).toBe(isAway);
    expect(foreignTextOf(thrown)).toBe(status);
  });

  it.each([
    ['a response that never begins', (onEnd: OnEnd) => new Promise<Response>((_, reject) => onEnd(reject))],
    [
      'one that never ends',
      (onEnd: OnEnd) =>
        new Response(new ReadableStream({ start: (body) => onEnd((reason) => body.error(reason)) })),
    ],
  ])('count as without a response after a while: %s', async (_, response) => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(endSoon);
    vi.stubGlobal('fetch', async (_address: string, { signal }: RequestInit) =>
      response((end) => signal?.addEventListener('abort', () => end(signal.reason))),
    );
    const calls = createHttpCalls();
    const ended = await Promise.allSettled([
      calls.query('user.me', undefined),
      calls.mutation('sites.delete', {}),
    ]);
    const isLost = (end: PromiseSettledResult<unknown>) =>
      end.status === 'rejected' && end.reason instanceof CallError && isUnreachable(end.reason);
    expect(ended.map(isLost)).toEqual([true, true]);
  });

  it('end when they are told to, without ending others', async () => {
    answerWith(echo);
    const calls = createHttpCalls();
    const ended = calls.query('sites.get', {}, { signal: AbortSignal.abort() });
    const other = calls.query('user.me', undefined);
    await expect(ended).rejects.toThrow(CallError);
    await expect(other).resolves.toBe(0);
  });
});
