import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { OrganizationContext, RequestContext } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { Upload } from '../http/bodies/read-body.ts';
import type { HtmlPage } from './openapi/documentation-page.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A file as a response. */
export interface Download {
  stream: Readable;
  filename: string;
  /** A strong ETag: it changes whenever the bytes could. */
  etag?: string;
  /** Instead of the route's own, which may be a range such as `image/*`. */
  mediaType?: string;
  /** How long the asker's own browser may keep it without asking again. */
  secondsKept?: number;
}

export interface Page {
  items: unknown[];
  next_cursor: string | null;
}

/**
 * What a route accepts as its body: JSON of a schema (an optional one may be omitted for `{}`), or a stream
 * of one of several media types, where `any` accepts all of them and none.
 */
export type BodySpec =
  | { json: z.ZodType; bytesMax?: number; isOptional?: boolean }
  | { upload: readonly string[] }
  | undefined;

/**
 * What a route returns on success. Pages become an array and a Link header, `redirect` is 303 to the returned
 * address, `empty` is 204. A download that is streamed without being read before has no ETag (`isUntagged`).
 */
export type Success =
  | { kind: 'json'; status: 200 | 201; schema: z.ZodType }
  | { kind: 'page'; schema: z.ZodType }
  | { kind: 'download'; mediaType: string; isUntagged?: boolean }
  | { kind: 'html' }
  | { kind: 'redirect' }
  | { kind: 'empty' };

/** Who may call at all: anyone, a signed-in person, or an actor inside an organization. */
export type Audience = 'public' | 'person' | 'organization';

/** One row of the `/api/v1` table, which dispatch, OpenAPI and the tenancy test read. */
export interface Route {
  method: Method;
  /** With `{name}` for each parameter. */
  path: string;
  id: string;
  tag: string;
  summary: string;
  description?: string;
  audience: Audience;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: BodySpec;
  success: Success;
  /** Error codes worth documenting besides those that every route can return. */
  errors: readonly ErrorCode[];
  /** Counts against the generous limit of uploads. */
  isBulk?: boolean;
  /** For a route with `person_required`: only a part of it is refused to credentials. */
  takesCredentials?: boolean;
  /** Who never gets through inside an organization, where `person_required` does not say it. */
  refuses?: 'credentials' | 'credentials and operators';
  /** The address of the created resource. */
  location?(result: unknown): string;
  run(call: Call<RequestContext, unknown, unknown, unknown>): Promise<unknown>;
}

export interface Call<C, P, Q, B> {
  context: C;
  params: P;
  query: Q;
  body: B;
}

type BodyOf<B> = B extends { json: infer S extends z.ZodType }
  ? z.output<S>
  : B extends { upload: readonly string[] }
    ? Upload
    : undefined;

type ResultOf<S> = S extends { kind: 'json'; schema: infer T extends z.ZodType }
  ? z.input<T>
  : S extends { kind: 'page'; schema: infer T extends z.ZodType }
    ? { items: z.input<T>[]; next_cursor: string | null }
    : S extends { kind: 'download' }
      ? Download
      : S extends { kind: 'html' }
        ? HtmlPage
        : S extends { kind: 'redirect' }
          ? string
          : unknown;

interface RouteDeclaration<P, Q, B, S> {
  method: Method;
  path: string;
  id: string;
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  success: S;
  errors?: readonly ErrorCode[];
  isBulk?: boolean;
  takesCredentials?: boolean;
  refuses?: Route['refuses'];
  location?(result: NoInfer<ResultOf<S>>): string;
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : Record<string, never>;

/**
 * Declares a route that works inside an organization: the dispatcher has checked the membership, or that the
 * organization is the credential's own.
 */
export function organizationRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  const B extends BodySpec = undefined,
  const S extends Success = Success,
>(
  declaration: RouteDeclaration<P, Q, B, S>,
  handle: (call: Call<OrganizationContext, Parsed<P>, Parsed<Q>, BodyOf<B>>) => Promise<ResultOf<S>>,
): Route {
  return declare('organization', declaration, handle);
}

/** Declares a route for anyone, or for a signed-in person: no organization is involved. */
export function openRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  const B extends BodySpec = undefined,
  const S extends Success = Success,
>(
  declaration: RouteDeclaration<P, Q, B, S> & { audience: 'public' | 'person' },
  handle: (call: Call<RequestContext, Parsed<P>, Parsed<Q>, BodyOf<B>>) => Promise<ResultOf<S>>,
): Route {
  return declare(declaration.audience, declaration, handle);
}

/**
 * Erases the types of one route so that all fit one table. This is safe because the dispatcher calls `run`
 * and `location` only with what it parsed by the schemas of the same row.
 */
function declare<W extends object, H>(audience: Audience, declaration: W, handle: H): Route {
  return { errors: [], ...declaration, audience, run: handle } as unknown as Route;
}
