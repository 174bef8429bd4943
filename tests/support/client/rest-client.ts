import type { OrganizationContext } from '#server/context.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import type { TestPerson } from '../app/test-person.ts';
import { expectDeclaredResponse } from '../surfaces/expect-declared-response.ts';

type JsonObject = { [key: string]: Json };
type Json = null | boolean | number | string | Json[] | JsonObject;

export interface RestResponse {
  status: number;
  headers: Headers;
  text: string;
  bytes: Buffer<ArrayBuffer>;
}

export interface RestOptions {
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}

/**
 * Sends one request to a running server. The responses of `/api/v1` must be declared in its OpenAPI document.
 */
export type RestClient = (method: string, path: string, options?: RestOptions) => Promise<RestResponse>;

/** Returns a client of the REST surface that sends the given headers with each request. */
export function restClient(baseUrl: string, always: Record<string, string> = {}): RestClient {
  return async (method, path, { json, body, headers } = {}) => {
    const sent = {
      ...always,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: sent,
      body: json === undefined ? body : JSON.stringify(json),
      redirect: 'manual',
      // Node's fetch requires it when a body is a stream.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const answer = { status: response.status, headers: response.headers, text: bytes.toString(), bytes };
    expectDeclaredResponse({ method, pathname: new URL(path, baseUrl).pathname, headers: sent }, answer);
    return answer;
  };
}

/**
 * Returns the client of a person signed in at the console, which sends requests from the console's own
 * origin.
 */
export function personClient(baseUrl: string, person: TestPerson, organizationId?: string): RestClient {
  return restClient(baseUrl, {
    cookie: person.sessionCookie,
    origin: baseUrl,
    ...(organizationId ? { 'portage-organization': organizationId } : {}),
  });
}

/** Creates a credential for the sites and returns its keys and its client. */
export async function credentialClient(
  baseUrl: string,
  context: OrganizationContext,
  siteIds: readonly string[],
): Promise<{ client: RestClient; id: string; publicKey: string; secretKey: string; authorization: string }> {
  const { credential, secret_key } = await createCredential(context, {
    name: 'CI',
    scopes: siteIds.map((id) => ({ resource_type: 'site', resource_id: id, permissions: ['read', 'write'] })),
  });
  const authorization = `Basic ${Buffer.from(`${credential.public_key}:${secret_key}`).toString('base64')}`;
  return {
    client: restClient(baseUrl, { authorization }),
    id: credential.id,
    publicKey: credential.public_key,
    secretKey: secret_key,
    authorization,
  };
}

/**
 * Returns the object of a response, for a test to inspect.
 * @throws when the body is not a JSON object
 */
export function objectOf(response: RestResponse): JsonObject {
  const value: Json = JSON.parse(response.text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('not an object');
  return value;
}

/** Returns the objects of a response that is a list. */
export function listOf(response: RestResponse): JsonObject[] {
  const value: Json = JSON.parse(response.text);
  if (!Array.isArray(value)) throw new Error('not a list');
  return value as JsonObject[];
}
