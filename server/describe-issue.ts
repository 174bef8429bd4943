import type { z } from 'zod';

/** What a value must be, by zod's name of its type. */
const NOUNS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  url: 'must be an address such as https://example.ca',
  email: 'must be an email address',
  datetime: 'must be a time such as 2026-11-21T08:30:00Z',
  date: 'must be a date such as 2026-11-21',
};

/** Begins the messages of zod itself; any other message is one of ours and stays. */
const OF_ZOD = /^(Invalid |Too |Unrecognized )/;

/**
 * Returns in plain words, to follow the name of a field, what is wrong with its value. Messages that our own schemas
 * give are returned as they are.
 */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (!OF_ZOD.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is required';
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`;
    case 'too_small':
      if (issue.origin !== 'number' && issue.minimum === 1) return 'must not be empty';
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has the wrong form';
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_union':
      return describeUnion(issue.errors);
    default:
      return 'has the wrong form';
  }
}

function sizeOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${limit} items`;
  return `be ${bound} ${limit}`;
}

/** Describes the alternative that the value comes closest to: the one whose type it has. */
function describeUnion(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const [closest] = alternatives.flatMap(([first]) =>
    first && first.code !== 'invalid_type' && first.code !== 'invalid_value' ? [first] : [],
  );
  return closest ? describeIssue(closest) : 'has the wrong form';
}
