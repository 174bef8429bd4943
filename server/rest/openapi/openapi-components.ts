import type { ErrorCode, ErrorParams, FieldError } from '../../error-codes.ts';
import { ERROR_SENTENCES } from '../../error-sentences.ts';
import { AppError } from '../../errors.ts';
import { toProblem } from '../../http/failures/problem.ts';
import { cookieName } from '../../http/requests/cookies.ts';
import type { Audience, Route } from '../route.ts';
import type { Json } from './openapi-schemas.ts';

/**
 * What each group of operations is about. A group without a sentence does not compile into the document
 * ({@link describeTags}).
 */
const TAGS: Record<string, string> = {
  'User and organizations': 'The signed-in person, and the current organization of the session.',
  Organizations: 'Named organizations: profile, members, invitations and limits.',
  Sites: 'Static sites. Addresses that take the id of a site also take its name.',
  Publishers: 'Repositories whose pipelines deploy without a stored secret.',
  Deployments: 'Versions of a site: upload, seal, publish, inspect and roll back.',
  CDN: 'Hostnames in front of sites, and redirects.',
  Certificates: 'Certificates of hostnames, and their DNS records.',
  Credentials: 'Keys for programs, with the resources they give access to.',
  'Object storage': 'Buckets of the S3 API.',
  Webhooks: 'Addresses that are notified of events, and the result of each delivery.',
  Usage: 'What was served and stored, by day, hour and file.',
  Billing: 'Payment methods, invoices, costs and spending limits.',
  Audit: 'Who changed what.',
  Abuse: 'Abuse reports, which anyone may send about a site that is served here.',
  About: 'This installation: its limits, its command line and the meaning of its error codes.',
};

/**
 * Returns the groups of the routes in their order.
 * @throws for a group that {@link TAGS} does not describe
 */
export function describeTags(routes: readonly Route[]): Json[] {
  return [...new Set(routes.map((route) => route.tag))].map((name) => {
    const description = TAGS[name];
    if (description === undefined) throw new Error(`the tag ${name} of the API has no description`);
    return { name, description };
  });
}

const REQUEST_ID_EXAMPLE = '01k4z3n6h8c1m2p5q7r9s0t1v3';

/**
 * What every response has: its name in the log and, once it is known who called, how much of its limits the client
 * has left.
 */
export const COMMON_HEADERS: Json = {
  RateLimit: referTo('headers', 'RateLimit'),
  'RateLimit-Policy': referTo('headers', 'RateLimitPolicy'),
  'X-Request-Id': referTo('headers', 'RequestId'),
};

/** Headers of responses. */
export const HEADERS = {
  ContentDisposition: {
    description: 'The name of the file.',
    schema: { type: 'string' },
    example: 'attachment; filename="usage-2026-11.csv"',
  },
  ETag: {
    description: 'Changes with the response; send it back in `If-None-Match`.',
    schema: { type: 'string' },
    example: '"pVFZ0W1kcWdqs1zT0rXJyM1mXqs"',
  },
  IdempotencyReplayed: {
    description: '`true` when this repeats the response to the first request with the key.',
    schema: { type: 'string' },
    example: 'true',
  },
  Link: {
    description: 'The next page, `rel="next"`; absent on the last.',
    schema: { type: 'string' },
    example: '</api/v1/sites?cursor=01k4>; rel="next"',
  },
  Location: {
    description: 'The address of the created resource.',
    schema: { type: 'string' },
    example: '/api/v1/sites/01k4',
  },
  RateLimit: {
    description:
      'What is left (`r`) of the quota of each window, and in how many seconds (`t`) the window ends.',
    schema: { type: 'string' },
    example: '"api_principal";r=2987;t=41',
  },
  RateLimitPolicy: {
    description: 'The quota (`q`) of each window, and how many seconds (`w`) it lasts.',
    schema: { type: 'string' },
    example: '"api_principal";q=3000;w=60',
  },
  RequestId: {
    description: 'Identifies the request in the log of the server; quote it when you report a problem.',
    schema: { type: 'string' },
    example: REQUEST_ID_EXAMPLE,
  },
  RetryAfter: {
    description: 'How many seconds to wait before trying again.',
    schema: { type: 'integer' },
    example: 41,
  },
  WwwAuthenticate: {
    description: 'How to sign in.',
    schema: { type: 'string' },
    example: 'Bearer realm="api"',
  },
};

/** Headers of requests. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Makes retries safe: for a day the same request gets the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: 'deploy-4711',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` that the client has: 304 without a body when nothing changed.',
    schema: { type: 'string' },
  },
  Organization: {
    name: 'Portage-Organization',
    in: 'header',
    required: false,
    description:
      'Where a session or an operator token works. A session without it works in the stored organization; a credential ' +
      'has its own.',
    schema: { type: 'string' },
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The same in every attempt: an event may arrive twice.',
    schema: { type: 'string' },
    example: '01k4z3n6h8c1m2p5q7r9s0t1v3',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64. Its key is what follows `whsec_` in the secret, decoded from ' +
      'base64. For a day after the secret was replaced there are two, separated by a space: one of them must match.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description:
      'When this attempt was signed, in seconds since 1970. Refuse one that is more than five minutes old.',
    schema: { type: 'string' },
    example: '1795823400',
  },
};

/** What fills the sentences of failures that are shown as examples; those without parameters need nothing. */
const EXAMPLE_PARAMS: Partial<Record<ErrorCode, ErrorParams>> = {
  invalid_input: { reason: 'limit: must be at most 200' },
  limit_body_bytes: { limit: 1_048_576 },
  operator_required: { access: 'manage' },
  organization_busy: { seconds: 5 },
  identity_token_refused: { reason: 'it has expired' },
  payments_unavailable: { seconds: 5 },
  permission_required: { permission: 'admin' },
  publisher_unknown: {
    site: 'blog',
    issuer: 'https://token.actions.githubusercontent.com',
    repository: 'ada/blog',
    branch: 'main',
    environment: 'none',
  },
  service_unavailable: { seconds: 5 },
  site_name_taken: { name: 'blog', suggestion: 'blog-2' },
  too_many_requests: { seconds: 41 },
  unsupported_media_type: { expected: 'a body of the type application/json' },
};
const EXAMPLE_FIELDS: FieldError[] = [{ path: 'limit', message: 'must be at most 200' }];
const EXAMPLES_PER_RESPONSE = 2;

/** Returns the examples of failures, for `components`. */
export function problemExamples(publicUrl: string, codes: ReadonlySet<ErrorCode>): Json {
  return Object.fromEntries(
    [...codes].filter(isExample).map((code) => {
      const fields = code === 'invalid_input' ? EXAMPLE_FIELDS : [];
      const error = new AppError(code, EXAMPLE_PARAMS[code], fields);
      return [code, { summary: code, value: toProblem(error, publicUrl, REQUEST_ID_EXAMPLE) }];
    }),
  );
}

/** Returns those of the codes that a response shows as examples: the last ones, which are its route's own. */
export function examplesOf(codes: readonly ErrorCode[]): ErrorCode[] {
  return codes.filter(isExample).slice(-EXAMPLES_PER_RESPONSE);
}

function isExample(code: ErrorCode): boolean {
  return EXAMPLE_PARAMS[code] !== undefined || !ERROR_SENTENCES[code].includes('{');
}

/** The ways to authenticate. */
export function securitySchemes(publicUrl: string): Json {
  return {
    basic: {
      type: 'http',
      scheme: 'basic',
      description: 'A credential: the public key as user name, the secret key as password.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A credential as `public_key:secret_key`.',
    },
    operator: {
      type: 'http',
      scheme: 'bearer',
      description: 'An operator token (`ptgop_…`), with the header `Portage-Organization`.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName('session', publicUrl.startsWith('https:')),
      description: 'The console, signed in. Writes must come from its own pages.',
    },
  };
}

/** Who may call: by the audience, and by whether a credential is accepted. */
type Callers =
  | Exclude<Audience, 'organization'>
  | 'members'
  | 'members and operators'
  | 'members, operators and credentials';

const SECURITY: Record<Callers, readonly Json[]> = {
  public: [],
  person: [{ session: [] }],
  members: [{ session: [] }],
  'members and operators': [{ session: [] }, { operator: [] }],
  'members, operators and credentials': [{ basic: [] }, { bearer: [] }, { session: [] }, { operator: [] }],
};
const SENTENCES: Record<Callers, string> = {
  public: 'Open to anyone, without authentication.',
  person: 'For a signed-in person; credentials and operator tokens are refused.',
  members: 'For signed-in members of the organization; credentials and operator tokens are refused.',
  'members and operators': 'For members of the organization and operators; credentials are refused.',
  'members, operators and credentials':
    'For members of the organization, operators, and credentials within their scopes.',
};

/** Returns how a route is authenticated, for the document and in words. */
export function describeCallers(route: Route): { security: readonly Json[]; sentence: string } {
  const callers = route.audience === 'organization' ? callersInside(route) : route.audience;
  return { security: SECURITY[callers], sentence: SENTENCES[callers] };
}

function callersInside({ errors, takesCredentials, refuses }: Route): Callers {
  if (refuses === 'credentials and operators') return 'members';
  const isRefused = refuses === 'credentials' || (errors.includes('person_required') && !takesCredentials);
  return isRefused ? 'members and operators' : 'members, operators and credentials';
}

/** Returns the reference to a part of the document. */
export function referTo(kind: 'examples' | 'headers' | 'parameters', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
