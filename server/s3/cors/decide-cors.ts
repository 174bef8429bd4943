import type { CorsRule } from '../ports.ts';

/** The methods that a rule may allow. */
export const CORS_METHODS: readonly string[] = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'];

/** Different names of headers that are looked at: each is compared with every pattern of a rule, and strangers send them. */
const HEADERS_MAX = 100;

/** What a browser states about a cross-origin request. */
export interface CorsQuestion {
  readonly origin: string;
  readonly method: string;
  /** Lower case; those of Access-Control-Request-Headers. */
  readonly headers: readonly string[];
}

/** The conditions of a rule, in the order in which they are checked. */
export type CorsPart = 'origin' | 'method' | 'headers';

/**
 * Returns the headers that let a browser read the response, by the first rule that allows the request; null
 * when none does.
 */
export function decideCors(
  rules: readonly CorsRule[],
  question: CorsQuestion,
): Record<string, string> | null {
  const rule = rules.find((each) => refusalBy(each, question) === null);
  if (rule === undefined) return null;
  const isForAll = rule.allowedOrigins.includes('*');
  return {
    'access-control-allow-origin': isForAll ? '*' : question.origin,
    ...(!isForAll && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    ...(question.headers.length > 0 && { 'access-control-allow-headers': question.headers.join(', ') }),
    ...(rule.exposeHeaders.length > 0 && { 'access-control-expose-headers': rule.exposeHeaders.join(', ') }),
    ...(rule.maxAgeSeconds !== undefined && { 'access-control-max-age': String(rule.maxAgeSeconds) }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

/**
 * Returns how far the closest rule allows the request: the part that no rule allows; null when a rule allows
 * it all.
 */
export function findCorsRefusal(rules: readonly CorsRule[], question: CorsQuestion): CorsPart | null {
  const refusals = rules.map((rule) => refusalBy(rule, question));
  if (refusals.includes(null)) return null;
  if (refusals.includes('headers')) return 'headers';
  return refusals.includes('method') ? 'method' : 'origin';
}

function refusalBy(
  { allowedOrigins, allowedMethods, allowedHeaders }: CorsRule,
  { origin, method, headers }: CorsQuestion,
): CorsPart | null {
  if (!allowedOrigins.some((pattern) => matches(pattern, origin))) return 'origin';
  if (!allowedMethods.includes(method)) return 'method';
  const names = [...new Set(headers)];
  const patterns = allowedHeaders.map((pattern) => pattern.toLowerCase());
  const isAllowed = (name: string) => patterns.some((pattern) => matches(pattern, name));
  return names.length <= HEADERS_MAX && names.every(isAllowed) ? null : 'headers';
}

/** A pattern has at most one star, which matches any text. */
function matches(pattern: string, text: string): boolean {
  const at = pattern.indexOf('*');
  if (at === -1) return pattern === text;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}
