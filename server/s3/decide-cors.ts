import type { CorsRule } from './ports.ts';

/** What a browser says of a request across origins. */
export interface CorsQuestion {
  readonly origin: string;
  readonly method: string;
  /** Lower case; those of Access-Control-Request-Headers. */
  readonly headers: readonly string[];
}

/** Returns the headers that let a browser see the answer, by the first rule that allows the request; null when none does. */
export function decideCors(
  rules: readonly CorsRule[],
  question: CorsQuestion,
): Record<string, string> | null {
  const rule = rules.find(
    ({ allowedOrigins, allowedMethods, allowedHeaders }) =>
      allowedOrigins.some((pattern) => matches(pattern, question.origin)) &&
      allowedMethods.includes(question.method) &&
      question.headers.every((name) =>
        allowedHeaders.some((pattern) => matches(pattern.toLowerCase(), name)),
      ),
  );
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

/** A pattern has at most one star, which stands for any text. */
function matches(pattern: string, text: string): boolean {
  const at = pattern.indexOf('*');
  if (at === -1) return pattern === text;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}
