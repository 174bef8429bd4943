import { CallError } from './call-error.ts';
import { loadErrorWords } from './i18n/errors/error-words.ts';
import { createSubmissions } from './submissions.ts';
import type { Calls } from './trpc.ts';
import { transformer } from './wire-values.ts';

interface Call {
  path: string;
  input: unknown;
  signal?: AbortSignal | undefined;
  resolve: (value: unknown) => void;
  reject: (error: CallError) => void;
}

/**
 * After this, a response counts as lost, as when there is no connection; who gives a signal decides alone. Queries answer within
 * seconds; a change may wait for other services, and proxies wait for it as long.
 */
const QUERY_MS = 20_000;
const MUTATION_MS = 60_000;

/** Queries beyond it are asked in another request; one alone is bounded by what the server takes. */
const ADDRESS_LENGTH_MAX = 4000;

/**
 * Returns calls over HTTP, as @trpc/client makes them: queries made at the same moment share a request. The
 * library would be 4 KB of every first page; it also supports subscriptions and streams, and is compiled for
 * old browsers.
 */
export function createHttpCalls(): Calls {
  let waiting: Call[] = [];
  const submit = createSubmissions();
  const sendWaiting = () => {
    for (const batch of batchesOf(waiting)) void send(batch, addressOf(batch));
    waiting = [];
  };
  return {
    query: (path, input, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const call = { path, input, signal, resolve, reject };
        // Ending one call must not end others.
        if (signal) void send([call], addressOf([call]));
        else if (waiting.push(call) === 1) setTimeout(sendWaiting);
      }),
    mutation: (path, input, { signal } = {}) =>
      submit(
        path,
        input,
        (key) =>
          new Promise((resolve, reject) => {
            const calls = [{ path, input, signal, resolve, reject }];
            const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
            void send(calls, pathOf(calls), { method: 'POST', headers, body: inputsOf(calls) });
          }),
      ),
  };
}

function batchesOf(calls: Call[]): Call[][] {
  const batches: Call[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (last && addressOf([...last, call]).length <= ADDRESS_LENGTH_MAX) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

function pathOf(calls: Call[]): string {
  return `/api/trpc/${calls.map(({ path }) => path).join()}?batch=1`;
}

function addressOf(calls: Call[]): string {
  return `${pathOf(calls)}&input=${encodeURIComponent(inputsOf(calls))}`;
}

function inputsOf(calls: Call[]): string {
  return JSON.stringify({ ...calls.map(({ input }) => transformer.input.serialize(input)) });
}

async function send(calls: Call[], address: string, request?: RequestInit): Promise<void> {
  let foreignText: string | null = null;
  try {
    const signal = calls[0]?.signal ?? AbortSignal.timeout(request ? MUTATION_MS : QUERY_MS);
    const response = await fetch(address, { ...request, signal });
    const { ok, status, statusText } = response;
    const body = await response.text();
    // Markup and JSON of something else are not for people to read, and HTTP/2 has no text of a status.
    if (!ok)
      foreignText = /^\w/.test(body)
        ? body.slice(0, 500)
        : `HTTP ${status}${statusText && `: ${statusText}`}`;
    // A response with errors waits for their words.
    if (status !== 200) await loadErrorWords();
    const responses: unknown = JSON.parse(body);
    for (const [index, call] of calls.entries())
      settle(call, Array.isArray(responses) ? responses[index] : responses, foreignText);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Something has answered that does not speak JSON: a proxy.
    const isAnswered = cause instanceof SyntaxError;
    for (const { reject } of calls)
      reject(new CallError(message, { data: null, isAnswered, foreignText, cause }));
  }
}

type WireResponse = Parameters<typeof transformer.output.deserialize>[0];

/** @param foreignText in case that the response is not ours */
function settle({ resolve, reject }: Call, response: unknown, foreignText: string | null): void {
  try {
    // A foreign response fails on the way.
    const { result, error } = response as { result?: { data: WireResponse }; error?: WireResponse };
    if (result) {
      resolve(transformer.output.deserialize(result.data));
      return;
    }
    const { message, data } = transformer.output.deserialize(error as WireResponse) as CallError;
    reject(new CallError(message, { data, isAnswered: true }));
  } catch (cause) {
    const failure = { data: null, isAnswered: true, foreignText, cause };
    reject(new CallError('Not a response of ours', failure));
  }
}
