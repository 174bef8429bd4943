import type { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { type ErrorCode, type ErrorKind, KIND_OF_CODE, STATUS_OF_KIND } from '../../error-codes.ts';
import { ERROR_SENTENCES } from '../../error-sentences.ts';
import { mediaTypesOf } from '../choose-route.ts';
import type { Audience, Route } from '../route.ts';
import {
  COMMON_HEADERS,
  describeCallers,
  describeTags,
  examplesOf,
  HEADERS,
  PARAMETERS,
  problemExamples,
  referTo,
  securitySchemes,
} from './openapi-components.ts';
import { componentSchemas, isJson, type Json, requestSchema, responseSchema } from './openapi-schemas.ts';
import { describeWebhooks } from './openapi-webhooks.ts';
import { describeParameter } from './parameter-words.ts';

/** Errors of the surface itself, which every route may return. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_input',
  'too_many_requests',
  'service_unavailable',
  'internal',
];
const ERRORS_OF_WRITE: readonly ErrorCode[] = [
  'idempotency_key_reused',
  'idempotency_request_running',
  'idempotency_outcome_unknown',
  'conflict',
  'storage_full',
];
const ERRORS_OF_BODY: readonly ErrorCode[] = [
  'limit_body_bytes',
  'unsupported_media_type',
  'upload_interrupted',
];
const ERRORS_OF_AUDIENCE: Record<Audience, readonly ErrorCode[]> = {
  public: [],
  person: ['unauthenticated', 'credential_invalid', 'cross_site_request'],
  organization: [
    'unauthenticated',
    'credential_invalid',
    'cross_site_request',
    'permission_required',
    'out_of_scope',
    'organization_not_found',
    'organization_suspended',
  ],
};
/** The description of a binary body. */
const BINARY = { schema: { type: 'string', format: 'binary' } };

/**
 * Returns the OpenAPI 3.1 description of the routes, generated from the same schemas that parse requests and
 * answers.
 */
export function toOpenApi(routes: readonly Route[], config: Pick<Config, 'publicUrl' | 'productName'>): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    const method = route.method.toLowerCase();
    const known = path[method];
    path[method] = isJson(known) ? mergeOperations(known, toOperation(route)) : toOperation(route);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${config.productName} API`,
      version: '1',
      description:
        'Failures are problem documents (RFC 9457) with a stable `code`. Writes accept `Idempotency-Key`. Lists return an ' +
        'array and, when there is more, a `Link` header with `rel="next"`. Responses to reads have an `ETag`. Every response has ' +
        '`X-Request-Id`, which identifies it in the server’s log, and, once it is known who called, `RateLimit` with the remaining quota.',
      contact: { name: config.productName, url: config.publicUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.publicUrl, description: 'This installation.' }],
    tags: describeTags(routes),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: componentSchemas(),
      examples: problemExamples(config.publicUrl, shownCodes(routes)),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: securitySchemes(config.publicUrl),
    },
  };
}

function toOperation(route: Route): Json {
  const { security, sentence } = describeCallers(route);
  const parameters = [
    ...toParameters(route.params, 'path'),
    ...toParameters(route.query, 'query'),
    ...(route.audience === 'organization' ? [referTo('parameters', 'Organization')] : []),
    ...(route.method === 'GET' ? [] : [referTo('parameters', 'IdempotencyKey')]),
    ...(isTagged(route) ? [referTo('parameters', 'IfNoneMatch')] : []),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description ?? `${route.summary}.`}\n\n${sentence}`,
    security,
    parameters,
    ...(route.body
      ? { requestBody: { required: isBodyRequired(route), content: requestContent(route) } }
      : {}),
    responses: { ...toSuccess(route), ...toUnchanged(route), ...toFailures(route) },
  };
}

function isBodyRequired(route: Route): boolean {
  return !(route.body && 'json' in route.body && route.body.isOptional);
}

function requestContent(route: Route): Json {
  const { body } = route;
  if (body && 'json' in body) return { 'application/json': { schema: requestSchema(body.json) } };
  return Object.fromEntries(mediaTypesOf(route).map((mediaType) => [mediaType, BINARY]));
}

function toParameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties, required } = requestSchema(schema);
  if (!isJson(properties)) return [];
  const requiredNames = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || requiredNames.includes(name),
    description: describeParameter(name, place),
    schema: property,
  }));
}

function toSuccess(route: Route): Json {
  const { success } = route;
  const headers = {
    ...(route.method === 'GET'
      ? isTagged(route) && { ETag: referTo('headers', 'ETag') }
      : { 'Idempotency-Replayed': referTo('headers', 'IdempotencyReplayed') }),
    ...COMMON_HEADERS,
    ...(route.location ? { Location: referTo('headers', 'Location') } : {}),
  };
  switch (success.kind) {
    case 'empty':
      return { 204: { description: 'Done.', headers } };
    case 'redirect':
      return {
        200: {
          description: 'The target of the redirect, for a client that follows it.',
          headers: COMMON_HEADERS,
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        303: {
          description: 'The content is at the address in `Location`.',
          headers: { Location: referTo('headers', 'Location'), ...COMMON_HEADERS },
        },
      };
    case 'html':
      return {
        200: { description: 'The page.', headers, content: { 'text/html': { schema: { type: 'string' } } } },
      };
    case 'download':
      return {
        200: {
          description: 'The file.',
          headers: { ...headers, 'Content-Disposition': referTo('headers', 'ContentDisposition') },
          content: { [success.mediaType]: BINARY },
        },
      };
    case 'page':
      return {
        200: {
          description: 'A page.',
          headers: { ...headers, Link: referTo('headers', 'Link') },
          content: {
            'application/json': { schema: { type: 'array', items: responseSchema(success.schema) } },
          },
        },
      };
    case 'json':
      return {
        [success.status]: {
          description: success.status === 201 ? 'Created.' : 'Done.',
          headers,
          content: { 'application/json': { schema: responseSchema(success.schema) } },
        },
      };
  }
}

/** Whether responses have an `ETag`. A redirect has no content that the client could have. */
function isTagged({ method, success }: Route): boolean {
  const isStreamed = success.kind === 'download' && success.isUntagged === true;
  return method === 'GET' && success.kind !== 'redirect' && !isStreamed;
}

/** A read of what the client already has. */
function toUnchanged(route: Route): Json {
  if (!isTagged(route)) return {};
  const headers = { ETag: referTo('headers', 'ETag'), ...COMMON_HEADERS };
  return { 304: { description: 'The `ETag` in `If-None-Match` is still current.', headers } };
}

const HEADERS_OF_FAILURE: Record<number, Json> = {
  401: { 'WWW-Authenticate': referTo('headers', 'WwwAuthenticate') },
  429: { 'Retry-After': referTo('headers', 'RetryAfter') },
  503: { 'Retry-After': referTo('headers', 'RetryAfter') },
};

/** Returns the codes that responses show as examples. */
function shownCodes(routes: readonly Route[]): Set<ErrorCode> {
  return new Set(routes.flatMap((route) => [...failuresOf(route).values()].flatMap(examplesOf)));
}

/** Returns the codes of each status that a route may fail with. */
function failuresOf(route: Route): Map<number, ErrorCode[]> {
  const codes = [
    ...COMMON_ERRORS,
    ...ERRORS_OF_AUDIENCE[route.audience],
    ...(route.method === 'GET' ? [] : ERRORS_OF_WRITE),
    ...(route.body ? ERRORS_OF_BODY : []),
    ...(route.params ? (['not_found'] as const) : []),
    ...route.errors,
  ];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const kind: ErrorKind = KIND_OF_CODE[code];
    byStatus.set(STATUS_OF_KIND[kind], [...(byStatus.get(STATUS_OF_KIND[kind]) ?? []), code]);
  }
  return byStatus;
}

function toFailures(route: Route): Json {
  return Object.fromEntries(
    [...failuresOf(route)].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${ERROR_SENTENCES[code]}`).join(' '),
        headers: { ...HEADERS_OF_FAILURE[status], ...COMMON_HEADERS },
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(examplesOf(list).map((code) => [code, referTo('examples', code)])),
          },
        },
      },
    ]),
  );
}

/**
 * Two routes of one address that differ by the media type of their body are one operation with both contents
 * and answers.
 */
function mergeOperations(first: Json, second: Json): Json {
  const contentOf = (operation: Json) => {
    const body = operation.requestBody;
    return isJson(body) && isJson(body.content) ? body.content : {};
  };
  const listOf = (operation: Json) => (Array.isArray(operation.parameters) ? operation.parameters : []);
  const parameters = new Map(
    [...listOf(first), ...listOf(second)].map((each) => [
      JSON.stringify([each.$ref, each.in, each.name]),
      each,
    ]),
  );
  return {
    ...first,
    description: [first, second].map((each) => each.description ?? each.summary).join('\n\n'),
    parameters: [...parameters.values()],
    requestBody: { required: true, content: { ...contentOf(first), ...contentOf(second) } },
    responses: mergeResponses(first.responses, second.responses),
  };
}

function mergeResponses(first: unknown, second: unknown): Json {
  const merged: Json = isJson(second) ? { ...second } : {};
  for (const [status, response] of Object.entries(isJson(first) ? first : {})) {
    const other = merged[status];
    merged[status] = isJson(response) && isJson(other) ? mergeResponse(response, other) : response;
  }
  return merged;
}

function mergeResponse(first: Json, second: Json): Json {
  const schemas = [first, second].map((response) => jsonSchemaOf(response));
  const descriptions = new Set([first, second].map((response) => response.description));
  const description = [...descriptions].join(' ');
  if (!schemas[0] || !schemas[1]) return { ...first, description };
  return { ...first, description, content: { 'application/json': { schema: { anyOf: schemas } } } };
}

function jsonSchemaOf(response: Json): unknown {
  const content = response.content;
  const json = isJson(content) ? content['application/json'] : undefined;
  return isJson(json) ? json.schema : undefined;
}
