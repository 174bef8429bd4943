import type { IncomingMessage } from 'node:http';
import type { S3Response } from '../call.ts';
import type { CorsRule, S3Bucket, S3Ports } from '../ports.ts';
import { noSuchBucket } from '../reach-bucket.ts';
import { S3Error } from '../s3-error.ts';
import { headerOf, type S3Request } from '../s3-request.ts';
import type { S3Settings } from '../s3-settings.ts';
import { CORS_METHODS, decideCors } from './decide-cors.ts';
import { isHeaderName, listHeaderNames } from './header-names.ts';

const CONSOLE_MAX_AGE_SECONDS = 3_600;

/** Answers a browser's preflight request: never signed. */
export async function answerPreflight(
  request: S3Request,
  ports: Pick<S3Ports, 'findBucket'>,
  settings: S3Settings,
): Promise<S3Response> {
  const origin = headerOf(request, 'origin') || null;
  const method = headerOf(request, 'access-control-request-method');
  if (origin === null || method === null) {
    const missing = origin === null ? 'Origin request header' : 'Access-Control-Request-Method';
    throw new S3Error('BadRequest', `Insufficient information. ${missing} needed.`);
  }
  if (!CORS_METHODS.includes(method)) {
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method}`);
  }
  const headers = readAskedHeaders(headerOf(request, 'access-control-request-headers') ?? '');
  const bucket = request.bucket === null ? null : await ports.findBucket(request.bucket);
  const allowed = decideCors(rulesOf(bucket, settings), { origin, method, headers });
  if (allowed) return { status: 200, headers: allowed };
  if (bucket === null && request.bucket !== null) throw noSuchBucket(request.bucket);
  throw new S3Error(
    'AccessForbidden',
    bucket?.corsRules.length === 0 ? 'CORSResponse: CORS is not enabled for this bucket.' : undefined,
    { Method: method, ResourceType: request.key === null ? 'BUCKET' : 'OBJECT' },
  );
}

/** @throws BadRequest for what is not the name of a header */
function readAskedHeaders(text: string): string[] {
  const names = listHeaderNames(text);
  const wrong = names.find((name) => !isHeaderName(name));
  if (wrong !== undefined) {
    throw new S3Error(
      'BadRequest',
      `Access-Control-Request-Headers "${toText(wrong)}" contains invalid character.`,
    );
  }
  return names.map((name) => name.toLowerCase());
}

/** A header as its sender wrote it, for a text: Node reads its bytes as Latin-1. */
function toText(header: string): string {
  return Buffer.from(header, 'latin1').toString('utf8');
}

/**
 * Returns the headers that let a browser read the response if the bucket's rules allow it, and for the
 * console's pages always.
 */
export function corsHeaders(
  message: Pick<IncomingMessage, 'headers' | 'method'>,
  bucket: S3Bucket | null,
  settings: S3Settings,
): Record<string, string> {
  const { origin } = message.headers;
  if (origin === undefined) return {};
  // S3 goes by what a preflight would ask for, where a request says that as well.
  const asked = (name: string) => headerOf(message, `access-control-request-${name}`);
  const method = asked('method') ?? message.method ?? 'GET';
  return (
    decideCors(rulesOf(bucket, settings), {
      origin,
      method,
      headers: listHeaderNames((asked('headers') ?? '').toLowerCase()),
    }) ?? {}
  );
}

/** The console's rule before those of a bucket. */
function rulesOf(bucket: S3Bucket | null, { consoleOrigin }: S3Settings): CorsRule[] {
  return [consoleRule(consoleOrigin), ...(bucket?.corsRules ?? [])];
}

/**
 * What the console's pages may do, before any rule of a bucket: send whatever is signed, and read the
 * response headers that uploads need.
 */
function consoleRule(origin: string): CorsRule {
  return {
    allowedOrigins: [origin],
    allowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    allowedHeaders: ['*'],
    exposeHeaders: ['ETag', 'Content-Range', 'Retry-After', 'x-amz-request-id'],
    maxAgeSeconds: CONSOLE_MAX_AGE_SECONDS,
  };
}
