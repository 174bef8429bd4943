import { z } from 'zod';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { procedures } from '#server/routers/call-procedures.ts';
import type { TenantIds } from '#tests/support/surfaces/fill-organization.ts';
import type { RouteRequest } from '#tests/support/surfaces/surface-example.ts';

/** The response to another tenant's id: it is not found, or the list holds nothing of theirs. */
interface Answered {
  of: keyof TenantIds;
  status: 404 | 200;
}

const unknownSite: Answered = { of: 'site', status: 404 };
const unknownEndpoint: Answered = { of: 'endpoint', status: 404 };
const unknownBucket: Answered = { of: 'bucket', status: 404 };
const logged = {
  actor_id: { of: 'member', status: 200 },
  resource_id: { of: 'site', status: 200 },
} as const satisfies Record<string, Answered>;
const usage = { cdn_endpoint_id: unknownEndpoint, site_id: unknownSite };

/**
 * Ids that a request may also name, besides those of its example, and what it gets for another tenant's. The
 * tenancy test fails for one that is missing here.
 */
export const OPTIONAL_IDS: Record<string, Record<string, Answered>> = {
  'audit.list': logged,
  'cdn.list': { site_id: { of: 'site', status: 200 } },
  'cdn.page': { site_id: { of: 'site', status: 200 } },
  'cdn.update': { site_id: unknownSite },
  // Signed as it is: the S3 service looks for the upload in the bucket of the address.
  'storage.signObject': { upload_id: { of: 'upload', status: 200 } },
  'usage.stats': usage,
  'usage.overview': usage,
  'usage.paths': usage,
  'usage.storage': { bucket_id: unknownBucket },
  listEndpoints: { site_id: { of: 'site', status: 200 } },
  updateEndpoint: { site_id: unknownSite },
  getUsageStats: usage,
  getUsageOverview: usage,
  getTopPaths: usage,
  exportUsage: usage,
  getStorageUsage: { bucket_id: unknownBucket },
  exportStorageUsage: { bucket_id: unknownBucket },
  listAuditEvents: logged,
  exportAuditEvents: logged,
};

/** Returns the ids and cursors that the input of a procedure can name besides those that a request names. */
export function optionalIdsOfProcedure(name: string, sent: object): string[] {
  const procedure = procedures[name];
  if (!procedure) throw new Error(`there is no procedure ${name}`);
  // tRPC's type of a procedure hides the schemas that it keeps there; all of ours are zod's.
  const { inputs } = procedure._def as unknown as { inputs: z.ZodType[] };
  return inputs.flatMap(namesOf).filter((field) => field !== 'organization_id' && !(field in sent));
}

/** Returns the same for a route, by where in the request they belong. */
export function optionalIdsOfRoute(
  id: string,
  request: RouteRequest,
): { inQuery: string[]; inBody: string[] } {
  const route = REST_ROUTES.find((each) => each.id === id);
  const inQuery = route?.query ? namesOf(route.query) : [];
  const inBody = route?.body && 'json' in route.body ? namesOf(route.body.json) : [];
  return {
    inQuery: inQuery.filter((field) => !(field in Object(request.query))),
    inBody: inBody.filter((field) => !(field in Object(request.json))),
  };
}

/** The names of the fields of an input that take an id or a cursor, whichever of its forms has them. */
function namesOf(schema: z.ZodType): string[] {
  const found = fieldsOf(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return [...new Set(found)].filter((name) => /_id$|^cursor$/.test(name));
}

type Described = Pick<z.core.JSONSchema.BaseSchema, 'properties' | 'anyOf' | 'allOf' | 'oneOf'>;

function fieldsOf({ properties = {}, anyOf = [], allOf = [], oneOf = [] }: Described): string[] {
  const forms = [...anyOf, ...allOf, ...oneOf].filter((form) => typeof form === 'object');
  return [...Object.keys(properties), ...forms.flatMap(fieldsOf)];
}
