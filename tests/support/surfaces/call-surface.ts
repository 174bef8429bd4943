import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { REST_ROUTES } from '#server/rest/routes.ts';
import { appRouter } from '#server/routers/app-router.ts';
import { type RestResponse, restClient } from '../client/rest-client.ts';
import type { RouteRequest } from './surface-example.ts';
import type { Asker } from './tenancy-world.ts';

/** A response of either surface, as its client sees it. */
export interface SurfaceResponse {
  status: number;
  /** The stable code of a failure, or null. */
  code: string | null;
  text: string;
  /** Identifies the request in the server's logs. */
  requestId: string | null;
  /** The etag of this response, for a conditional request. */
  etag: string | null;
}

export interface ProcedureName {
  name: string;
  isMutation: boolean;
}

/** Every procedure of the app router by name. */
export function listProcedures(): ProcedureName[] {
  const router: AnyRouter = appRouter;
  const procedures: [string, AnyProcedure][] = Object.entries(router._def.procedures);
  return procedures.map(([name, procedure]) => ({
    name,
    isMutation: procedure._def.type === 'mutation',
  }));
}

/** Calls a procedure over HTTP, like the browser. */
export async function callProcedure(
  baseUrl: string,
  asker: Asker,
  { name, isMutation }: ProcedureName,
  input: unknown,
): Promise<SurfaceResponse> {
  const client = restClient(baseUrl, asker);
  const path = `/api/trpc/${name}`;
  const response = isMutation
    ? await client('POST', path, { json: { json: input } })
    : await client('GET', `${path}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`);
  // An unidentified caller is refused before tRPC, with a problem document.
  const { error, code } = JSON.parse(response.text);
  return toSurfaceResponse(response, error?.json?.data?.error?.code ?? code ?? null);
}

/** Calls a route of the REST table, in an organization when one is given. */
export async function callRoute(
  baseUrl: string,
  asker: Asker,
  routeId: string,
  { params = {}, query = {}, ...rest }: RouteRequest,
  organizationId: string | null = null,
): Promise<SurfaceResponse> {
  const route = REST_ROUTES.find(({ id }) => id === routeId);
  if (!route) throw new Error(`there is no route ${routeId}`);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  const organization: Asker = organizationId === null ? {} : { 'portage-organization': organizationId };
  const client = restClient(baseUrl, { ...asker, ...organization });
  const response = await client(route.method, search === '' ? path : `${path}?${search}`, rest);
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  return toSurfaceResponse(response, isProblem ? String(JSON.parse(response.text).code) : null);
}

function toSurfaceResponse({ status, text, headers }: RestResponse, code: string | null): SurfaceResponse {
  return { status, text, code, requestId: headers.get('x-request-id'), etag: headers.get('etag') };
}
