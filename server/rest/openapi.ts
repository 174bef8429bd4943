import { z } from 'zod';
import type { Config } from '../config.ts';
import { ERROR_CODES, type ErrorCode, type ErrorKind, STATUS_OF_KIND } from '../error-codes.ts';
import { endpointSchema } from '../services/cdn/schema.ts';
import { createCredentialResult, credentialSchema } from '../services/credentials/schema.ts';
import {
  deployReportSchema,
  versionDetailSchema,
  versionFileSchema,
  versionSchema,
} from '../services/deployments/schema.ts';
import { sessionSchema, userSchema } from '../services/identity/schema.ts';
import {
  invitationPreviewSchema,
  invitationSchema,
  memberSchema,
  membershipSchema,
  organizationContextSchema,
  organizationSchema,
} from '../services/organizations/schema.ts';
import { siteSchema } from '../services/sites/schema.ts';
import { problemSchema } from './problem.ts';
import { mediaTypesOf } from './read-body.ts';
import type { Audience, Route } from './route.ts';

export type Json = Record<string, unknown>;

/** Schemas that clients will want a name for. */
const NAMED_SCHEMAS: Record<string, z.ZodType> = {
  Credential: credentialSchema,
  CreatedCredential: createCredentialResult,
  DeployReport: deployReportSchema,
  Endpoint: endpointSchema,
  Invitation: invitationSchema,
  InvitationPreview: invitationPreviewSchema,
  Member: memberSchema,
  Membership: membershipSchema,
  Organization: organizationSchema,
  OrganizationContext: organizationContextSchema,
  Problem: problemSchema,
  Session: sessionSchema,
  Site: siteSchema,
  User: userSchema,
  Version: versionSchema,
  VersionDetail: versionDetailSchema,
  VersionFile: versionFileSchema,
};

/** Errors of the surface itself, which each route may answer. */
const COMMON_ERRORS: readonly ErrorCode[] = ['invalid_input', 'too_many_requests', 'internal'];
const ERRORS_OF_AUDIENCE: Record<Audience, readonly ErrorCode[]> = {
  anybody: [],
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
const SECURITY_OF_AUDIENCE: Record<Audience, readonly Json[]> = {
  anybody: [],
  person: [{ session: [] }],
  organization: [{ basic: [] }, { bearer: [] }, { session: [] }],
};

/** Returns the OpenAPI 3.1 description of the routes, made from the very schemas that parse requests and answers. */
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
        'Failures are problem documents (RFC 9457) with a stable `code`. Writes accept `Idempotency-Key`. Lists answer an ' +
        'array and, when there is more, a `Link` header with `rel="next"`.',
    },
    servers: [{ url: config.publicUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [name, toJsonSchema(schema, 'output')]),
      ),
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'Public key as user name, secret key as password.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: '`public_key:secret_key`' },
        session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The console, signed in.' },
      },
    },
  };
}

function toOperation(route: Route): Json {
  const parameters = [
    ...toParameters(route.params, 'path'),
    ...toParameters(route.query, 'query'),
    ...(route.method === 'GET'
      ? []
      : [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            schema: { type: 'string', maxLength: 255 },
          },
        ]),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    security: SECURITY_OF_AUDIENCE[route.audience],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? { requestBody: { required: isBodyRequired(route), content: requestContent(route) } }
      : {}),
    responses: { ...toSuccess(route), ...toFailures(route) },
  };
}

function isBodyRequired(route: Route): boolean {
  return !(route.body && 'json' in route.body && route.body.isOptional);
}

function requestContent(route: Route): Json {
  const { body } = route;
  if (body && 'json' in body) return { 'application/json': { schema: toJsonSchema(body.json, 'input') } };
  return Object.fromEntries(mediaTypesOf(route).map((mediaType) => [mediaType, {}]));
}

function toParameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties, required } = toJsonSchema(schema, 'input');
  if (!isJson(properties)) return [];
  const requiredNames = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || requiredNames.includes(name),
    schema: property,
  }));
}

function toSuccess(route: Route): Json {
  const { success } = route;
  switch (success.kind) {
    case 'empty':
      return { 204: { description: 'Done.' } };
    case 'html':
      return { 200: { description: 'The page.', content: { 'text/html': {} } } };
    case 'download':
      return { 200: { description: 'The file.', content: { [success.mediaType]: {} } } };
    case 'page':
      return {
        200: {
          description: 'A page.',
          headers: { Link: { description: 'The next page, rel="next".', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { type: 'array', items: toReference(success.schema) } } },
        },
      };
    case 'json':
      return {
        [success.status]: {
          description: success.status === 201 ? 'Created.' : 'Done.',
          content: { 'application/json': { schema: toReference(success.schema) } },
        },
      };
  }
}

function toFailures(route: Route): Json {
  const codes = [...COMMON_ERRORS, ...ERRORS_OF_AUDIENCE[route.audience], ...route.errors];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const kind: ErrorKind = ERROR_CODES[code].kind;
    byStatus.set(STATUS_OF_KIND[kind], [...(byStatus.get(STATUS_OF_KIND[kind]) ?? []), code]);
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      { description: list.map((code) => `\`${code}\`: ${ERROR_CODES[code].message}`).join(' '), content },
    ]),
  );
}

/** Two routes of one address that differ by the type of their body are one operation with both contents and answers. */
function mergeOperations(first: Json, second: Json): Json {
  const contentOf = (operation: Json) => {
    const body = operation.requestBody;
    return isJson(body) && isJson(body.content) ? body.content : {};
  };
  const listOf = (operation: Json) => (Array.isArray(operation.parameters) ? operation.parameters : []);
  const parameters = new Map(
    [...listOf(first), ...listOf(second)].map((each) => [`${each.in} ${each.name}`, each]),
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
  for (const [status, answer] of Object.entries(isJson(first) ? first : {})) {
    const other = merged[status];
    merged[status] = isJson(answer) && isJson(other) ? mergeAnswers(answer, other) : answer;
  }
  return merged;
}

function mergeAnswers(first: Json, second: Json): Json {
  const schemas = [first, second].map((answer) => jsonSchemaOf(answer));
  const descriptions = new Set([first, second].map((answer) => answer.description));
  const description = [...descriptions].join(' ');
  if (!schemas[0] || !schemas[1]) return { ...first, description };
  return { ...first, description, content: { 'application/json': { schema: { anyOf: schemas } } } };
}

function jsonSchemaOf(answer: Json): unknown {
  const content = answer.content;
  const json = isJson(content) ? content['application/json'] : undefined;
  return isJson(json) ? json.schema : undefined;
}

function toReference(schema: z.ZodType): Json {
  const name = Object.entries(NAMED_SCHEMAS).find(([, named]) => named === schema)?.[0];
  if (name) return { $ref: `#/components/schemas/${name}` };
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodType) {
    return { type: 'array', items: toReference(schema.element) };
  }
  return toJsonSchema(schema, 'output');
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return rest;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
