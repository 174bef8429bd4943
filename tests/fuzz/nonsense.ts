import type { SeededRandom } from '#tests/support/seeded-random.ts';

/** Returns one of the choices. */
export function pick<T>(random: SeededRandom, choices: readonly [T, ...T[]] | readonly T[]): T {
  const chosen = choices[random.below(choices.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}

/** True in this percentage of calls. */
export function happens(random: SeededRandom, percent: number): boolean {
  return random.below(100) < percent;
}

/** Returns `0` to `max` results of the same function. */
export function several<T>(random: SeededRandom, max: number, make: () => T): T[] {
  return Array.from({ length: random.below(max + 1) }, make);
}

/** Texts that have broken programs before. */
const INFAMOUS = [
  '',
  ' ',
  '\t\t\t',
  '0',
  '-1',
  '1e309',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  'constructor',
  '__proto__',
  'prototype',
  'hasOwnProperty',
  'toString',
  'a.constructor',
  'x/__proto__',
  '..',
  '../../../../etc/passwd',
  '%2e%2e%2fetc%2fpasswd',
  '%',
  '%ff',
  '%00',
  '%c0%ae',
  '%u0041',
  '//',
  '\\',
  'C:\\x',
  '\0',
  'a\0b',
  '\u202e\u0007',
  '\ufeff',
  '\ud800',
  'é'.normalize('NFD'),
  'İ',
  'ﬀ',
  '\u0130'.repeat(50),
  '🦄'.repeat(40),
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '$' + '{7*7}',
  '%s%n%x',
  'a\r\nSet-Cookie: x=y',
  'localhost',
  '127.0.0.1',
  '[::1]',
  'xn--',
  'xn--a',
  'a..b',
  '.a',
  'http://',
  'https://user:pass@127.0.0.1:1/?#',
  'javascript:alert(1)',
  '9'.repeat(400),
  '2026-02-30',
  '0000-00-00T99:99:99Z',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
] as const;

/** What is repeated to find a backtracking expression. */
const REPEATED = [
  ' ',
  '\t',
  'a',
  '-',
  '.',
  '/',
  '%',
  '%20',
  ',',
  ';',
  '=',
  '"',
  '*',
  ':a',
  '(',
  '\\',
  'é',
  '0',
];

/**
 * Returns a text that no one would type: infamous, random, or long and monotonous with a surprise at its end.
 */
export function nonsenseText(random: SeededRandom, lengthMax = 4_000): string {
  switch (random.below(4)) {
    case 0:
      return pick(random, INFAMOUS).slice(0, lengthMax);
    case 1:
      return `${pick(random, INFAMOUS)}${pick(random, ['', ' ', '/', '.', ':'])}${pick(random, INFAMOUS)}`.slice(
        0,
        lengthMax,
      );
    case 2:
      return random.bytes(random.below(Math.min(80, lengthMax))).toString(pick(random, ['latin1', 'utf8']));
    default: {
      const [one, other] = [pick(random, REPEATED), pick(random, REPEATED)];
      const count = random.below(Math.max(1, Math.floor(lengthMax / 8)));
      return `${one.repeat(count)}${other.repeat(count)}${pick(random, ['x', '\n', '!', ''])}`.slice(
        0,
        lengthMax,
      );
    }
  }
}

/** Returns a text without control characters and spaces, as a line of HTTP accepts it. */
export function nonsenseToken(random: SeededRandom, lengthMax = 200): string {
  return nonsenseText(random, lengthMax).replace(/[^!-~]/g, '');
}

/** Returns a value that JSON can express, of any type, possibly deep or wide. */
export function nonsenseValue(random: SeededRandom): unknown {
  switch (random.below(9)) {
    case 0:
      return null;
    case 1:
      return happens(random, 50);
    case 2:
      return pick(random, [0, -0, -1, 0.1, 1e308, 2 ** 53, -(2 ** 63), 4_294_967_296]);
    case 3:
      return Array.from({ length: random.below(300) }, () => pick(random, INFAMOUS));
    case 4:
      return nested(random.below(2_000), happens(random, 50));
    case 5:
      return Object.fromEntries(
        several(random, 40, () => [nonsenseText(random, 60), pick(random, INFAMOUS)]),
      );
    default:
      return nonsenseText(random);
  }
}

function nested(depth: number, isArray: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = isArray ? [value] : { a: value };
  return value;
}

/** The parts of JSON Schema that our own descriptions use. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  required?: string[];
}

export interface SchemaContext {
  random: SeededRandom;
  /** Real ids and names, with which a request passes the first check. */
  known: readonly string[];
  /** The percentage of values that are replaced by nonsense. */
  nonsensePercent: number;
  resolve?(reference: string): JsonSchema | undefined;
}

/** Returns a value that nearly matches a schema: right in form, wrong here and there. */
export function valueOfSchema(schema: JsonSchema | undefined, context: SchemaContext, depth = 0): unknown {
  const { random, known, nonsensePercent } = context;
  if (schema === undefined || depth > 12 || happens(random, nonsensePercent)) return nonsenseValue(random);
  const within = (inner: JsonSchema | undefined) => valueOfSchema(inner, context, depth + 1);
  if (schema.$ref !== undefined) return within(context.resolve?.(schema.$ref));
  if (schema.enum) return pick(random, schema.enum);
  if ('const' in schema) return schema.const;
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives && alternatives.length > 0) return within(pick(random, alternatives));
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
  switch (type) {
    case 'object': {
      const required = new Set(schema.required);
      const named = Object.entries(schema.properties ?? {}).filter(
        ([name]) => required.has(name) || happens(random, 50),
      );
      const more =
        typeof schema.additionalProperties === 'object'
          ? several(random, 6, () => [
              nonsenseText(random, 40),
              within(schema.additionalProperties as JsonSchema),
            ])
          : [];
      return Object.fromEntries([...named.map(([name, inner]) => [name, within(inner)]), ...more]);
    }
    case 'array':
      return several(random, 5, () => within(schema.items));
    case 'integer':
    case 'number':
      return pick(random, [0, 1, 2, 50, -1, 1e9, 0.5]);
    case 'boolean':
      return happens(random, 50);
    case 'null':
      return null;
    default:
      return happens(random, 60) && known.length > 0 ? pick(random, known) : nonsenseText(random, 300);
  }
}
