import { expect, it } from 'vitest';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import { objectOf, restClient } from '#tests/support/rest-client.ts';

const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete']);

/** Returns everything a `$ref` of a document points to. */
function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : referencesOf(inner),
  );
}

it('openapi.json describes every route of the table, and all it refers to is there', async () => {
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
    const parameters = (operation.parameters ?? []) as { name: string; in: string; required: boolean }[];
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath.sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort());
    expect(new Set(parameters.map(({ name, in: place }) => `${place} ${name}`)).size).toBe(parameters.length);
    const responses = operation.responses as Record<string, { description: string }>;
    expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
    for (const response of Object.values(responses)) expect(response.description).not.toBe('');
    expect(operation.security).toBeDefined();
  }

  const schemas = (document.components as { schemas: Record<string, unknown> }).schemas;
  const references = new Set(referencesOf(document));
  expect(references.size).toBeGreaterThan(5);
  for (const reference of references) {
    expect(Object.keys(schemas)).toContain(reference.replace('#/components/schemas/', ''));
  }
});

it('/api/v1/docs shows every route to people, without a script and without anything from elsewhere', async () => {
  const { baseUrl } = await startConsoleServer();
  const answer = await restClient(baseUrl)('GET', '/api/v1/docs');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-");
  for (const route of REST_ROUTES.filter((each) => each.path.startsWith('/api/v1/sites'))) {
    expect(answer.text).toContain(`<code>${route.path}</code>`);
  }
  expect(answer.text).not.toMatch(/<script|src=|@import|url\(/);
});
