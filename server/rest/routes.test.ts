import { expect, it } from 'vitest';
import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { FIELD_OF_CODE } from '#server/field-of-code.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { REST_ROUTES } from './routes.ts';

it.each(['getOpenApi', 'getDocumentation'])('%s is built once, however often it is requested', async (id) => {
  const context: RequestContext = {
    app: await createTestApp(),
    actor: { kind: 'anonymous' },
    requestId: 'r',
    address: '192.0.2.7',
  };
  const route = REST_ROUTES.find((one) => one.id === id);
  const ask = () => route?.run({ context, params: {}, query: {}, body: undefined });
  const first = await ask();
  expect(first).toBeDefined();
  expect(await ask()).toBe(first);
});

it('a hostname can be refused for the same reasons at both addresses that create an endpoint', () => {
  const refusalsOf = (id: string) =>
    REST_ROUTES.find((one) => one.id === id)?.errors.filter((code) =>
      /^(?:billing|hostname|limit)_|_limit$/.test(code),
    );
  expect(refusalsOf('createSiteEndpoint')).toContain('limit_endpoints');
  expect(refusalsOf('createSiteEndpoint')).toEqual(refusalsOf('createEndpoint'));
});

it('the field that a refusal names is one that the request has', () => {
  const unknown = REST_ROUTES.flatMap(({ id, body, errors }) => {
    const json = body && 'json' in body ? body.json : null;
    const fields = json instanceof z.ZodObject ? Object.keys(json.shape) : [];
    return errors.flatMap((code) => {
      const field = FIELD_OF_CODE[code];
      return field === undefined || fields.includes(field) ? [] : [`${id}: ${code} names ${field}`];
    });
  });
  expect(unknown).toEqual([]);
});
