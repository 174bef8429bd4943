import { expect, it } from 'vitest';
import { toOpenApi } from '#server/rest/openapi/openapi.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { onlyRepeatsName, propertiesOf } from '#tests/support/openapi/property-words.ts';

const properties = propertiesOf(
  toOpenApi(REST_ROUTES, { publicUrl: 'https://console.example.ca', productName: 'Portage' }),
);

it('openapi.json tells of every property of a request or response what it is', () => {
  expect(properties.length).toBeGreaterThan(800);
  const silent = properties.filter(({ words }) => !/^\S.*\.$/s.test(words)).map(({ place }) => place);
  expect(silent).toEqual([]);
});

it('openapi.json tells more of a property than its name does', () => {
  const repeating = properties.filter(onlyRepeatsName).map(({ place, words }) => `${place}: ${words}`);
  expect(repeating).toEqual([]);
});

it.each([
  ['Site.name', 'The name.'],
  ['Site.id', 'The ID of the site.'],
  ['Site.created_at', 'When it was created.'],
  ['AuditEvent.actor.kind', 'What kind of actor this is.'],
])('for %s, “%s” is no description', (place, words) => {
  expect(onlyRepeatsName({ place, words })).toBe(true);
});

it('a property without words is found by its place, in a schema, a request and a part of a response', () => {
  const schema = { properties: { id: { type: 'string' } } };
  const content = { 'application/json': { schema: { type: 'array', items: { anyOf: [schema] } } } };
  const found = propertiesOf({
    components: { schemas: { Site: schema } },
    paths: {
      '/x': { post: { operationId: 'post', requestBody: { content }, responses: { 200: { content } } } },
    },
  });
  expect(found.map(({ place }) => place)).toEqual(['Site.id', 'post request.id', 'post 200.id']);
  expect(found.every(({ words }) => words === '')).toBe(true);
});
