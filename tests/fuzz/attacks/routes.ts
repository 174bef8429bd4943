import { z } from 'zod';
import { appRouter } from '#server/routers/app-router.ts';
import type { SeededRandom } from '#tests/support/seeded-random.ts';
import { expectDeclaredResponse } from '#tests/support/surfaces/expect-declared-response.ts';
import { attackerAddress, type FuzzAttack } from '../fuzz-attack.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import {
  happens,
  type JsonSchema,
  nonsenseText,
  nonsenseValue,
  pick,
  type SchemaContext,
  several,
  valueOfSchema,
} from '../nonsense.ts';
import { type SentRequest, sendRequest } from './send-request.ts';

const CALLS_A_ROUND = 8;
const HUGE_BYTES = 3 * 1024 ** 2;

type Call = Pick<SentRequest, 'method' | 'path' | 'headers' | 'body'>;

/**
 * Every procedure and route, and the pages: wrong types, sizes and forms, as a stranger, a person and a
 * credential.
 */
export const routes: FuzzAttack = {
  name: 'routes',
  async round(target, random) {
    const operations = await operationsOf(target);
    for (let count = 0; count < CALLS_A_ROUND; count += 1) {
      const make = pick(random, [restCall, restCall, procedureCall, procedureCall, pageCall]);
      const call = make(target, random, operations);
      const asker = pick(random, ['stranger', 'person', 'person', 'credential', 'nonsense'] as const);
      const headers = { ...headersOf(target, random, asker), ...call.headers };
      const response = await sendRequest({
        ...call,
        headers,
        port: target.server.consolePort,
        localAddress: attackerAddress(random),
      }).catch((error: Error) => ({ status: 599, text: error.message }));
      if (response.status >= 500) {
        const sent = `${call.method} ${call.path.slice(0, 500)} ${call.body?.toString().slice(0, 700) ?? ''}`;
        target.report(`${asker} got ${response.status} for ${sent}: ${response.text.slice(0, 300)}`);
      }
      try {
        expectDeclaredResponse({ ...call, pathname: call.path.split('?', 1)[0] ?? '', headers }, response);
      } catch (error) {
        if (response.status < 500) target.report(String(error));
      }
      if (response.status === 401 && asker === 'person') await target.renewAttacker().catch(() => undefined);
    }
  },
};

interface RestOperation {
  method: string;
  path: string;
  parameters: { name: string; in: string; schema?: JsonSchema }[];
  body?: JsonSchema;
  mediaTypes: string[];
}

interface Operations {
  rest: RestOperation[];
  resolve(reference: string): JsonSchema | undefined;
}

let known: { server: unknown; operations: Operations } | undefined;

/** The surface as described by the running program, so that nothing new is forgotten here. */
async function operationsOf({ server }: FuzzTarget): Promise<Operations> {
  if (known?.server === server) return known.operations;
  const description = (await (await fetch(`${server.consoleUrl}/api/v1/openapi.json`)).json()) as OpenApi;
  const rest = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      method === 'parameters'
        ? []
        : [
            {
              method: method.toUpperCase(),
              path,
              parameters: operation.parameters ?? [],
              body: operation.requestBody?.content?.['application/json']?.schema,
              mediaTypes: Object.keys(operation.requestBody?.content ?? {}),
            },
          ],
    ),
  );
  const resolve = (reference: string): JsonSchema | undefined =>
    description.components?.schemas?.[reference.split('/').at(-1) ?? ''];
  const operations = { rest, resolve };
  known = { server, operations };
  return operations;
}

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

interface OpenApiOperation {
  parameters?: { name: string; in: string; schema?: JsonSchema }[];
  requestBody?: { content?: Record<string, { schema?: JsonSchema }> };
}

function contextOf(target: FuzzTarget, random: SeededRandom, operations: Operations): SchemaContext {
  return {
    random,
    known: target.attacker().known,
    nonsensePercent: pick(random, [0, 5, 20]),
    resolve: operations.resolve,
  };
}

function restCall(target: FuzzTarget, random: SeededRandom, operations: Operations): Call {
  const operation = pick(random, operations.rest);
  const context = contextOf(target, random, operations);
  const path = operation.path.replace(/\{[^}]+\}/g, () =>
    encodeURIComponent(
      wellFormed(happens(random, 70) ? pick(random, context.known) : nonsenseText(random, 300)),
    ),
  );
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && happens(random, 60))
    .map(({ name, schema }) => `${name}=${queryValue(valueOfSchema(schema, context))}`);
  const address = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const prefixed = address.startsWith('/') ? address : `/${address}`;
  const { method } = operation;
  if (operation.mediaTypes.length === 0) return { method, path: prefixed, headers: {} };
  const type = happens(random, 85)
    ? pick(random, operation.mediaTypes)
    : pick(random, [
        'text/plain',
        'multipart/form-data',
        'application/x-www-form-urlencoded',
        'application/zip',
      ]);
  const body =
    type === 'application/json' ? jsonBody(random, valueOfSchema(operation.body, context)) : bytes(random);
  return {
    method,
    path: prefixed,
    headers: { 'content-type': type.replace('*/*', 'application/octet-stream') },
    body,
  };
}

const procedures = Object.entries(appRouter._def.procedures).map(([name, procedure]) => {
  const { type, inputs } = (procedure as unknown as { _def: { type: string; inputs: z.ZodType[] } })._def;
  const schemas = inputs.map(
    (input) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
  );
  return { name, isQuery: type === 'query', schemas };
});

function procedureCall(target: FuzzTarget, random: SeededRandom, operations: Operations): Call {
  const { name, isQuery, schemas } = pick(random, procedures);
  const context = contextOf(target, random, operations);
  const parts = schemas.map((schema) => valueOfSchema(schema, context));
  const input = parts.every((part) => part !== null && typeof part === 'object')
    ? Object.assign(
        {},
        ...parts,
        happens(random, 80) ? { organization_id: target.attacker().organizationId } : {},
      )
    : nonsenseValue(random);
  const meta = happens(random, 15) ? { meta: nonsenseMeta(random) } : {};
  const wrapped = happens(random, 90) ? { json: input, ...meta } : input;
  const isBatch = happens(random, 20);
  const calls = isBatch ? 1 + random.below(30) : 1;
  const path = `/api/trpc/${Array(calls)
    .fill(happens(random, 95) ? name : nonsensePath(random))
    .join(',')}`;
  const payload = isBatch
    ? Object.fromEntries(Array.from({ length: calls }, (_, at) => [at, wrapped]))
    : wrapped;
  const isGet = happens(random, 92) ? isQuery : !isQuery;
  const batch = isBatch ? 'batch=1' : '';
  if (!isGet) {
    const headers = {
      'content-type': happens(random, 95) ? 'application/json' : 'multipart/form-data; boundary=x',
    };
    return { method: 'POST', path: `${path}?${batch}`, headers, body: jsonBody(random, payload) };
  }
  const text = encodeURIComponent(wellFormed(JSON.stringify(payload) ?? '')).slice(0, 12_000);
  return { method: 'GET', path: `${path}?${batch}&input=${text}`, headers: {} };
}

/** What superjson reads in addition to the values: it follows paths in it. */
function nonsenseMeta(random: SeededRandom): unknown {
  const path = pick(random, ['__proto__', 'constructor.prototype', 'a.b', '0', nonsenseText(random, 50)]);
  return pick(random, [
    { values: { [path]: [pick(random, ['Date', 'undefined', 'bigint', 'set', 'map', 'regexp', 'URL'])] } },
    { values: [['map', { '0': [['Date']] }]] },
    { referentialEqualities: { [path]: [path] } },
    nonsenseValue(random),
  ]);
}

const PAGES = [
  '',
  '/sites',
  '/cdn',
  '/usage',
  '/billing',
  '/credentials',
  '/settings',
  '/storage',
  '/endpoints/x',
];
const DOORS = [
  '/',
  '/login',
  '/onboarding',
  '/auth/login',
  '/auth/callback',
  '/auth/logout',
  '/identity/auth',
  '/identity/token',
  '/identity/me',
  '/identity/interaction/x',
  '/identity/interaction/x/sign-in',
  '/identity/interaction/x/register',
  '/identity/profile',
  '/identity/.well-known/openid-configuration',
  '/_webconfig',
  '/_serverFn/x',
  '/api/trpc/%',
  '/api/trpc/%ff',
  '/api/v1/%',
  '/healthz',
  '/readyz',
  '/metrics',
  '/assets/x.js',
  '/webhooks/stripe',
];

function pageCall(target: FuzzTarget, random: SeededRandom): Call {
  const query = several(random, 4, () => `${nonsensePath(random, 40)}=${nonsensePath(random, 300)}`).join(
    '&',
  );
  const place = happens(random, 50)
    ? `/${target.attacker().organizationId}${pick(random, PAGES)}`
    : pick(random, DOORS);
  const path = happens(random, 85) ? place : `/${nonsensePath(random)}`;
  const method = happens(random, 70)
    ? 'GET'
    : pick(random, ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']);
  if (method === 'GET' || method === 'HEAD') return { method, path: `${path}?${query}`, headers: {} };
  const type = pick(random, ['application/json', 'application/x-www-form-urlencoded', 'text/plain']);
  const body = type === 'application/json' ? jsonBody(random, nonsenseValue(random)) : bytes(random);
  return { method, path: `${path}?${query}`, headers: { 'content-type': type }, body };
}

function headersOf(
  target: FuzzTarget,
  random: SeededRandom,
  asker: 'stranger' | 'person' | 'credential' | 'nonsense',
): Record<string, string> {
  const { cookie, authorization, organizationId } = target.attacker();
  const origin = target.server.consoleUrl;
  const common = {
    host: `localhost:${target.server.consolePort}`,
    ...(happens(random, 40) ? { 'portage-organization': organizationId } : {}),
    ...(happens(random, 10) ? { 'idempotency-key': nonsenseHeader(random) } : {}),
    ...(happens(random, 10) ? { 'accept-language': nonsenseHeader(random) } : {}),
    ...(happens(random, 5) ? { range: `bytes=${nonsenseHeader(random)}` } : {}),
    ...(happens(random, 5)
      ? { 'content-encoding': pick(random, ['gzip', 'br', nonsenseHeader(random)]) }
      : {}),
  };
  switch (asker) {
    case 'stranger':
      return { ...common, origin };
    case 'person':
      return { ...common, origin, cookie: happens(random, 90) ? cookie : `${cookie}; x=%` };
    case 'credential':
      return { ...common, authorization };
    case 'nonsense':
      return {
        ...common,
        origin,
        cookie: nonsenseHeader(random),
        authorization: `${pick(random, ['Bearer ', 'Basic ', ''])}${nonsenseHeader(random)}`,
      };
  }
}

function jsonBody(random: SeededRandom, value: unknown): Buffer {
  const text = JSON.stringify(value) ?? 'undefined';
  switch (random.below(30)) {
    case 0:
      return Buffer.from(text.slice(0, random.below(text.length + 1)));
    case 1:
      return Buffer.from(pick(random, ['[],', '[', '{"a":', '"', '1,', ' ']).repeat(HUGE_BYTES / 4));
    case 2:
      return Buffer.from(`[${pick(random, ['[],', '{},', '1,', '"a",']).repeat(random.below(20_000))}1]`);
    default:
      return Buffer.from(text);
  }
}

function bytes(random: SeededRandom): Buffer {
  return happens(random, 50) ? random.bytes(random.below(5_000)) : Buffer.from(nonsenseText(random));
}

function queryValue(value: unknown): string {
  return encodeURIComponent(
    wellFormed(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
  ).slice(0, 6_000);
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** In the form of an address; some of it stays wrongly encoded. */
function nonsensePath(random: SeededRandom, lengthMax = 500): string {
  const text = nonsenseText(random, lengthMax);
  return happens(random, 60) ? encodeURIComponent(wellFormed(text)) : text.replace(/[^!-~]/g, '');
}

function nonsenseHeader(random: SeededRandom): string {
  return nonsenseText(random, 3_000).replace(/[^\t -~]/g, '');
}
