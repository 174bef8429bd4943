import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { describeCallers } from '#server/rest/openapi/openapi-components.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { TEST_EVENT, WEBHOOK_EVENTS } from '#server/services/webhooks/rules.ts';
import { objectOf, restClient } from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { routeExamples } from '#tests/support/surfaces/surface-examples.ts';

/** Reads without an ETag: a redirect, and a log that is streamed while it is read. */
const UNTAGGED: ReadonlySet<string> = new Set(['openHostedInvoice', 'exportAuditEvents']);
const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete']);

/** Returns everything a `$ref` of a document points to. */
function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : referencesOf(inner),
  );
}

interface Operation {
  operationId: string;
  responses: Record<
    string,
    { content?: Record<string, { examples?: Record<string, { $ref: string }> } | undefined> }
  >;
}
type Parameter = { name: string; in: string; required: boolean; description: string };

/** Returns the target of a reference within the document, or the value itself when it is not a reference. */
function resolve<T>(document: object, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
  const steps = value.$ref.replace('#/', '').split('/');
  return steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)?.[step], document) as T;
}

it('openapi.json is a valid OpenAPI 3.1 document', async () => {
  const { baseUrl } = await startConsoleServer();
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  expect(result.errors).toBeUndefined();
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
  const broken = await new Validator().validate({ ...document, paths: { '/x': { get: { responses: 3 } } } });
  expect(broken.valid).toBe(false);
});

it('openapi.json describes the authentication of each surface, what a read and a write accept, and how long to wait', async () => {
  const { baseUrl } = await startConsoleServer({
    environmentOf: async () => ({ PUBLIC_URL: 'https://console.example.ca', TRUST_PROXY: 'true' }),
  });
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  expect(document).toMatchObject({
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-session' },
      },
      headers: { RetryAfter: { schema: { type: 'integer' } } },
      schemas: {
        OrganizationContext: { properties: { organization: { $ref: '#/components/schemas/Organization' } } },
      },
    },
    paths: {
      '/api/v1/sites': {
        get: {
          security: [{ basic: [] }, { bearer: [] }, { session: [] }, { operator: [] }],
          responses: {
            200: { headers: { ETag: expect.anything(), Link: expect.anything() } },
            429: { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } },
          },
        },
        post: { responses: { 201: { headers: { Location: expect.anything() } } } },
      },
      '/api/v1/user': { get: { security: [{ session: [] }] } },
    },
  });
  const namesOf = (operation: unknown) =>
    (operation as { parameters: Parameter[] }).parameters.map((each) => resolve(document, each).name);
  const sites = (document.paths as Record<string, Record<string, unknown>>)['/api/v1/sites'];
  expect(namesOf(sites?.get)).toEqual(expect.arrayContaining(['If-None-Match', 'Portage-Organization']));
  expect(namesOf(sites?.post)).toEqual(['Portage-Organization', 'Idempotency-Key']);
  // What zod adds on its own tells readers nothing.
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

it('openapi.json describes every route of the table, and everything it references exists', async () => {
  const { baseUrl } = await startConsoleServer();
  const answer = await restClient(baseUrl)('GET', '/api/v1/openapi.json');
  expect(answer.status).toBe(200);
  const document = objectOf(answer);
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: baseUrl }] });

  const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const described = new Set(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`));
  const declared = new Set(
    REST_ROUTES.filter((route) => !['getOpenApi', 'getDocumentation'].includes(route.id)).map(
      (route) => `${route.method} ${route.path}`,
    ),
  );
  expect(described).toEqual(declared);

  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, method, operation } of operations) {
    expect(METHODS).toContain(method);
    const parameters = ((operation.parameters ?? []) as Parameter[]).map((each) => resolve(document, each));
    for (const { name, description } of parameters) expect(description, `${path} ${name}`).toMatch(/\.$/);
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath.sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort());
    expect(new Set(parameters.map(({ name, in: place }) => `${place} ${name}`)).size).toBe(parameters.length);
    const responses = operation.responses as Record<string, { description: string }>;
    expect(Object.keys(responses).some((status) => /^(2|303)/.test(status))).toBe(true);
    for (const response of Object.values(responses)) expect(response.description).not.toBe('');
    expect(operation.security).toBeDefined();
  }

  const references = new Set(referencesOf(document));
  expect(references.size).toBeGreaterThan(5);
  for (const reference of references) {
    expect(resolve(document, { $ref: reference }), reference).toBeTypeOf('object');
  }
});

it('/api/v1/docs shows every route to people, without a script and without external resources', async () => {
  const { baseUrl } = await startConsoleServer();
  const response = await restClient(baseUrl)('GET', '/api/v1/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-");
  for (const route of REST_ROUTES.filter((each) => each.path.startsWith('/api/v1/sites'))) {
    expect(response.text).toContain(`<code>${route.path}</code>`);
  }
  expect(response.text).toContain('<code>Portage-Organization</code>');
  expect(response.text).toContain(
    '<dt><code>publish</code></dt><dd><small>boolean, by default <code>true</code>, optional</small><br>Whether it goes live',
  );
  expect(response.text).toContain(
    '<a href="#schema-UsageTotals">UsageTotals</a></small><br>The sums of the range.',
  );
  expect(response.text).not.toMatch(/>undefined|\[object/);
  expect(response.text).not.toMatch(/<script|src=|@import|url\(/);
});

it('openapi.json describes each event that webhooks receive, with its signature, and /api/v1/docs shows it', async () => {
  const { baseUrl } = await startConsoleServer();
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  const webhooks = document.webhooks as Record<string, { post: Record<string, unknown> }>;
  expect(Object.keys(webhooks)).toEqual([...WEBHOOK_EVENTS, TEST_EVENT]);
  const { text } = await restClient(baseUrl)('GET', '/api/v1/docs');
  for (const [event, { post }] of Object.entries(webhooks)) {
    const { parameters, requestBody, responses, summary, description, operationId, tags } = post;
    const names = (parameters as Parameter[]).map((each) => resolve(document, each).name);
    expect(names, event).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    const { content } = requestBody as { content: Record<string, { schema: { $ref: string } }> };
    expect(resolve<object>(document, content['application/json']?.schema ?? { $ref: '' })).toMatchObject({
      properties: { type: { const: event }, data: { properties: { organization_id: expect.anything() } } },
      required: ['type', 'timestamp', 'data'],
    });
    expect(Object.keys(responses as object)).toEqual(expect.arrayContaining(['2XX', '410', 'default']));
    expect(
      [summary, description, operationId].map((each) => String(each)),
      event,
    ).toEqual([
      expect.stringMatching(/[a-z]$/),
      expect.stringMatching(/\.$/),
      expect.stringMatching(/^receive\w+Event$/),
    ]);
    expect(tags).toEqual(['Webhooks']);
    expect(text).toContain(`<summary><b>POST</b><code>${event}</code><span>${summary}</span></summary>`);
  }
  expect(JSON.stringify(document.components)).toContain('How many newer versions this took back.');
});

/** Returns every value of a document with its name and location. */
function* walk(value: unknown, path = ''): Generator<{ path: string; key: string; value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield { path, key, value: inner };
    yield* walk(inner, `${path}/${key}`);
  }
}

it('openapi.json satisfies Redocly’s recommended rules and Spectral’s for OpenAPI', async () => {
  const { baseUrl } = await startConsoleServer();
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  expect(document).toMatchObject({
    info: {
      description: expect.stringMatching(/./),
      contact: { name: expect.stringMatching(/./), url: baseUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
  });
  const tags = document.tags as { name: string; description: string }[];
  for (const tag of tags) expect(tag.description, tag.name).toMatch(/\.$/);
  const schemes = Object.keys((document.components as { securitySchemes: object }).securitySchemes);
  const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const name = String(operation.operationId);
      const statuses = Object.keys(operation.responses as object);
      expect(name).toMatch(/^[a-z]\w+$/i);
      expect(String(operation.summary), name).toMatch(/./);
      expect(String(operation.description), name).toMatch(/\.$/);
      expect(tags.map((tag) => [tag.name])).toContainEqual(operation.tags);
      expect(statuses, name).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
      if (method === 'get' && !UNTAGGED.has(name)) expect(statuses, name).toContain('304');
      for (const response of Object.values(operation.responses as Record<string, { headers: object }>)) {
        expect(Object.keys(response.headers), name).toContain('X-Request-Id');
      }
      if (method !== 'get') expect(statuses, name).toContain('409');
      if (operation.requestBody) expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']));
      if (path.includes('{')) expect(statuses, name).toContain('404');
      for (const need of operation.security as object[]) expect(schemes).toContain(Object.keys(need)[0]);
    }
  }
  for (const { path, key, value } of walk(document)) {
    // Validators of JSON Schema compile patterns without the flag that Unicode properties need.
    if (key === 'pattern') expect(() => new RegExp(String(value)), path).not.toThrow();
    if (key === 'pattern') expect(String(value), path).not.toMatch(/\\p\{/i);
  }
  // An unreferenced component is a mistake.
  const references = new Set(referencesOf(document));
  for (const [kind, parts] of Object.entries(document.components as Record<string, object>)) {
    if (kind === 'securitySchemes') continue;
    for (const part of Object.keys(parts)) expect(references).toContain(`#/components/${kind}/${part}`);
  }
});

it('openapi.json shows for each failure an example with its status', async () => {
  const { baseUrl } = await startConsoleServer();
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const wrong = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => {
      const examples = Object.values(content?.['application/problem+json']?.examples ?? {});
      const shown = examples.map(
        (each) => resolve<{ value: { status: number } }>(document, each).value.status,
      );
      const isRight = shown.length > 0 && shown.every((each) => each === Number(status));
      return Number(status) < 400 || isRight ? [] : [`${operationId} ${status}: ${shown}`];
    }),
  );
  expect(wrong).toEqual([]);
  expect(JSON.stringify((document.components as { examples: object }).examples)).not.toMatch(/[{]\w+[}]/);
});

it('openapi.json names the callers that each route accepts, as the test of tenants finds them', () => {
  const examples = routeExamples(Buffer.alloc(0));
  const wrong = REST_ROUTES.filter((route) => route.audience === 'organization').flatMap((route) => {
    const schemes = describeCallers(route).security.map((scheme) => Object.keys(scheme as object)[0]);
    const { credential, operator } = examples[route.id] ?? {};
    const isRight =
      schemes.includes('operator') === (operator !== 'never') &&
      schemes.includes('basic') === (credential !== 'never');
    return isRight ? [] : [route.id];
  });
  expect(wrong).toEqual([]);
});
