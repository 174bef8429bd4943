import { z } from 'zod';
import { DAY_MS } from '../durations.ts';
import { readRetryAfter } from '../outgoing/read-retry-after.ts';
import { AuthorityError } from './authority.ts';

const TYPE_PREFIX = /^urn:(?:ietf:params:)?acme:error:/;
const DETAIL_LENGTH_MAX = 500;
/** However long an authority asks to wait. */
export const WAIT_MS_MAX = 7 * DAY_MS;

const partSchema = z.object({
  type: z.string().nullish().catch(null),
  detail: z.string().nullish().catch(null),
});

/**
 * A problem document (RFC 7807) as RFC 8555 uses it, parsed leniently: a field of another type counts as
 * absent.
 */
export const problemSchema = partSchema.extend({
  subproblems: z
    .array(partSchema.extend({ identifier: z.object({ value: z.string() }).nullish().catch(null) }).catch({}))
    .nullish()
    .catch(null),
});
export type ProblemDocument = z.output<typeof problemSchema>;

/** A request that an ACME server refused, with the name that RFC 8555 gives the reason. */
export class AcmeProblem extends AuthorityError {
  override name = 'AcmeProblem';
  readonly status: number;
  /** Such as `accountDoesNotExist`; null when the server gave none, as a proxy in between would. */
  readonly type: string | null;

  constructor(
    kind: AuthorityError['kind'],
    message: string,
    about: { status: number; type: string | null; retryAt: number | null },
  ) {
    super(kind, message, { retryAt: about.retryAt });
    this.status = about.status;
    this.type = about.type;
  }
}

/**
 * Returns the problem that a response other than 2xx describes.
 * @param body the text received
 * @param retryAfter the header of that name
 */
export function toAcmeProblem(
  response: { status: number; body: string; retryAfter: string | undefined },
  now: number,
): AcmeProblem {
  const document = readDocument(response.body);
  const type = problemType(document);
  const retryAt = readRetryAfter(response.retryAfter, now, WAIT_MS_MAX);
  const kind = kindOf(response.status, document, retryAt);
  const message = problemWords(document) ?? `The authority answered with status ${response.status}.`;
  return new AcmeProblem(kind, message, { status: response.status, type, retryAt });
}

/** Returns the short name of a problem, such as `rateLimited`, or null. */
function problemType(document: ProblemDocument): string | null {
  return document.type && TYPE_PREFIX.test(document.type) ? document.type.replace(TYPE_PREFIX, '') : null;
}

/** Whether a CAA record is the reason, or one of several. */
export function isCaaProblem(document: ProblemDocument): boolean {
  return [document, ...(document.subproblems ?? [])].some((part) => problemType(part) === 'caa');
}

/** Returns the server's own message on one line that can be shown and logged, or null when it gave none. */
export function problemWords(document: ProblemDocument): string | null {
  const parts = (document.subproblems ?? [])
    .filter(({ detail }) => detail)
    .map(({ identifier, detail }) => (identifier ? `${identifier.value}: ${detail}` : detail));
  const words = [document.detail, ...parts].filter((part) => part).join(' ');
  return words === '' ? null : plainWords(words);
}

/** Returns third-party text without control characters, no longer than fits on a screen. */
export function plainWords(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return plain.length > DETAIL_LENGTH_MAX ? `${plain.slice(0, DETAIL_LENGTH_MAX - 1)}…` : plain;
}

function kindOf(status: number, document: ProblemDocument, retryAt: number | null): AuthorityError['kind'] {
  const type = problemType(document);
  // Let's Encrypt sheds load with 503 and says when to come back; without that header it is an outage like
  // any other.
  if (type === 'rateLimited' || status === 429 || (status === 503 && retryAt !== null)) return 'limited';
  // Without an RFC 8555 reason, the response came not from the authority but from something in front of it.
  if (type === null || status >= 500 || type === 'serverInternal' || type === 'badNonce')
    return 'unavailable';
  return isCaaProblem(document) ? 'caa' : 'refused';
}

function readDocument(body: string): ProblemDocument {
  try {
    return problemSchema.safeParse(JSON.parse(body)).data ?? {};
  } catch {
    return {};
  }
}
