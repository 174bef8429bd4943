import { createMatcher } from '#server/rest/match-route.ts';
import { toOpenApi } from '#server/rest/openapi/openapi.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  responses: Record<
    string,
    { description: string; headers?: Record<string, unknown>; content?: Record<string, unknown> }
  >;
}

const document = toOpenApi(REST_ROUTES, { publicUrl: 'http://localhost:3000', productName: 'Portage' });
const paths = document.paths as Record<string, Record<string, Operation>>;
const find = createMatcher(REST_ROUTES);

/** Headers that a response has if and only if its operation declares them. */
const EXACT_HEADERS = [
  'Content-Disposition',
  'ETag',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * Returns when the OpenAPI document declares a response: its status, its type and headers if they are given, the code of a
 * failure, and that a credential may call where one was accepted. Responses without a route are ignored.
 * @throws Error naming the operation
 */
export function expectDeclaredResponse(
  request: { method: string; pathname: string; headers: Record<string, string> },
  response: { status: number; text: string; headers?: Headers },
): void {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const routes = [...(find(request.pathname)?.methods ?? [])].find(([name]) => name === method)?.[1];
  const operation = routes?.[0] && paths[routes[0].path]?.[method.toLowerCase()];
  if (!operation) return;
  const { operationId, responses, security } = operation;
  const declared = responses[response.status];
  if (!declared) throw new Error(`${operationId} answers ${response.status}, which it does not declare`);
  if (response.headers)
    expectDeclaredHeaders(`${operationId} answers ${response.status}`, response.headers, declared);
  const code = response.status < 400 ? undefined : /"code":"(\w+)"/.exec(response.text)?.[1];
  if (code !== undefined && !declared.description.includes(`\`${code}\``)) {
    throw new Error(`${operationId} answers ${response.status} with ${code}, which it does not declare`);
  }
  const authorization = Object.entries(request.headers).find(([name]) => /^authorization$/i.test(name))?.[1];
  if (authorization === undefined || authorization.includes('ptgop_') || security.length === 0) return;
  const takesCredentials = security.some((each) => 'basic' in each);
  if (response.status < 400 && !takesCredentials) {
    throw new Error(`${operationId} let a credential in, which it does not declare`);
  }
}

function expectDeclaredHeaders(
  answer: string,
  headers: Headers,
  declared: Operation['responses'][string],
): void {
  const mediaType = headers.get('content-type');
  const accepted = Object.keys(declared.content ?? {});
  const isAccepted = (type: string) =>
    accepted.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))));
  const [essence = ''] = mediaType?.split(';') ?? [];
  if (mediaType !== null && !isAccepted(mediaType) && !isAccepted(essence)) {
    throw new Error(`${answer} as ${mediaType}, which it does not declare`);
  }
  const names = new Set(Object.keys(declared.headers ?? {}));
  for (const name of EXACT_HEADERS) {
    if (headers.has(name) === names.has(name)) continue;
    throw new Error(`${answer} ${headers.has(name) ? 'with' : 'without'} ${name}, unlike its declaration`);
  }
}
