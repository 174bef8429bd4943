import { expect, it } from 'vitest';
import { z } from 'zod';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { unboundedParts } from '#tests/support/surfaces/unbounded-parts.ts';
import { appRouter } from './app-router.ts';

interface Procedure {
  _def: { inputs: z.ZodType[] };
}

/** By the names of their calls. Uploads have limits in bytes instead. */
function allInputs(): (readonly [string, z.ZodType])[] {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);
  return [
    ...procedures.flatMap(([name, { _def }]) => _def.inputs.map((input) => [name, input] as const)),
    ...REST_ROUTES.flatMap(({ id, params, query, body }) =>
      [params, query, body && 'json' in body ? body.json : undefined]
        .filter((input) => input !== undefined)
        .map((input) => [`REST ${id}`, input] as const),
    ),
  ];
}

it('every text, list and record of an input has a greatest length', () => {
  const inputs = allInputs();
  expect(inputs.length).toBeGreaterThan(300);
  expect(inputs.flatMap(([name, input]) => unboundedParts(input, name))).toEqual([]);
});

it('no input refuses fields that it does not know, at any depth: every call ignores them', () => {
  const closed = allInputs().filter(([, input]) =>
    JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).includes(
      '"additionalProperties":false',
    ),
  );
  expect(closed.map(([name]) => name)).toEqual([]);
});

it('a part without a greatest length is found wherever it is', () => {
  const input = z.object({
    name: z.string().trim().min(1),
    code: z.string().regex(/^[a-z]{2}$/),
    start: z.union([z.iso.date(), z.iso.datetime()]).optional(),
    tags: z.array(z.string().max(20)).default([]),
    limits: z.record(z.string().max(20), z.array(z.string()).max(3)).nullable(),
    kinds: z.partialRecord(z.enum(['a', 'b']), z.number()),
    rest: z.unknown(),
  });
  expect(unboundedParts(input, 'create')).toEqual([
    'create.name: text',
    'create.start: text',
    'create.tags: list',
    'create.limits: record',
    'create.limits{}[]: text',
    'create.rest: anything',
  ]);
});
