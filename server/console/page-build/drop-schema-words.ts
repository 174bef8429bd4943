import { type Plugin, parseAst } from 'vite';

/** What only OpenAPI reads: descriptions, and the form of what zod cannot express in JSON Schema. */
const WORDS: ReadonlySet<string> = new Set(['describe', 'meta']);

/**
 * Leaves the words of the API's fields out of the browser: forms validate with the same schemas as the API
 * (server/services/<subject>/schema.ts), and show texts of their own.
 */
export function dropSchemaWords(): Plugin {
  return {
    name: 'portage:drop-schema-words',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform: {
      filter: { id: /\/server\/services\/.+\/schema\.ts$/ },
      handler: (code) => ({ code: withoutWords(code), map: null }),
    },
  };
}

/** Returns a module without its calls of `.describe(…)` and `.meta(…)`, each of which returns an equivalent schema. */
export function withoutWords(code: string): string {
  const calls: Span[] = [];
  collectCalls(parseAst(code), calls);
  return calls
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), code);
}

interface Span {
  start: number;
  end: number;
}

function collectCalls(node: unknown, found: Span[]): void {
  if (typeof node !== 'object' || node === null) return;
  const span = spanOfCall(node);
  if (span) found.push(span);
  // The arguments of a dropped call go with it.
  const inner = span && 'callee' in node ? [node.callee] : Object.values(node);
  for (const each of inner) collectCalls(each, found);
}

/** Returns the place of `.describe(…)` behind the schema that it is called on. */
function spanOfCall(node: object): Span | null {
  if (!('type' in node && node.type === 'CallExpression' && 'callee' in node && 'end' in node)) return null;
  const { callee, end } = node as { callee: Callee; end: number };
  const isWords = callee.type === 'MemberExpression' && WORDS.has(callee.property.name ?? '');
  return isWords ? { start: callee.object.end, end } : null;
}

type Callee =
  | { type: 'MemberExpression'; object: { end: number }; property: { name?: string } }
  | { type: 'Identifier' };
