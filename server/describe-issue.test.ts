import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';

/** Returns a sentence for each invalid field of a value. */
function describe(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${describeIssue(issue)}`);
}

it.each([
  [z.object({ name: z.string() }), {}, 'name is required'],
  [z.object({ name: z.string() }), { name: 1 }, 'name must be a text'],
  [z.object({ count: z.number().int() }), { count: '1' }, 'count must be a number'],
  [z.object({ count: z.number().int() }), { count: 1.5 }, 'count must be a whole number'],
  [z.object({ list: z.array(z.string()).max(2) }), { list: ['', '', ''] }, 'list must have at most 2 items'],
  [z.object({ list: z.array(z.string()).min(1) }), { list: [] }, 'list must not be empty'],
  [z.object({ name: z.string().max(2) }), { name: 'abc' }, 'name must have at most 2 characters'],
  [z.object({ limit: z.number().max(2) }), { limit: 3 }, 'limit must be at most 2'],
  [z.object({ limit: z.number().min(1) }), { limit: 0 }, 'limit must be at least 1'],
  [z.object({ kind: z.enum(['a', 'b']) }), { kind: 'c' }, 'kind must be one of a, b'],
  [z.object({ kind: z.literal('a') }), { kind: 'c' }, 'kind must be a'],
  [z.object({ id: z.string().regex(/^a$/) }), { id: 'c' }, 'id has the wrong form'],
  [z.object({ site: z.url() }), { site: 'c' }, 'site must be an address such as https://example.ca'],
  [z.object({ mail: z.union([z.null(), z.email()]) }), { mail: 'c' }, 'mail must be an email address'],
  [z.object({ mail: z.union([z.null(), z.email()]) }), { mail: 1 }, 'mail has the wrong form'],
  [z.strictObject({}), { a: 1, b: 1 }, ' has unknown fields: "a", "b"'],
  [z.object({ id: z.string().regex(/^a$/, 'must be an id') }), { id: 'c' }, 'id must be an id'],
  [z.string(), 1, ' must be a text'],
])('%# an invalid value is described in plain words', (schema, value, words) => {
  expect(describe(schema, value)).toEqual([words]);
});
