import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * A stand-in for any S3 engine: objects in memory, path style, single-part uploads, ranges, one-page listings
 * by tokens.
 */
export interface TestS3Server {
  /** As OBJECT_STORE_URL, for the bucket `blobs`. */
  url: string;
  objects: Map<string, { body: Buffer; at: Date }>;
  /** Received requests, e.g. `PUT /blobs/key`. */
  requests: string[];
  /** When set, so many uploads are refused with this status and error code. */
  refuseUploads: { status: number; code: string; times: number } | null;
  /** While true, requests are accepted and never get a response. */
  isSilent: boolean;
  /** While true, the body of a partial read stalls after its first half. */
  stopsInBodies: boolean;
  stop(): Promise<void>;
}

const PAGE = 2;

export async function startTestS3Server(): Promise<TestS3Server> {
  const state: TestS3Server = {
    url: '',
    objects: new Map(),
    requests: [],
    refuseUploads: null,
    isSilent: false,
    stopsInBodies: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  state.url = `s3://key:secret%2Fpart@127.0.0.1:${address.port}/blobs/prefix?region=test-1&scheme=http`;
  return state;
}

async function answer(
  state: TestS3Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://s3');
  const path = decodeURIComponent(url.pathname);
  state.requests.push(`${request.method} ${path}`);
  if (state.isSilent) return void request.resume();
  const body = await buffer(request);
  if (!/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/test-1\/s3\//.test(request.headers.authorization ?? '')) {
    return fail(response, 403, 'SignatureDoesNotMatch');
  }
  const signedHash = request.headers['x-amz-content-sha256'];
  const isWhole = typeof signedHash === 'string' && /^[0-9a-f]{64}$/.test(signedHash);
  if (isWhole && createHash('sha256').update(body).digest('hex') !== signedHash) {
    return fail(response, 400, 'XAmzContentSHA256Mismatch');
  }
  const key = path.replace(/^\/blobs\/?/, '');
  if (key === '' && request.method === 'GET') return list(state, url, response);
  const object = state.objects.get(key);
  switch (request.method) {
    case 'PUT':
      if (state.refuseUploads && state.refuseUploads.times > 0) {
        state.refuseUploads.times -= 1;
        return fail(response, state.refuseUploads.status, state.refuseUploads.code);
      }
      state.objects.set(key, { body, at: new Date() });
      response.writeHead(200, { etag: '"stored"' }).end();
      return;
    case 'DELETE':
      state.objects.delete(key);
      response.writeHead(204).end();
      return;
    case 'HEAD':
      if (!object) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-length': object.body.byteLength }).end();
      return;
    default:
      if (!object) return fail(response, 404, 'NoSuchKey');
      sendRange(object.body, request.headers.range, response, state);
  }
}

function sendRange(
  body: Buffer,
  range: string | undefined,
  response: ServerResponse,
  { stopsInBodies }: TestS3Server,
): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined || to === undefined) {
    response.writeHead(200, { 'content-length': body.byteLength }).end(body);
    return;
  }
  const part = body.subarray(Number(from), Number(to) + 1);
  response.writeHead(206, {
    'content-length': part.byteLength,
    'content-range': `bytes ${from}-${to}/${body.byteLength}`,
  });
  if (stopsInBodies) response.write(part.subarray(0, part.byteLength / 2));
  else response.end(part);
}

function list(state: TestS3Server, url: URL, response: ServerResponse): void {
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...state.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, PAGE);
  const contents = page.map((key) => {
    const object = state.objects.get(key);
    return `<Contents><Key>${key}</Key><LastModified>${object?.at.toISOString()}</LastModified><Size>${object?.body.byteLength}</Size></Contents>`;
  });
  const token = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.end(
    `<ListBucketResult><Name>blobs</Name><IsTruncated>${token !== ''}</IsTruncated>${contents.join('')}${token}</ListBucketResult>`,
  );
}

function fail(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
